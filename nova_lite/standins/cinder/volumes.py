# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`volumes`: create, list, show, update, delete, and the summary of them."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import exports
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import files
from nova_lite.standins.cinder import listing
from nova_lite.standins.cinder import qemu
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas
from nova_lite.standins.cinder import types as type_module
from nova_lite.standins.cinder import worker as work

ZONE = 'nova'
LIST = listing.Kind(
    'volume', 'volumes', 'volumes_links',
    sort_keys=('name', 'size', 'status', 'updated_at', 'availability_zone', 'bootable', 'user_id', 'description'),
    filters=('name', 'status', 'metadata', 'bootable', 'migration_status', 'availability_zone', 'group_id', 'size',
             'created_at', 'updated_at', 'consumes_quota', 'glance_metadata'))
DELETABLE = ('available', 'error', 'error_restoring', 'error_extending', 'error_managing')
SOURCES = ('snapshot_id', 'source_volid', 'imageRef')
_TYPE = {'type': ['string', 'null'], 'maxLength': 255}
_CREATE = rest.schema({'type': 'object', 'required': ['volume'], 'properties': {'volume': {
    'type': 'object', 'properties': {
        'size': {**schemas.SIZE, 'type': ['integer', 'string', 'null']}, 'name': schemas.TEXT,
        'display_name': schemas.TEXT, 'description': schemas.TEXT, 'display_description': schemas.TEXT,
        'volume_type': _TYPE, 'availability_zone': schemas.TEXT, 'metadata': {'anyOf': [
            {'type': 'null'}, schemas.METADATA]},
        'snapshot_id': schemas.OPTIONAL_UUID, 'source_volid': schemas.OPTIONAL_UUID,
        'imageRef': {'type': ['string', 'null'], 'maxLength': 2048},
        'image_id': schemas.OPTIONAL_UUID, 'consistencygroup_id': schemas.OPTIONAL_UUID,
        'group_id': schemas.OPTIONAL_UUID, 'multiattach': {**schemas.BOOLEAN, 'enum': [None, *schemas.TRUE,
                                                                                      *schemas.FALSE]},
    }}}})
_UPDATE = schemas.wrapped('volume', {
    'name': schemas.TEXT, 'display_name': schemas.TEXT, 'description': schemas.TEXT,
    'display_description': schemas.TEXT, 'metadata': schemas.METADATA})


