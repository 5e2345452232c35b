# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Copies a guest's root disk to a file that stands for itself.

Of a guest that runs, QEMU copies the disk as it was at one moment, while the guest writes on. Of one that does not,
qemu-img does. Each copy has a directory of its own in the guest's, so that whatever a crash leaves goes with the guest.
"""

import contextlib
import dataclasses
import glob
import logging
import os
import shutil
import tempfile
from xml.etree import ElementTree

from oslo_utils import strutils

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.virt import abilities
from nova_lite.virt import images
from nova_lite.virt.libvirt import agent
from nova_lite.virt.libvirt import connection as libvirt_door
from nova_lite.virt.libvirt import imagebackend
from nova_lite.virt.libvirt.domain import elements

LOG = logging.getLogger(__name__)

PREFIX = 'snapshot-'
ROOT_NAME = 'disk'
FORMATS = ('qcow2', 'raw')
POLL_SECONDS = 0.3


@dataclasses.dataclass(frozen=True)
class _Copy:
    """From the disk `source` in the format `kind`, as recorded, to `target`; `quiet`: by the guest's agent."""

    uuid: str
    source: str
    kind: str
    target: str
    target_kind: str
    quiet: bool
    must_be_quiet: bool


class Snapshots:
    """Makes the copies. `settings` are the driver's, `access` lets QEMU pass into the directory of a copy."""

    def __init__(self, connection, settings, access):
        self._connection = connection
        self._settings = settings
        self._access = access

    @contextlib.contextmanager
    def take(self, instance, has_agent, extract):
        """See abilities.Snapshots; `has_agent`: whether the guest has an agent."""
        directory = self._settings.instance_path(instance.uuid)
        kind = imagebackend.read_info(directory).get(os.path.join(directory, ROOT_NAME))
        extract = extract or kind
        if kind is None or extract not in FORMATS or instance.image_meta.disk_format == 'iso':
            raise exception.SnapshotNotPossible(instance_id=instance.uuid, reason=_reason(kind, extract))
        self.clean_up(instance.uuid)
        scratch = tempfile.mkdtemp(prefix=PREFIX, dir=directory)
        try:
            self._access.make_directory(scratch)
            target = os.path.join(scratch, 'copy')
            quiet = strutils.bool_from_string(instance.image_meta.property('os_require_quiesce', False))
            self._copy(_Copy(instance.uuid, os.path.join(directory, ROOT_NAME), kind, target, extract, has_agent,
                             must_be_quiet=has_agent and quiet))
            yield abilities.Snapshot(target, extract)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def clean_up(self, uuid):
        """End a copy that was under way when this service was killed: the guest must not stay frozen."""
        directory = self._settings.instance_path(uuid)
        left = glob.glob(os.path.join(glob.escape(directory), PREFIX + '*'))
        if left:
            self._connection.call('look at the guest', _release, uuid)
        for path in left:
            shutil.rmtree(path, ignore_errors=True)

    def _copy(self, copy):
        found = self._connection.call('look at the guest\'s disk', _find, copy.uuid, copy.source)
        if found is None:
            size = images.info(copy.source, copy.kind)['virtual-size']
            images.convert(copy.source, copy.kind, copy.target, copy.target_kind, size)
            return
        device, size = found
        images.create(copy.target, copy.target_kind, size)
        self._begin(copy, device)
        try:
            while not self._connection.call('copy the guest\'s disk', _is_done, copy.uuid):
                concurrency.sleep(POLL_SECONDS)
        except BaseException:
            with contextlib.suppress(exception.HypervisorError):
                self._connection.call('stop the copy of a disk', _abort, copy.uuid)
            raise
        self._check_end(copy)

    def _begin(self, copy, device):
        """Start the copy, of file systems in good order where the guest has an agent that brings them there."""
        frozen = copy.quiet and self._freeze(copy)
        try:
            self._connection.call('begin to copy the guest\'s disk', _begin, copy.uuid, _document(copy, device))
        finally:
            if frozen:
                self._connection.call('let the guest write again', _thaw, copy.uuid)

    def _freeze(self, copy):
        try:
            self._connection.call('have the guest hold its file systems', _freeze, copy.uuid)
            return True
        except exception.HypervisorError as exc:
            if copy.must_be_quiet:
                raise exception.GuestAgentError(instance_id=copy.uuid, operation='hold the file systems') from exc
            LOG.warning('The agent of guest %s did not hold its file systems: they are copied as they are', copy.uuid)
            return False

    def _check_end(self, copy):
        error = self._connection.call('copy the guest\'s disk', _error, copy.uuid)
        if error is None:
            return
        LOG.error('The copy of a disk of guest %s ended with: %s', copy.uuid, error)
        if images.NO_SPACE in error:
            raise exception.DiskFull(what='a copy of the disk')
        raise exception.HypervisorError('The hypervisor could not copy the guest\'s disk.')


def _reason(kind, extract):
    if kind is None:
        return 'it has no root disk on its host'
    return 'its root disk is a CD-ROM' if extract in FORMATS else 'there are no copies in the format %s' % extract


def _document(copy, device):
    """What libvirt wants to be told of the copy of one disk."""
    top = ElementTree.Element('domainbackup')
    disk = elements.add(elements.add(top, 'disks'), 'disk', name=device, backup='yes', type='file')
    elements.add(disk, 'driver', type=copy.target_kind)
    elements.add(disk, 'target', file=copy.target)
    return ElementTree.tostring(top, encoding='unicode')


# ---- in a real thread ----------------------------------------------------------------------------------------

def _find(connection, uuid, path):
    """(name, size in bytes) of the disk of a guest that runs; None when none does."""
    try:
        domain = connection.lookupByUUIDString(uuid)
        if not domain.isActive():
            return None
        for disk in ElementTree.fromstring(domain.XMLDesc()).iter('disk'):
            if disk.find('source') is not None and disk.find('source').get('file') == path:
                return disk.find('target').get('dev'), domain.blockInfo(path)[0]
        return None
    except libvirt_door.Error as exc:
        if exc.get_error_code() in (libvirt_door.NO_DOMAIN, libvirt_door.NOT_RUNNING):
            return None
        raise


def _begin(connection, uuid, document):
    connection.lookupByUUIDString(uuid).backupBegin(document, None, libvirt_door.BACKUP_INTO_FILE)


def _is_done(connection, uuid):
    return connection.lookupByUUIDString(uuid).jobStats()['type'] == libvirt_door.NO_JOB


def _error(connection, uuid):
    """Why the last job of a guest failed; None: it did not."""
    told = connection.lookupByUUIDString(uuid).jobStats(libvirt_door.FINISHED_JOB)
    return None if told['type'] == libvirt_door.JOB_DONE else told.get('errmsg') or 'job type %s' % told['type']


def _abort(connection, uuid):
    try:
        connection.lookupByUUIDString(uuid).abortJob()
    except libvirt_door.Error as exc:
        if exc.get_error_code() not in (libvirt_door.NO_DOMAIN, libvirt_door.NOT_RUNNING):
            raise


def _release(connection, uuid):
    """Whatever of it is needed: one that has no agent, or no job, needs nothing."""
    for undo in (_abort, _thaw):
        with contextlib.suppress(libvirt_door.Error):
            undo(connection, uuid)


def _freeze(connection, uuid):
    domain = connection.lookupByUUIDString(uuid)
    agent.limit(domain)
    domain.fsFreeze()


def _thaw(connection, uuid):
    connection.lookupByUUIDString(uuid).fsThaw()
