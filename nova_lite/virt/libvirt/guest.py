# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Domains: what is done to one, and which ones are ours.

The functions that take a virConnect run in a real thread (see connection.py).
"""

import dataclasses
from xml.etree import ElementTree

from nova_lite import concurrency
from nova_lite.virt.libvirt import connection as libvirt_door
from nova_lite.virt.libvirt.domain import metadata


@dataclasses.dataclass(frozen=True)
class State:
    """`power_state` is one of compute/power_state.py; `internal_id` is libvirt's number of a running domain."""

    name: str
    power_state: int
    internal_id: int | None


class Guests:
    """The domains of one host, by the uuids of their instances. `instances_path` tells ours from another cloud's."""

    def __init__(self, connection, instances_path):
        self._connection = connection
        self._instances_path = instances_path.rstrip('/') + '/'
        self._locks = concurrency.NamedLocks()

    def free_name(self, instance):
        """The instance's name, or one with its uuid behind where another cloud of this host took that one."""
        taken = self._connection.call('look up a guest', _uuid_of_name, instance.name)
        return instance.name if taken in (None, instance.uuid) else '%s-%s' % (instance.name, instance.uuid[:8])

    def start(self, uuid, document):
        """Define and start a domain from its XML. :raises HypervisorError:

        libvirt cannot be stopped half-way. A caller that is interrupted goes on at once, and :meth:`remove` waits.
        """
        concurrency.spawn(self._alone, uuid, 'start the guest', _start, document).wait()

    def state(self, uuid):
        """The State of a domain. :raises InstanceNotFound: libvirt does not know it."""
        return self._connection.call('look up a guest', _state, uuid, instance_id=uuid)

    def remove(self, uuid):
        """Stop a domain at once and forget it; one that is gone is fine."""
        self._alone(uuid, 'remove the guest', _remove, uuid)

    def _alone(self, uuid, operation, function, argument):
        with self._locks.hold(uuid):
            self._connection.call(operation, function, argument)

    def ours(self):
        """uuids of the domains that this cloud made here."""
        return self._connection.call('list its guests', _owned, self._instances_path)


def _lookup(connection, uuid):
    try:
        return connection.lookupByUUIDString(uuid)
    except libvirt_door.Error as exc:
        if exc.get_error_code() == libvirt_door.NO_DOMAIN:
            return None
        raise


def _uuid_of_name(connection, name):
    try:
        return connection.lookupByName(name).UUIDString()
    except libvirt_door.Error as exc:
        if exc.get_error_code() == libvirt_door.NO_DOMAIN:
            return None
        raise


def _start(connection, document):
    connection.defineXML(document).create()


def _state(connection, uuid):
    domain = connection.lookupByUUIDString(uuid)
    number = domain.ID()
    return State(domain.name(), libvirt_door.POWER_STATES[domain.state()[0]], number if number >= 0 else None)


def _remove(connection, uuid):
    domain = _lookup(connection, uuid)
    if domain is None:
        return
    try:
        if domain.isActive():
            domain.destroy()
    except libvirt_door.Error as exc:
        if exc.get_error_code() not in (libvirt_door.NOT_RUNNING, libvirt_door.NO_DOMAIN):
            raise
    try:
        _undefine(domain)
    except libvirt_door.Error as exc:
        if exc.get_error_code() != libvirt_door.NO_DOMAIN:      # a transient domain ends with its guest
            raise


def _undefine(domain):
    """With all that libvirt itself keeps of it, where this kind of hypervisor has such things at all."""
    try:
        domain.undefineFlags(libvirt_door.UNDEFINE_FLAGS)
    except libvirt_door.Error as exc:
        if exc.get_error_code() != libvirt_door.UNSUPPORTED_FLAGS:
            raise
        domain.undefine()


def _owned(connection, instances_path):
    found = []
    for domain in connection.listAllDomains():
        try:
            tree = ElementTree.fromstring(domain.XMLDesc())
        except libvirt_door.Error as exc:
            if exc.get_error_code() == libvirt_door.NO_DOMAIN:      # it ended after the list was made
                continue
            raise
        if tree.find('metadata/' + metadata.tag('instance')) is not None and _in(tree, instances_path):
            found.append(domain.UUIDString())
    return found


def _in(tree, instances_path):
    """Whether a domain's console log or a disk lies under a directory."""
    paths = [element.get('file', '') for element in (*tree.iter('log'), *tree.iter('source'))]
    return any(path.startswith(instances_path) for path in paths)