class Volumes:
    def __init__(self, records, views, worker, *, types, quotas, images):
        self._records = records
        self._views = views
        self._worker = worker
        self._types = types
        self._quotas = quotas
        self._images = images

    def routes(self):
        one = '/volumes/{volume_id}'
        return [
            ('GET', '/volumes', self.list), ('GET', '/volumes/detail', self.detail), ('POST', '/volumes', self.create),
            ('GET', '/volumes/summary', self.summary, 12), ('GET', one, self.show), ('PUT', one, self.update),
            ('DELETE', one, self.delete), ('GET', one + '/encryption', self.encryption),
            ('GET', one + '/encryption/{key}', self.encryption_key)]

    def list(self, request):
        return listing.select(request, LIST, listing.in_view(request, self._records.volumes),
                              lambda volume: self._views.volume_summary(request, volume))

    def detail(self, request):
        return listing.select(request, LIST, listing.in_view(request, self._records.volumes),
                              self._views.volumes(request))

    def show(self, request, volume_id):
        return {'volume': self._views.volume(request, self._records.volume(request.identity, volume_id))}

    def summary(self, request):
        found = listing.in_view(request, self._records.volumes)
        answer = {'total_count': len(found), 'total_size': sum(volume['size'] for volume in found)}
        if request.version >= 36:
            metadata = {}
            for volume in found:
                for key, value in volume['metadata'].items():
                    values = metadata.setdefault(key, [])
                    if value not in values:
                        values.append(value)
            answer['metadata'] = metadata
        return {'volume-summary': answer}

    def create(self, request):
        who = request.identity
        access.require_member(who, 'volume:create')
        project_id = access.require_project(who)
        body = schemas.read(request, _CREATE)['volume']
        if not body:
            raise faults.bad('The server could not comply with the request since it is either malformed or otherwise '
                             'incorrect.')
        _refuse_unserved(body)
        image = self._image(request, body)
        with self._records.change() as change:
            volume = self._new(who, project_id, body, image)
            kind = self._kind(who, body, volume, image)
            volume.update(type_id=kind['id'], multiattach=type_module.multiattach(kind))
            self._quotas.require_volume(project_id, kind, volume['size'])
            change.insert(self._records.volumes, volume)
        self._worker.create_volume(volume, request.id)
        return rest.Reply(202, {'volume': self._views.written(request, volume)})

    def _image(self, request, body):
        """The record of the image that a volume is to be made from, None when it is to be made from none."""
        reference = body.get('imageRef') or body.get('image_id')
        if not reference:
            return None
        image = self._images.show(reference.rpartition('/')[2], request.header('X-Auth-Token'))
        if image['status'] != 'active':
            raise faults.invalid_input('Image %s is not active.' % image['id'])
        disk_format = image.get('disk_format')
        if (disk_format not in files.AS_THEY_ARE and disk_format not in qemu.FORMATS) or \
                image.get('container_format') not in ('bare', 'ami', None):
            raise faults.invalid_input('Image %s has the formats %s and %s, from which no volume can be made.' % (
                image['id'], disk_format, image.get('container_format')))
        return image

    def _new(self, who, project_id, body, image):
        """The document of a new volume, but for its type; 400 for a size that its source does not fit in."""
        snapshot = self._records.snapshot(who, body['snapshot_id']) if body.get('snapshot_id') else None
        source = self._records.volume(who, body['source_volid']) if body.get('source_volid') else None
        if snapshot is not None and snapshot['status'] != 'available':
            raise faults.bad('Invalid snapshot: Originating snapshot status must be one of available values')
        if source is not None and source['status'] not in ('available', 'in-use'):
            raise faults.invalid_volume('Unable to create a volume from an originating source volume when its status '
                                        'is not one of available, in-use values')
        size = _size(body.get('size'), snapshot, source)
        _require_room(size, snapshot, source, image)
        zone = body.get('availability_zone') or ZONE
        if zone != ZONE:
            raise faults.bad("Availability zone '%s' is invalid." % zone)
        return {
            'id': record_module.new_id(), 'project_id': project_id, 'user_id': who.user_id,
            'name': _stripped(body.get('name', body.get('display_name'))),
            'description': _stripped(body.get('description', body.get('display_description'))), 'size': size,
            'status': 'creating', 'availability_zone': zone, 'metadata': body.get('metadata') or {},
            'readonly': None, 'bootable': False, 'image_metadata': {},
            'snapshot_id': snapshot['id'] if snapshot else None, 'source_volid': source['id'] if source else None,
            'work': {'task': work.CREATE, 'image_id': image['id'] if image else None},
            'created_at': record_module.now(), 'updated_at': None, **exports.empty_connections()}

    def _kind(self, who, body, volume, image):
        """The type that is asked for, else that of the source, else the default one."""
        named = body.get('volume_type') or (image or {}).get('cinder_img_volume_type')
        if named:
            return self._types.named(who, named)
        source = (self._records.snapshots.by_id.get(volume['snapshot_id'])
                  or self._records.volumes.by_id.get(volume['source_volid']))
        return self._records.types.by_id[source['type_id']] if source else self._types.default(who)

    def update(self, request, volume_id):
        access.require_member(request.identity, 'volume:update')
        body = schemas.read(request, _UPDATE)['volume']
        for old, new in listing.Kind.renamed:
            if old in body:
                body.setdefault(new, body.pop(old))
        for name in ('name', 'description'):
            if name in body:
                body[name] = _stripped(body[name])
        with self._records.change() as change:
            volume = self._records.volume(request.identity, volume_id)
            if body:
                volume = record_module.changed(volume, **body)
                change.update(self._records.volumes, volume)
        return {'volume': self._views.written(request, volume)}

    def delete(self, request, volume_id):
        access.require_member(request.identity, 'volume:delete')
        cascade = schemas.argument(request, 'cascade')
        force = request.version >= 23 and schemas.argument(request, 'force')
        if force:
            access.require_admin(request.identity, 'volume:force_delete')
        self.remove(request.identity, volume_id, cascade=cascade, force=force)
        return rest.Reply(202)

    def remove(self, who, volume_id, *, cascade=False, force=False):
        """Let a volume go; 400 while something still needs it."""
        with self._records.change() as change:
            volume = self._records.volume(who, volume_id)
            snapshots = self._records.snapshots_of(volume_id)
            free = force or volume['status'] in DELETABLE
            if not free or self._records.attachments_of(volume_id) or volume['connections']:
                raise _in_the_way(force)
            if snapshots and not (cascade and all(
                    snapshot['status'] in ('available', 'error', 'error_deleting') for snapshot in snapshots)):
                raise _in_the_way(force)
            for transfer in self._records.transfers:
                if transfer['volume_id'] == volume_id:
                    change.delete(self._records.transfers, transfer)
            for snapshot in snapshots:
                change.update(self._records.snapshots, record_module.changed(
                    snapshot, status='deleting', work={'task': work.DELETE}))
            change.update(self._records.volumes, record_module.changed(
                volume, status='deleting', work={'task': work.DELETE}))
        for snapshot in snapshots:
            self._worker.delete_snapshot(snapshot)
        self._worker.delete_volume(volume)

    def encryption(self, request, volume_id):
        """Volumes are never encrypted."""
        self._records.volume(request.identity, volume_id)
        return {'encryption_key_id': None}

    def encryption_key(self, request, volume_id, key):
        self._records.volume(request.identity, volume_id)
        if key != 'encryption_key_id':
            raise rest.Fault(404, 'Volume encryption has no key %s.' % key[:64])
        return rest.Reply(200, b'', [('Content-Type', 'text/plain')])


