# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to shelve servers, and to bring them back."""

from nova_lite import exception
from nova_lite.compute import api_images
from nova_lite.compute import vm_states
from nova_lite.db import block_devices
from nova_lite.db import services
from nova_lite.objects import block_device

IMAGE_ID = 'shelved_image_id'       # in the system metadata of a server that is shelved
PINNED = 'pinned_availability_zone'
SAME = object()                     # as a zone: the one that the server has


class Shelving:
    """operations: an api_operations.Operations; images: an api_images.Images; lookups: an api_lookups.Lookups.

    Methods take the context and the Instance, and raise Conflict when it is locked, in another state, or its host down.
    """

    def __init__(self, db, operations, images, lookups):
        self._db = db
        self._operations = operations
        self._images = images
        self._lookups = lookups

    def shelve(self, ctxt, instance):
        """:raises: also what making an image raises"""
        self._operations.check_ready(ctxt, instance, 'shelve')
        image_id = None
        if not block_device.is_volume_backed(block_devices.get_all(self._db, instance.uuid)):
            image_id = self._images.new_image(
                ctxt, instance, '%s-shelved' % instance.display_name, api_images.SNAPSHOT, {})
        self._images.begin(ctxt, instance, 'shelve', 'shelve', image_id)

    def shelve_offload(self, ctxt, instance):
        self._operations.begin(ctxt, instance, 'shelve_offload')

    def unshelve(self, ctxt, instance, zone=SAME, host=None):
        """zone: that the server is to be in from now on, None for any; host: the only one wanted.

        :raises Invalid: there is no such zone or host; Conflict: also, they do not fit to each other or to the state
        """
        if instance.vm_state != vm_states.SHELVED_OFFLOADED:
            self._operations.check(ctxt, instance, 'unshelve')
            if zone is not SAME or host is not None:
                raise exception.Conflict(
                    'Specifying an availability zone or a host when unshelving server "%s" with status "%s" is not '
                    'supported. The server status must be SHELVED_OFFLOADED.' % (instance.uuid, instance.vm_state))
            self._operations.begin(ctxt, instance, 'unshelve')
            return
        self._operations.check(ctxt, instance, 'unshelve_offloaded')
        pinned = instance.system_metadata.get(PINNED) if zone is SAME else zone
        self._check_destination(pinned, host, zone not in (SAME, None))
        values = {} if zone is SAME else {'system_metadata': {**instance.system_metadata, PINNED: zone},
                                          'availability_zone': zone}
        self._operations.record(ctxt, instance, 'unshelve_offloaded', values=values, wanted_host=host)

    def _check_destination(self, zone, host, is_new):
        """:raises Invalid: no such zone or host; Conflict: the host is in another zone"""
        if is_new:
            self._lookups.check_destination(zone, None, None)
        if host is None:
            return
        found = services.list_(self._db, binary='nova-compute', host=host)
        if not found:
            raise exception.Invalid('Compute host %s could not be found.' % host)
        if zone is not None and zone != (found[0].availability_zone or self._lookups.default_zone):
            raise exception.Conflict('Host "%s" is not in the availability zone "%s".' % (host, zone))

    def forget_image(self, ctxt, instance):
        """A shelved server is being deleted: so is its image."""
        image_id = instance.system_metadata.get(IMAGE_ID)
        if image_id:
            self._images.discard(ctxt, image_id)
