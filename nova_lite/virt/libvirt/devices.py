# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Devices of guests that exist: plugged in and taken out, in the running guest and in what it will be started from.

A guest may take its time to let go of a device, or not do it at all while it boots: a running one is asked again until
the hypervisor reports the device as gone. The functions that take a virConnect run in a real thread.
"""

import logging
import time
from xml.etree import ElementTree

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.virt.libvirt import connection as libvirt_door

LOG = logging.getLogger(__name__)

COPY_SECONDS, COPY_POLL = 6 * 3600, 0.5     # for the copy of a disk; a look at it


class Devices:
    """attempts, timeout: how often a guest is asked to let go of a device, and the seconds that it gets each time."""

    def __init__(self, connection, events, attempts, timeout):
        self._connection = connection
        self._attempts = attempts
        self._timeout = timeout
        self._locks = concurrency.NamedLocks()      # by guest
        self._waiting = {}      # (uuid, alias) → Event, sent when the device is gone or the guest refused
        events.listen_for_devices(self._on_event)

    def attach(self, uuid, find, document):
        """Plug in the device of an XML document. find(tree of a domain) → the device's element in it, None: not there.

        :raises InstanceNotFound, HypervisorError:
        """
        with self._locks.hold(uuid):
            self._connection.call('attach a device', _attach, uuid, find, document, instance_id=uuid)

    def detach(self, uuid, find):
        """Take the device out that find(tree of a domain) tells; one that is gone is fine.

        :raises InstanceNotFound; DeviceDetachFailed: the guest has it still
        """
        with self._locks.hold(uuid):
            self._connection.call('detach a device', _detach, uuid, find, True, instance_id=uuid)
            for _ in range(self._attempts):
                device = self._connection.call('look up a device', _running, uuid, find, instance_id=uuid)
                if device is None:
                    return
                self._ask(uuid, find, device)
            if self._connection.call('look up a device', _running, uuid, find, instance_id=uuid) is not None:
                raise exception.DeviceDetachFailed(device=_name(device), reason='the guest does not let go of it')

    def _ask(self, uuid, find, device):
        """Ask a running guest once to let go of a device, and wait for what comes of it."""
        key = uuid, _alias(device)
        gone = self._waiting[key] = concurrency.Event()
        try:
            with concurrency.deadline(self._timeout, _Late()):
                self._connection.call('detach a device', _detach, uuid, find, False, instance_id=uuid)
                if not gone.wait():
                    LOG.warning('Guest %s refused to let go of %s', uuid, _name(device))
                    gone.reset()
                    gone.wait()     # the rest of the time-out, so that the next try is a while after this one
        except _Late:
            LOG.info('Guest %s did not let go of %s within %d seconds', uuid, _name(device), self._timeout)
        except exception.HypervisorError as exc:        # so it is while an earlier request is pending
            LOG.info('Guest %s could not be asked to let go of %s: %s', uuid, _name(device), exc)
            concurrency.sleep(min(self._timeout, 1))
        finally:
            del self._waiting[key]

    def _on_event(self, event):
        waiting = self._waiting.get((event.uuid, event.alias))
        if waiting is not None and not waiting.ready():
            waiting.send(event.removed)

    def names(self, uuid):
        """{target name, …} of all disks of a guest, empty where the hypervisor does not know it."""
        try:
            return self._connection.call('look up a guest', _targets, uuid, instance_id=uuid)
        except exception.InstanceNotFound:
            return set()

    def copy(self, uuid, device, document):
        """Let a running guest go on with a copy of a disk, whose place the XML document of that tells.

        A place that is larger than the disk shows its whole size from the guest's next start on. A guest that has it
        already is left alone.
        :raises InstanceNotFound; HypervisorError: it failed, and the guest goes on with the disk that it had
        """
        with self._locks.hold(uuid):
            if self._connection.call('look up a guest', _runs_from, uuid, device, document, instance_id=uuid):
                return
            if not any(self._copy(uuid, device, document, sliced) for sliced in (False, True)):
                raise exception.HypervisorError('The hypervisor could not copy the disk.')

    def _copy(self, uuid, device, document, sliced):
        """Whether the guest goes on with the copy."""
        self._connection.call('copy a disk', _start_copy, uuid, device, document, sliced, instance_id=uuid)
        deadline, done = time.monotonic() + COPY_SECONDS, None
        try:
            while done is None and time.monotonic() < deadline:
                concurrency.sleep(COPY_POLL)
                done = self._connection.call('look at the copy of a disk', _copied, uuid, device, instance_id=uuid)
        finally:
            self._connection.call('end the copy of a disk', _end_copy, uuid, device, bool(done), instance_id=uuid)
        return done

    def resize(self, uuid, device, size):
        """Let a running guest see a disk's size in bytes; one that is off is fine. :raises HypervisorError:"""
        self._connection.call('resize a disk', _resize, uuid, device, size, instance_id=uuid)