def _refuse_unserved(body):
    if schemas.flag(body.get('multiattach')):
        raise faults.bad('multiattach parameter has been removed. The default behavior is to use multiattach enabled '
                         'volume types. Contact your administrator to create a multiattach enabled volume type and '
                         'use it to create multiattach volumes.')
    for name in ('consistencygroup_id', 'group_id'):
        if body.get(name):
            raise rest.Fault(404, 'Group %s could not be found.' % body[name])
    if len([name for name in SOURCES if body.get(name)]) > 1:
        raise faults.bad('A volume can be made from one thing only: a snapshot, a volume or an image.')


def _size(asked, snapshot, source):
    """Gigabytes of a new volume: what is asked for, else as much as its source has."""
    if asked is None:
        if snapshot is None and source is None:
            raise faults.invalid_input("Volume size 'None' must be an integer and greater than 0")
        return (snapshot or source)['size']
    if not 1 <= int(asked) <= schemas.SIZE['maximum']:
        raise faults.invalid_input("Volume size '%s' must be an integer and greater than 0" % asked)
    return int(asked)


def _require_room(size, snapshot, source, image):
    if snapshot is not None and size < snapshot['size']:
        raise faults.invalid_input("Volume size '%d'GB cannot be smaller than the snapshot size %dGB. They must be >= "
                                   'original snapshot size.' % (size, snapshot['size']))
    if source is not None and size < source['size']:
        raise faults.invalid_input("Volume size '%d'GB cannot be smaller than original volume size  %dGB. They must "
                                   'be >= original volume size.' % (size, source['size']))
    if image is not None:
        needed = -(-max(image.get('size') or 0, image.get('virtual_size') or 0) // files.GIGABYTE)
        if needed > size:
            raise faults.invalid_input('Size of specified image %dGB is larger than volume size %dGB.'
                                       % (needed, size))
        if (image.get('min_disk') or 0) > size:
            raise faults.invalid_input('Volume size %dGB cannot be smaller than the image minDisk size %dGB.'
                                       % (size, image['min_disk']))


def _stripped(text):
    return text.strip() if text else text


def _in_the_way(force):
    return faults.invalid_volume(
        'Volume status must be %sand must not be migrating, attached, belong to a group, have snapshots, awaiting a '
        'transfer, or be disassociated from snapshots after volume transfer.'
        % ('' if force else 'available or error or error_restoring or error_extending or error_managing '))
