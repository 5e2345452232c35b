# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The actions that have to do with images: making one of a volume, and what a volume tells of the one it came from."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import qemu
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas
from nova_lite.standins.cinder import worker as work

_UPLOAD = schemas.action({
    'image_name': schemas.NAME, 'force': schemas.BOOLEAN, 'disk_format': {'enum': [*qemu.FORMATS]},
    'container_format': {'enum': ['bare', None]}, 'protected': schemas.BOOLEAN,
    'visibility': {'enum': ['community', 'public', 'private', 'shared']}}, required=['image_name'])
_METADATA = schemas.action({'metadata': schemas.METADATA}, required=['metadata'])
_KEY = schemas.action({'key': schemas.NAME}, required=['key'])


class Uploads:
    """Handlers of actions; each is called with the request, the volume's id and the checked content of the body."""

    def __init__(self, records, worker, images):
        self._records = records
        self._worker = worker
        self._images = images

    def actions(self):
        """{name of the action: (handler, schema, for administrators only)}"""
        return {
            'os-volume_upload_image': (self.upload, _UPLOAD, False),
            'os-set_image_metadata': (self.set_image_metadata, _METADATA, False),
            'os-show_image_metadata': (self.show_image_metadata, schemas.action(), False),
            'os-unset_image_metadata': (self.unset_image_metadata, _KEY, False)}

    def upload(self, request, volume_id, body):
        """Make an image of a volume: its record now, its content later."""
        who = request.identity
        volume = self._records.volume(who, volume_id)
        _require_available(volume)
        image = self._images.create(_image_fields(volume, body, request.version), request.header('X-Auth-Token'))
        try:
            with self._records.change() as change:
                volume = self._records.volume(who, volume_id)
                _require_available(volume)
                volume = record_module.changed(volume, status='uploading', work={
                    'task': work.UPLOAD, 'image_id': image['id'], 'disk_format': image['disk_format'],
                    'status': volume['status']})
                change.update(self._records.volumes, volume)
        except BaseException:
            self._images.delete(image['id'])
            raise
        self._worker.upload(volume, request.id)
        kind = self._records.types.by_id[volume['type_id']]
        answer = {'id': volume_id, 'updated_at': volume['updated_at'], 'status': 'uploading',
                  'display_description': volume['description'], 'size': volume['size'],
                  'volume_type': {name: kind[name] for name in ('id', 'name', 'description', 'extra_specs')},
                  'image_id': image['id'], 'container_format': image['container_format'],
                  'disk_format': image['disk_format'], 'image_name': image['name']}
        if request.version >= 1:
            answer.update(visibility=image['visibility'], protected=image['protected'])
        return rest.Reply(202, {'os-volume_upload_image': answer})

    def set_image_metadata(self, request, volume_id, body):
        def merged(volume):
            metadata = {**volume['image_metadata'], **body['metadata']}
            if len(metadata) > schemas.METADATA['maxProperties']:
                raise faults.over_quota('A volume has at most %d items of image metadata.'
                                        % schemas.METADATA['maxProperties'])
            return {'image_metadata': metadata}
        return {'metadata': self._records.revise(request.identity, 'volume', volume_id, merged)['image_metadata']}

    def show_image_metadata(self, request, volume_id, body):
        return {'metadata': self._records.volume(request.identity, volume_id)['image_metadata']}

    def unset_image_metadata(self, request, volume_id, body):
        def without(volume):
            if body['key'] not in volume['image_metadata']:
                raise rest.Fault(404, 'Glance metadata for volume/snapshot %s cannot be found.' % volume_id)
            return {'image_metadata': {name: value for name, value in volume['image_metadata'].items()
                                       if name != body['key']}}
        self._records.revise(request.identity, 'volume', volume_id, without)
        return rest.Reply(200)


def _require_available(volume):
    if volume['status'] != 'available':
        raise faults.invalid_volume('Volume %s status must be available, but current status is: %s.'
                                    % (volume['id'], volume['status']))


def _image_fields(volume, body, version):
    """The record of the image that is made of a volume; what the volume's own image said goes along."""
    fields = {name: value for name, value in volume['image_metadata'].items()
              if name not in ('image_id', 'image_name', 'signature_verified', 'size', 'checksum', 'min_ram', 'min_disk',
                              'container_format', 'disk_format')}
    fields.update(name=body['image_name'], disk_format=body.get('disk_format') or 'raw',
                  container_format=body.get('container_format') or 'bare', min_disk=volume['size'],
                  min_ram=_number(volume['image_metadata'].get('min_ram')))
    if version >= 1:
        fields.update(visibility=body.get('visibility') or 'private',
                      protected=schemas.flag(body.get('protected', False)))
    else:
        fields.update(visibility='private')
    return fields


def _number(text):
    """What a text of the image metadata says, which users may set to anything."""
    return min(int(text), 2147483647) if text and text.isascii() and text.isdigit() else 0
