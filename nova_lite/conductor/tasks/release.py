# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Gives back what an instance holds in Neutron and Placement; what is gone already is fine."""

import logging

from nova_lite import exception
from nova_lite.db import orders
from nova_lite.objects import network

LOG = logging.getLogger(__name__)


def ports(tools, ctxt, request):
    """Delete the ports that were made for the instance of a BuildRequest and unbind the user's.

    :raises ServiceUnreachable:
    """
    tools.network.deallocate_for_instance(ctxt, request.instance.uuid, request.instance.network_info,
                                          request.requested_networks)


def everything(tools, ctxt, request):
    """Ports and allocation of an instance that will not be built; the sweep tries again what cannot be reached now."""
    _release(tools, ctxt, request.instance.uuid, lambda: ports(tools, ctxt, request))


def again(tools, ctxt, uuid, kept_ports):
    """The same for what an earlier try left. kept_ports: ids of the user's; None: there are no ports to see to."""
    requests = [network.NetworkRequest(port_id=port_id) for port_id in kept_ports or ()]
    _release(tools, ctxt, uuid, lambda: kept_ports is not None and tools.network.deallocate_for_instance(
        ctxt, uuid, (), requests))


def _release(tools, ctxt, uuid, release_ports):
    try:
        release_ports()
        tools.placement.delete_allocation_for_instance(ctxt, uuid)
        orders.released(tools.db, uuid)
    except exception.Unavailable as exc:
        LOG.warning('What instance %s holds could not be given back now, the sweep will try again: %s', uuid, exc)
