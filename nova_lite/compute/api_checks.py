# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of an order that look at what was found for it (flavor, image, services), and of what may be done to an
instance now; none of them changes anything."""

from nova_lite import exception
from nova_lite.compute import vm_states

GIB = 1024 ** 3
ACTIVE = 'active'
AT_REST = (vm_states.ACTIVE, vm_states.PAUSED, vm_states.SUSPENDED, vm_states.STOPPED)
INTERNAL = '_'          # hints whose names begin so would be for the services' own use
HINT_VALUES = 128       # most servers that a hint may name
MOST_AT_ONCE = 1000     # servers of one request: all of them are recorded in one transaction


def check_counts(order):
    """:raises Invalid: more at least than at most, too many, or what only one can have is asked for several"""
    if order.min_count > order.max_count:
        raise exception.Invalid('min_count must be <= max_count')
    if order.max_count > MOST_AT_ONCE:
        raise exception.Invalid('max_count must be %d at most' % MOST_AT_ONCE)
    if order.hostname and order.max_count > 1:
        raise exception.Invalid('Unable to allocate a single hostname to multiple instances')


def check_hints(hints):
    """:raises Invalid: a hint with an internal name, or one that names too many servers"""
    for name, value in hints.items():
        if name.startswith(INTERNAL):
            raise exception.Invalid('The scheduler hint %s is not known.' % name[:64])
        if isinstance(value, list) and len(value) > HINT_VALUES:
            raise exception.Invalid('The scheduler hint %s names more than %d servers.' % (name[:64], HINT_VALUES))


def check_image(image, flavor, local=True):
    """An image must be whole, and a server of the flavor must have room for it; on the host, if it is `local`.

    :raises ImageNotActive, FlavorMemoryTooSmall, FlavorDiskSmallerThanMinDisk, FlavorDiskSmallerThanImage:
    """
    if image.status != ACTIVE:
        raise exception.ImageNotActive(image_id=image.id)
    check_room(image, flavor, local)


def check_room(image, flavor, local=True):
    """:raises FlavorMemoryTooSmall, FlavorDiskSmallerThanMinDisk, FlavorDiskSmallerThanImage:"""
    if flavor.memory_mb < image.min_ram:
        raise exception.FlavorMemoryTooSmall()
    if flavor.root_gb and local:        # 0: as large as the image
        if flavor.root_gb < image.min_disk:
            raise exception.FlavorDiskSmallerThanMinDisk(flavor_size=flavor.root_gb, image_min_disk=image.min_disk)
        size = max(image.size or 0, image.virtual_size or 0)
        if flavor.root_gb * GIB < size:
            raise exception.FlavorDiskSmallerThanImage(flavor_size=flavor.root_gb * GIB, image_size=size)


def auto_disk_config(order, image):
    """Whether the root partition is to grow with the disk: as ordered, else as the image says.

    :raises Invalid: the image forbids what was ordered
    """
    of_image = str(image.properties.get('auto_disk_config', 'true')).lower()
    if of_image == 'disabled' and order.auto_disk_config:
        raise exception.Invalid('Requested image %s has automatic disk resize disabled.' % image.id)
    if order.auto_disk_config is not None:
        return order.auto_disk_config
    return of_image in ('true', '1', 'yes', 'on')


def config_drive(order, image, force):
    """Whether the server gets a config drive: as ordered, or because image or configuration demand it."""
    return order.config_drive or force or image.properties.get('img_config_drive') == 'mandatory'


def split_zone(availability_zone):
    """(zone, host, node) of `zone`, `zone:host`, `zone:host:node` or `zone::node`; None for what is not there.

    :raises Invalid: more parts than these
    """
    parts = (availability_zone or '').split(':')
    if len(parts) > 3:
        raise exception.Invalid('Unable to parse availability_zone')
    zone, host, node = (parts + ['', ''])[:3]
    return zone or None, host or None, node or None


def check_at_rest(instance, action):
    """Labels are changed only while nothing else changes the instance. :raises InstanceInvalidState:"""
    for attr, state, fine in (('vm_state', instance.vm_state, instance.vm_state in AT_REST),
                              ('task_state', instance.task_state, instance.task_state is None)):
        if not fine:
            raise exception.InstanceInvalidState(method=action, instance_uuid=instance.uuid, attr=attr, state=state)


def check_state(instance, method, vm_states_allowed):
    """Whether an operation may begin now; the database checks again. :raises InstanceInvalidState:"""
    for attr, state, fine in (('vm_state', instance.vm_state, instance.vm_state in vm_states_allowed),
                              ('task_state', instance.task_state, instance.task_state is None)):
        if not fine:
            raise exception.InstanceInvalidState(method=method, instance_uuid=instance.uuid, attr=attr, state=state)


def check_unlocked(ctxt, instance):
    """:raises Conflict: it is locked, and the caller is no administrator"""
    if instance.locked and not ctxt.is_admin:
        raise exception.Conflict('Instance %s is locked' % instance.uuid)
