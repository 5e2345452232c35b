# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to have a server started from another image: rescue for a while, rebuild for good."""

import binascii

from nova_lite import exception
from nova_lite.compute import api_checks
from nova_lite.compute import api_quota
from nova_lite.compute import vm_states
from nova_lite.db import block_devices
from nova_lite.objects import block_device

RESCUE_DEVICE = ('hw_rescue_device', 'hw_rescue_bus')


class Remaking:
    """operations: api_operations.Operations; lookups: api_lookups.Lookups; quotas: api_quota.Quotas.

    Methods take the context and the Instance, and raise Conflict when it is locked, in another state, or its host down.
    """

    def __init__(self, db, operations, lookups, quotas):
        self._db = db
        self._operations = operations
        self._lookups = lookups
        self._quotas = quotas

    # ---- rescue --------------------------------------------------------------------------------------------------

    def rescue(self, ctxt, instance, password, image_id=None, volume_backed=False):    # noqa: PLR0913 (as clients say)
        """Start a server from an image, by default its own; `volume_backed`: whether such servers may be rescued.

        :raises Invalid: it cannot be rescued by this image
        """
        self._operations.check_ready(ctxt, instance, 'rescue')
        image = self._rescue_image(ctxt, instance, image_id)
        if block_device.is_volume_backed(block_devices.get_all(self._db, instance.uuid)) and not (
                volume_backed and any(image.property(name) for name in RESCUE_DEVICE)):
            raise exception.Invalid('Instance %s cannot be rescued: Cannot rescue a volume-backed instance'
                                    % instance.uuid)
        self._operations.begin(ctxt, instance, 'rescue', image=image, password=password)

    def _rescue_image(self, ctxt, instance, image_id):
        wanted = image_id or instance.image_ref
        try:
            image = self._lookups.image(ctxt, wanted) if wanted else instance.image_meta
        except exception.ImageNotFound as exc:
            raise exception.Invalid("Requested rescue image '%s' is not supported" % wanted) from exc
        if wanted and image.status != api_checks.ACTIVE:
            raise exception.ImageNotActive(image_id=wanted)
        return image

    def unrescue(self, ctxt, instance):
        self._operations.begin(ctxt, instance, 'unrescue')

    # ---- rebuild -------------------------------------------------------------------------------------------------

    def rebuild(self, ctxt, instance, order):
        """Make a server anew as an api_order.RebuildOrder says. :returns: the Instance

        :raises Invalid: it cannot be made so; QuotaError: too many or too large items of metadata or files
        """
        self._operations.check_ready(ctxt, instance, 'rebuild')
        limits = self._quotas.limits(instance.project_id)
        if 'metadata' in order.values:
            api_quota.check_metadata(limits, order.values['metadata'])
        api_quota.check_files(limits, order.injected_files)
        _check_files(order.injected_files)
        if order.preserve_ephemeral:
            raise exception.Invalid('The current driver does not support preserving ephemeral partitions.')
        image = self._image(ctxt, instance, order.image_id)
        values = order.values | self._key(ctxt, order) | {
            'system_metadata': self._system_metadata(ctxt, instance, order)}
        if instance.image_ref or not image_is_of_volume(instance, order.image_id):
            values |= {'image_ref': order.image_id, 'image_meta': image, 'kernel_id': image.property('kernel_id'),
                       'ramdisk_id': image.property('ramdisk_id')}
        return self._operations.begin(
            ctxt, instance, 'rebuild', values=values, password=order.admin_password,
            injected_files=order.injected_files, stopped=instance.vm_state == vm_states.STOPPED)

    def _image(self, ctxt, instance, image_id):
        if block_device.is_volume_backed(block_devices.get_all(self._db, instance.uuid)):
            if image_is_of_volume(instance, image_id):
                return instance.image_meta
            raise exception.Invalid('Unable to rebuild with a different image for a volume-backed server.')
        try:
            image = self._lookups.image(ctxt, image_id)
        except exception.ImageNotFound as exc:
            raise exception.Invalid('Cannot find image for rebuild') from exc
        api_checks.check_image(image, instance.flavor)
        return image

    def _key(self, ctxt, order):
        """{field: value} of the key pair, where the order says anything of it."""
        if not order.changes_key:
            return {}
        keypair = self._lookups.keypair(ctxt, order.key_name)
        return {'key_name': order.key_name, 'key_data': keypair and keypair.public_key}

    def _system_metadata(self, ctxt, instance, order):
        changed = {}
        if order.changes_key:
            keypair = self._lookups.keypair(ctxt, order.key_name)
            changed['keypair_type'] = keypair and keypair.type
        if order.changes_certificates:
            changed['trusted_certs'] = order.trusted_certificates
        return instance.system_metadata | changed


def image_is_of_volume(instance, image_id):
    """Whether a server's volume was made from an image, as far as its record tells."""
    return not instance.image_ref and instance.image_meta.id == image_id


def _check_files(files):
    for _, content in files:
        try:
            binascii.a2b_base64(content, strict_mode=True)
        except binascii.Error as exc:
            raise exception.Invalid('An injected file is not base64.') from exc
