# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Gives back what an instance holds in Neutron, Cinder and Placement; what is gone already is fine."""

import logging

from nova_lite import exception
from nova_lite.db import block_devices
from nova_lite.db import orders
from nova_lite.objects import network
from nova_lite.virt import block_device

LOG = logging.getLogger(__name__)

RESERVED = 'reserved'


def ports(tools, ctxt, request):
    """Delete the ports that were made for the instance of a BuildRequest and unbind the user's.

    :raises ServiceUnreachable:
    """
    tools.network.deallocate_for_instance(ctxt, request.instance.uuid, request.instance.network_info,
                                          request.requested_networks)


def volumes(tools, ctxt, uuid):
    """Let go of the volumes of an instance that will not be built, and delete those that were made with it.

    :raises CinderConnectionFailed, VolumeBusy:
    """
    devices = block_devices.get_all(tools.db, uuid)
    if block_device.volumes(devices):
        block_device.let_go(ctxt, uuid, devices, tools.volume, block_device.made_with_server)
        block_devices.release(tools.db, uuid)


def renew_volumes(tools, ctxt, request):
    """Have the volumes of a BuildRequest reserved for its instance and no host: the one that had them failed.

    What is whole gets a new attachment before the old one goes, so nobody else can take it. Again is fine.
    :raises CinderConnectionFailed; InvalidVolume, VolumeNotFound: one is not to be had any more
    """
    devices, uuid = block_device.volumes(request.block_device_mapping), request.instance.uuid
    if not devices:
        return
    held = tools.volume.attachment_get_all(ctxt, uuid)
    for bdm in (device.bdm for device in devices):
        old = [item for item in held if item.volume_id == bdm.volume_id]
        bdm.connection_info, bdm.attachment_id = None, next((item.id for item in old if item.status == RESERVED), None)
        if bdm.attachment_id is None and (old or bdm.source_type == 'volume'):
            bdm.attachment_id = tools.volume.attachment_create(ctxt, bdm.volume_id, uuid).id
        for item in old:
            if item.id != bdm.attachment_id:
                tools.volume.attachment_delete(ctxt, item.id)
    block_devices.save(tools.db, uuid, request.block_device_mapping)


def everything(tools, ctxt, request):
    """All that an instance holds that will not be built; the sweep tries again what cannot be reached now."""
    _release(tools, ctxt, request.instance.uuid, lambda: ports(tools, ctxt, request))


def again(tools, ctxt, uuid, kept_ports):
    """The same for what an earlier try left. kept_ports: ids of the user's; None: there are no ports to see to."""
    requests = [network.NetworkRequest(port_id=port_id) for port_id in kept_ports or ()]
    _release(tools, ctxt, uuid, lambda: kept_ports is not None and tools.network.deallocate_for_instance(
        ctxt, uuid, (), requests))


def _release(tools, ctxt, uuid, release_ports):
    try:
        release_ports()
        volumes(tools, ctxt, uuid)
        tools.placement.delete_allocation_for_instance(ctxt, uuid)
        orders.released(tools.db, uuid)
    except exception.Unavailable as exc:
        LOG.warning('What instance %s holds could not be given back now, the sweep will try again: %s', uuid, exc)
