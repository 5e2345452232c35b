# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is done after the answer: filling, copying and removing the files of volumes and snapshots.

A record's `work` says what is under way (task: create, delete, upload or revert) and has all that it takes. So whoever
starts next does it again from the beginning, and a killed process leaves nothing half done. A status alone, which an
administrator may set at will, starts nothing.
"""

import logging

from nova_lite.standins import rest
from nova_lite.standins.cinder import files as file_module
from nova_lite.standins.cinder import images as image_module
from nova_lite.standins.cinder import qemu
from nova_lite.standins.cinder import records as record_module

LOG = logging.getLogger(__name__)

CREATE, DELETE, UPLOAD, REVERT = 'create', 'delete', 'upload', 'revert'
FAILED = 'The storage could not do it; the log of the volume service tells why.'
NO_BACKEND = 'schedule allocate volume:Could not find any available weighted backend.'
# What an image keeps of its record beside its properties, in the image metadata of a volume.
_IMAGE_FIELDS = ('container_format', 'disk_format', 'checksum', 'min_disk', 'min_ram', 'size')
_NOT_PROPERTIES = frozenset((
    'id', 'name', 'status', 'visibility', 'protected', 'owner', 'os_hidden', 'tags', 'members', 'self', 'file',
    'schema', 'created_at', 'updated_at', 'virtual_size', 'os_hash_algo', 'os_hash_value', 'direct_url', 'locations',
    'stores', *_IMAGE_FIELDS))


class Worker:
    """Submits jobs and does them. `service` tells whether the back end takes new volumes of a type."""

    def __init__(self, records, files, images, *, exports, jobs, service):
        self._records = records
        self._files = files
        self._images = images
        self._exports = exports
        self._jobs = jobs
        self._service = service

    def recover(self):
        """Go on with what an earlier process has begun; what is new first, for it may need what is to go."""
        records = self._records
        self._files.tidy({(kind, item['id']) for kind, collection in (
            ('volume', records.volumes), ('snapshot', records.snapshots)) for item in collection})
        begun = sorted((item for collection in (records.snapshots, records.volumes) for item in collection
                        if item['work']), key=lambda item: item['created_at'])
        for item in begun:
            if item['work']['task'] == CREATE:
                (self.create_snapshot if 'volume_id' in item else self.create_volume)(item, None)
            elif item['work']['task'] == UPLOAD:
                self.upload(item, None)
            elif item['work']['task'] == REVERT:
                self.revert(item, None)
        for collection, delete in ((records.snapshots, self.delete_snapshot), (records.volumes, self.delete_volume)):
            for item in collection:
                if _is_at(item, DELETE):
                    delete(item)
        for volume in records.volumes:
            if volume['status'] == 'available' and not self._files.there('volume', volume['id']):
                LOG.error('The file of volume %s is gone', volume['id'])
                with records.change() as change:
                    change.update(records.volumes, record_module.changed(volume, status='error'))

    def takes(self, kind):
        """Whether there is a back end for volumes of a type."""
        return self._service.takes(kind)

    def extend(self, volume_id, gigabytes):
        """Let a volume be larger, at once. 503: its file does not let it."""
        try:
            self._files.extend(volume_id, gigabytes)
        except OSError as error:
            LOG.error('Volume %s cannot be extended: %s', volume_id, error)
            raise rest.Fault(503, FAILED) from error

    def create_volume(self, volume, request_id):
        names = [volume['id'], volume['snapshot_id'], volume['source_volid']]
        self._jobs.submit([name for name in names if name], self._create_volume, volume['id'], request_id)

    def create_snapshot(self, snapshot, request_id):
        self._jobs.submit([snapshot['id'], snapshot['volume_id']], self._create_snapshot, snapshot['id'], request_id)

    def delete_volume(self, volume):
        self._jobs.submit([volume['id']], self._delete_volume, volume['id'])

    def delete_snapshot(self, snapshot):
        self._jobs.submit([snapshot['id'], snapshot['volume_id']], self._delete_snapshot, snapshot['id'])

    def upload(self, volume, request_id):
        self._jobs.submit([volume['id']], self._upload, volume['id'], request_id)

    def revert(self, volume, request_id):
        self._jobs.submit([volume['id'], volume['work']['snapshot_id']], self._revert, volume['id'], request_id)

    def _create_volume(self, identifier, request_id):
        volumes = self._records.volumes
        volume = self._begun(volumes, identifier, CREATE)
        if volume is None:
            return
        if not self.takes(self._records.types.by_id[volume['type_id']]):
            self._fail(volumes, volume, 'volume', NO_BACKEND, request_id)
            return
        found = self._attempt(volumes, volume, 'volume', request_id, self._fill)
        if found is not None:
            self._finish(volumes, identifier, CREATE, status='available', **found)

    def _fill(self, volume):
        """Make the file of a new volume; returns the fields of its record that its source tells."""
        identifier, size = volume['id'], volume['size']
        for kind, source, collection in (('snapshot', volume['snapshot_id'], self._records.snapshots),
                                         ('volume', volume['source_volid'], self._records.volumes)):
            if source:
                original = collection.by_id.get(source)
                if original is None:
                    raise file_module.Unusable('The %s that the volume was to be made from is gone.' % kind)
                self._files.copy((kind, source), ('volume', identifier), size)
                return {'bootable': original['bootable'], 'image_metadata': original['image_metadata']}
        image_id = volume['work'].get('image_id')
        if image_id is None:
            self._files.create('volume', identifier, size)
            return {}
        with self._records.change() as change:
            volume = self._records.volumes.by_id[identifier]
            if volume['status'] == 'creating':
                change.update(self._records.volumes, record_module.changed(volume, status='downloading'))
        image, pieces = self._images.read(image_id)
        self._files.write_image(identifier, image, pieces, size)
        return {'bootable': True, 'image_metadata': image_metadata(image)}

    def _create_snapshot(self, identifier, request_id):
        snapshots = self._records.snapshots
        snapshot = self._begun(snapshots, identifier, CREATE)
        if snapshot is None:
            return
        done = self._attempt(snapshots, snapshot, 'snapshot', request_id, lambda snapshot: self._files.copy(
            ('volume', snapshot['volume_id']), ('snapshot', identifier), snapshot['size']) or True)
        if done:
            self._finish(snapshots, identifier, CREATE, status='available')

    def _revert(self, identifier, request_id):
        volumes, snapshots = self._records.volumes, self._records.snapshots
        volume = self._begun(volumes, identifier, REVERT)
        if volume is None:
            return
        snapshot_id = volume['work']['snapshot_id']
        done = self._attempt(volumes, volume, 'volume', request_id, lambda volume: self._files.copy(
            ('snapshot', snapshot_id), ('volume', identifier), volume['size']) or True)
        with self._records.change() as change:
            snapshot = snapshots.by_id.get(snapshot_id)
            if snapshot is not None and snapshot['status'] == 'restoring':
                change.update(snapshots, record_module.changed(snapshot, status='available'))
        if done:
            self._finish(volumes, identifier, REVERT, status='available')

    def _delete_volume(self, identifier):
        volume = self._begun(self._records.volumes, identifier, DELETE)
        if volume is None:
            return
        if self._records.snapshots_of(identifier):  # one of those that were to go first did not
            self._finish(self._records.volumes, identifier, DELETE, status='error_deleting')
            return
        with self._exports.lock(identifier):
            self._remove(self._records.volumes, 'volume', identifier)

    def _delete_snapshot(self, identifier):
        if self._begun(self._records.snapshots, identifier, DELETE) is not None:
            self._remove(self._records.snapshots, 'snapshot', identifier)

    def _remove(self, collection, kind, identifier):
        """Remove the file, then the record."""
        try:
            if kind == 'volume':
                self._exports.settle(identifier, wanted=False)
            self._files.remove(kind, identifier)
        except OSError as error:
            LOG.error('The file of %s %s cannot be removed: %s', kind, identifier, error)
            self._finish(collection, identifier, DELETE, status='error_deleting')
            return
        with self._records.change() as change:
            change.delete(collection, collection.by_id[identifier])

    def _upload(self, identifier, request_id):
        volumes = self._records.volumes
        volume = self._begun(volumes, identifier, UPLOAD)
        if volume is None:
            return
        text = self._try(lambda: self._send(volume), volume)
        if text:
            self._images.delete(volume['work']['image_id'])
        with self._records.change() as change:
            now = volumes.by_id.get(identifier)
            if _is_at(now, UPLOAD):
                change.update(volumes, record_module.changed(now, status=volume['work']['status'], work=None))
                if text:
                    self._records.tell(change, now, 'volume', text, request_id)

    def _send(self, volume):
        work = volume['work']
        with self._files.image_of(volume['id'], work['disk_format'], volume['size']) as path:
            try:
                self._images.fill(work['image_id'], path)
            except image_module.Gone as gone:
                LOG.info('Volume %s was not uploaded to image %s: %s', volume['id'], work['image_id'], gone)

    def _begun(self, collection, identifier, task):
        """The record while that task is under way, else None. Waits for a change that is being written."""
        with self._records.change():
            document = collection.by_id.get(identifier)
        return document if _is_at(document, task) else None

    def _finish(self, collection, identifier, task, **fields):
        """End a task that nobody has called off meanwhile."""
        with self._records.change() as change:
            document = collection.by_id.get(identifier)
            if _is_at(document, task):
                change.update(collection, record_module.changed(document, work=None, **fields))

    def _attempt(self, collection, document, kind, request_id, work):
        """What `work(document)` returns; None when it failed, and the record says so then."""
        result = []
        text = self._try(lambda: result.append(work(document)), document)
        if text is None:
            return result[0]
        self._fail(collection, document, kind, text, request_id)
        return None

    def _fail(self, collection, document, kind, text, request_id):
        with self._records.change() as change:
            now = collection.by_id.get(document['id'])
            if _is_at(now, document['work']['task']):
                change.update(collection, record_module.changed(now, status='error', work=None))
                self._records.tell(change, now, kind, text, request_id)

    def _try(self, work, document):
        """None when the work was done, else what to tell the user."""
        try:
            work()
        except (file_module.Unusable, image_module.Gone) as error:
            return str(error)
        except rest.Fault as fault:
            LOG.error('The work on %s failed: %s', document['id'], fault)
            return fault.message
        except (OSError, qemu.QemuError) as error:
            LOG.error('The work on %s failed: %s', document['id'], error)
            return FAILED
        except Exception:
            LOG.exception('The work on %s failed', document['id'])
            return 'The volume service met an unexpected error; its log tells more.'
        return None


def _is_at(document, task):
    return document is not None and document['work'] is not None and document['work']['task'] == task


def image_metadata(image):
    """What a volume keeps of the image that it was made from: texts by name."""
    kept = {name: value for name, value in image.items()
            if name not in _NOT_PROPERTIES and not name.startswith('os_glance') and isinstance(value, str)}
    kept.update((name, str(image[name])) for name in _IMAGE_FIELDS if image.get(name) is not None)
    return {**kept, 'image_id': image['id'], 'image_name': image['name'] or '', 'signature_verified': 'False'}
