# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Domains: what is done to one, and which ones are ours.

The functions that take a virConnect run in a real thread (see connection.py).
"""

import dataclasses
from xml.etree import ElementTree

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.virt import images
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
        """The name that its domain has; before there is one, the instance's own, or one with its uuid behind where
        another cloud of this host took that one."""
        own, taken = self._connection.call('look up a guest', _names, instance.uuid, instance.name)
        return own or ('%s-%s' % (instance.name, instance.uuid[:8]) if taken else instance.name)

    def start(self, uuid, document):
        """Define and start a domain from its XML; memory that was saved of it is dropped. :raises HypervisorError:"""
        self._whole(uuid, 'start the guest', _start, document)

    def define(self, uuid, document):
        """Define a domain that does not run from its XML."""
        self._whole(uuid, 'define the guest', _define, document)

    def state(self, uuid):
        """The State of a domain. :raises InstanceNotFound: libvirt does not know it."""
        return self._connection.call('look up a guest', _state, uuid, instance_id=uuid)

    def is_active(self, uuid):
        """Whether a guest runs or is paused; False for one that libvirt does not know."""
        return self._connection.call('look up a guest', _is_active, uuid)

    def ask_to_shut_down(self, uuid):
        """Press the power button of a guest that runs."""
        self._whole(uuid, 'shut down the guest', _ask_to_shut_down, uuid)

    def stop(self, uuid):
        """Stop a domain at once; one that does not run, or is gone, is fine."""
        self._whole(uuid, 'stop the guest', _stop, uuid)

    def pause(self, uuid, paused):
        """Stop the processors of a guest, or let them go on.

        :raises InstanceNotFound: libvirt does not know it; InstanceNotRunning: it is off.
        """
        self._need_active(uuid, self._whole(uuid, 'pause the guest' if paused else 'unpause the guest',
                                            _pause, uuid, paused))

    def save(self, uuid):
        """Write a guest's memory to the host's disk, and stop it; one that is saved already is fine.

        :raises: as pause, and DiskFull; the guest runs on then
        """
        try:
            self._need_active(uuid, self._whole(uuid, 'suspend the guest', _save, uuid))
        except exception.HypervisorError as exc:
            if images.NO_SPACE in str(exc.__cause__):
                raise exception.DiskFull(what='the memory of the instance') from exc
            raise

    def restore(self, uuid):
        """Let a saved guest go on. :returns: False when nothing of it is saved and it does not run."""
        return self._whole(uuid, 'resume the guest', _restore, uuid)

    def live_xml(self, uuid):
        """The XML tree of a guest that runs. :raises InstanceNotFound, InstanceNotRunning:"""
        document = self._connection.call('look at the guest', _live_xml, uuid, instance_id=uuid)
        self._need_active(uuid, document is not None)
        return ElementTree.fromstring(document)

    def remove(self, uuid):
        """Stop a domain at once and forget it; one that is gone is fine."""
        self._alone(uuid, 'remove the guest', _remove, uuid)

    def _need_active(self, uuid, active):
        if not active:
            raise exception.InstanceNotRunning(instance_id=uuid)

    def _whole(self, uuid, operation, function, *arguments):
        """libvirt cannot be stopped half-way. A caller that is interrupted goes on at once, and :meth:`remove`, like
        all that changes the same domain, waits."""
        return concurrency.spawn(self._alone, uuid, operation, function, *arguments).wait()

    def _alone(self, uuid, operation, function, *arguments):
        with self._locks.hold(uuid):
            return self._connection.call(operation, function, *arguments, instance_id=uuid)

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


def _names(connection, uuid, name):
    """(the name of the domain with that uuid, the uuid of the domain with that name), None where there is none."""
    own = _lookup(connection, uuid)
    try:
        return own and own.name(), connection.lookupByName(name).UUIDString()
    except libvirt_door.Error as exc:
        if exc.get_error_code() == libvirt_door.NO_DOMAIN:
            return own and own.name(), None
        raise


def _define(connection, document):
    domain = connection.defineXML(document)
    if domain.hasManagedSaveImage():
        domain.managedSaveRemove()
    return domain


def _start(connection, document):
    _define(connection, document).create()


def _is_active(connection, uuid):
    domain = _lookup(connection, uuid)
    return domain is not None and bool(domain.isActive())


def _ask_to_shut_down(connection, uuid):
    _unless_stopped(lambda domain: domain.shutdown(), _lookup(connection, uuid))


def _stop(connection, uuid):
    _unless_stopped(lambda domain: domain.destroy(), _lookup(connection, uuid))


def _unless_stopped(act, domain):
    """Do something to a domain (None: there is none) that runs; it may stop at any moment."""
    try:
        if domain is not None and domain.isActive():
            act(domain)
    except libvirt_door.Error as exc:
        if exc.get_error_code() not in (libvirt_door.NOT_RUNNING, libvirt_door.NO_DOMAIN):
            raise


def _pause(connection, uuid, paused):
    domain = connection.lookupByUUIDString(uuid)
    if not domain.isActive():
        return False
    if paused != (domain.state()[0] == libvirt_door.PAUSED):
        if paused:
            domain.suspend()
        else:
            domain.resume()
    return True


def _save(connection, uuid):
    domain = connection.lookupByUUIDString(uuid)
    if domain.isActive():
        domain.managedSave()
        return True
    return bool(domain.hasManagedSaveImage())


def _restore(connection, uuid):
    domain = _lookup(connection, uuid)
    if domain is None:
        return False
    if domain.isActive():
        if domain.state()[0] == libvirt_door.PAUSED:
            domain.resume()
        return True
    if not domain.hasManagedSaveImage():
        return False
    domain.create()
    return True


def _live_xml(connection, uuid):
    domain = connection.lookupByUUIDString(uuid)
    return domain.XMLDesc() if domain.isActive() else None


def _state(connection, uuid):
    domain = connection.lookupByUUIDString(uuid)
    number = domain.ID()
    return State(domain.name(), libvirt_door.POWER_STATES[domain.state()[0]], number if number >= 0 else None)


def _remove(connection, uuid):
    domain = _lookup(connection, uuid)
    if domain is None:
        return
    _unless_stopped(lambda running: running.destroy(), domain)
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