class _Late(Exception):
    """The guest did not answer in time."""


def _alias(device):
    alias = device.find('alias')
    return alias.get('name') if alias is not None else None


def _name(device):
    target = device.find('target')
    return target.get('dev') if target is not None else device.tag


# ---- in a real thread ----------------------------------------------------------------------------------------

def _trees(domain):
    """[(flag, tree of the domain)…]: the running one, and what it will be started from."""
    found = []
    if domain.isActive():
        found.append((libvirt_door.LIVE, ElementTree.fromstring(domain.XMLDesc())))
    if domain.isPersistent():
        found.append((libvirt_door.CONFIG, ElementTree.fromstring(domain.XMLDesc(libvirt_door.XML_INACTIVE))))
    return found


def _attach(connection, uuid, find, document):
    domain = connection.lookupByUUIDString(uuid)
    for flag, tree in _trees(domain):
        if find(tree) is None:
            domain.attachDeviceFlags(document, flag)


def _running(connection, uuid, find):
    """The device's element in the running guest, None where it is not there or off."""
    domain = connection.lookupByUUIDString(uuid)
    return next((find(tree) for flag, tree in _trees(domain) if flag == libvirt_door.LIVE), None)


def _detach(connection, uuid, find, config):
    """From what the guest will be started from (`config`), or from the running guest."""
    domain = connection.lookupByUUIDString(uuid)
    for flag, tree in _trees(domain):
        device = find(tree)
        if device is not None and (flag == libvirt_door.CONFIG) == config:
            try:
                domain.detachDeviceFlags(ElementTree.tostring(device, encoding='unicode'), flag)
            except libvirt_door.Error as exc:
                if exc.get_error_code() != libvirt_door.DEVICE_MISSING:
                    raise


def _targets(connection, uuid):
    domain = connection.lookupByUUIDString(uuid)
    return {target.get('dev') for _, tree in _trees(domain) for target in tree.iterfind('devices/disk/target')}


def _runs_from(connection, uuid, device, document):
    """Whether a running guest's disk is where the XML document says."""
    tree = ElementTree.fromstring(connection.lookupByUUIDString(uuid).XMLDesc())
    found = tree.find("devices/disk/target[@dev='%s']/../source" % device)
    return found is not None and _place(found) == _place(ElementTree.fromstring(document).find('source'))


def _place(source):
    names = ('file', 'dev', 'protocol', 'name')
    return [source.get(name) for name in names] + [(host.get('name'), host.get('port'))
                                                   for host in source.iterfind('host')]


def _start_copy(connection, uuid, device, document, sliced):
    """sliced: show no more of the place than the disk has, for QEMU copies between equal sizes only."""
    domain = connection.lookupByUUIDString(uuid)
    if sliced:
        tree = ElementTree.fromstring(document)
        slices = ElementTree.SubElement(tree.find('source'), 'slices')
        ElementTree.SubElement(slices, 'slice', type='storage', offset='0', size=str(domain.blockInfo(device)[0]))
        document = ElementTree.tostring(tree, encoding='unicode')
    domain.blockCopy(device, document, flags=libvirt_door.COPY_FLAGS)


def _copied(connection, uuid, device):
    """True: all is copied; False: the copy ended by itself; None: it goes on."""
    found = connection.lookupByUUIDString(uuid).blockJobInfo(device)
    if not found:
        return False
    return True if found['cur'] == found['end'] and found['end'] else None


def _end_copy(connection, uuid, device, pivot):
    """Go on with the copy, or without it. libvirt also changes what the guest will be started from."""
    domain = connection.lookupByUUIDString(uuid)
    if domain.blockJobInfo(device):
        domain.blockJobAbort(device, libvirt_door.PIVOT if pivot else 0)


def _resize(connection, uuid, device, size):
    domain = connection.lookupByUUIDString(uuid)
    if domain.isActive():
        domain.blockResize(device, size, libvirt_door.RESIZE_BYTES)
