# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`attachments`: which server has a volume, and how its host reaches it.

An attachment is reserved, then attaching once a host's connector is known, then attached. One that a server uses is
let go only for a request that a service vouches for: else a user could pull a volume from under a guest, and what
comes to be where it was would be open to that guest.
"""

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import listing
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas
from nova_lite.standins.cinder import views

LIST = listing.Kind(
    'attachment', 'attachments', 'attachments_links',
    sort_keys=('volume_id', 'instance_uuid', 'status', 'attached_at', 'updated_at'),
    filters=('volume_id', 'status', 'instance_uuid', 'attach_status'),
    renamed=(('instance_id', 'instance_uuid'), ('attach_status', 'status')))
IN_USE = ('in-use', 'attaching', 'detaching', 'reserved', 'available')  # what attachments decide between
_MODE = {'enum': ['rw', 'ro', None]}
_CREATE = schemas.wrapped('attachment', {
    'volume_uuid': schemas.UUID, 'instance_uuid': schemas.OPTIONAL_UUID, 'mode': {'enum': ['rw', 'ro']},
    'connector': {**schemas.CONNECTOR, 'type': ['object', 'null']}}, required=['volume_uuid'])
_UPDATE = schemas.wrapped('attachment', {
    'connector': {**schemas.CONNECTOR, 'minProperties': 1, 'required': ['host'],
                  'properties': {'host': schemas.NAME}}, 'mode': _MODE}, required=['connector'])
_ACTION = rest.schema({'type': 'object', 'required': ['os-complete'],
                       'properties': {'os-complete': {'type': ['object', 'null']}}})


class Attachments:
    def __init__(self, records, exports, tokens):
        self._records = records
        self._exports = exports
        self._tokens = tokens

    def routes(self):
        one = '/attachments/{identifier}'
        return [
            ('GET', '/attachments', self.list, 27), ('GET', '/attachments/detail', self.detail, 27),
            ('POST', '/attachments', self.create, 27), ('GET', one, self.show, 27), ('PUT', one, self.update, 27),
            ('DELETE', one, self.delete, 27), ('POST', one + '/action', self.act, 44)]

    def list(self, request):
        return self._list(request, views.attachment_summary)

    def detail(self, request):
        return self._list(request, views.attachment)

    def _list(self, request, view):
        return listing.select(request, LIST, listing.in_view(request, self._records.attachments), view)

    def show(self, request, identifier):
        return {'attachment': views.attachment(self._records.attachment(request.identity, identifier))}

    def create(self, request):
        """Reserve a volume for a server, and connect it at once if the connector is known."""
        who = request.identity
        access.require_member(who, 'volume:attachment_create')
        body = schemas.read(request, _CREATE)['attachment']
        connector = body.get('connector')
        if connector and not connector.get('host'):
            raise faults.bad('The connector names no host.')
        by_service = self._tokens.sent_with(request)
        with self._exports.lock(body['volume_uuid']):
            with self._records.change() as change:
                volume = self._records.volume(who, body['volume_uuid'])
                self._require_attachable(volume, body.get('instance_uuid'))
                mode = body.get('mode')
                if connector or mode:
                    mode = self.mode(volume, mode)
                item = self.new(volume, instance_uuid=body.get('instance_uuid'), attach_mode=mode,
                                by_service=by_service)
                change.insert(self._records.attachments, item)
                if volume['status'] == 'available':
                    change.update(self._records.volumes, record_module.changed(volume, status='reserved'))
            if connector:
                try:
                    item = self._connect(volume, item, connector, mode)
                except rest.Fault:
                    self.remove(volume['id'], [item['id']])
                    raise
        return {'attachment': views.attachment(item)}

    def _require_attachable(self, volume, instance_uuid):
        """400 unless nobody else has the volume, or several may have it."""
        if volume['status'] == 'available':
            return
        others = self._records.attachments_of(volume['id'])
        same = instance_uuid and others and all(item['instance_uuid'] == instance_uuid for item in others)
        if volume['status'] not in IN_USE or not (same or (volume['multiattach'] and others)):
            raise faults.invalid_volume(
                'Volume %s status must be available or downloading to reserve, but the current status is %s.'
                % (volume['id'], volume['status']))

    def mode(self, volume, mode):
        """The mode in which a volume is attached: the one that is asked for, else what it allows."""
        if volume['readonly'] and mode == 'rw':
            raise faults.bad("Invalid attaching mode 'rw' for volume %s." % volume['id'])
        return mode or ('ro' if volume['readonly'] else 'rw')

    def sent_by_service(self, request):
        return self._tokens.sent_with(request)

    def new(self, volume, **fields):
        """The document of a new attachment."""
        return {'id': record_module.new_id(), 'volume_id': volume['id'], 'project_id': volume['project_id'],
                'instance_uuid': None, 'status': 'reserved', 'attach_mode': None, 'attached_at': None,
                'attached_host': None, 'mountpoint': None, 'connector': None, 'connection_info': None,
                'by_service': False, 'created_at': record_module.now(), 'updated_at': None, **fields}

    def update(self, request, identifier):
        """Connect the host whose connector the body has."""
        access.require_member(request.identity, 'volume:attachment_update')
        body = schemas.read(request, _UPDATE)['attachment']
        item = self._records.attachment(request.identity, identifier)
        with self._exports.lock(item['volume_id']):
            item = self._records.attachment(request.identity, identifier)
            volume = self._records.volume(request.identity, item['volume_id'])
            if volume['status'] not in IN_USE:
                raise faults.invalid_volume('Volume %s is %s.' % (volume['id'], volume['status']))
            mode = self.mode(volume, body.get('mode') or item['attach_mode'])
            return {'attachment': views.attachment(self._connect(volume, item, body['connector'], mode))}

    def _connect(self, volume, item, connector, mode):
        """Let a host reach a volume and note how; the attachment as it is then. The volume's lock is held."""
        kind, data = self._exports.connect(volume, connector)
        info = {**data, **connection(mode), 'driver_volume_type': kind, 'attachment_id': item['id']}
        with self._records.change() as change:
            volume = self._records.volumes.by_id[volume['id']]
            item = record_module.changed(
                item, status=item['status'] if item['status'] == 'attached' else 'attaching', attach_mode=mode,
                attached_at=item['attached_at'] or record_module.now(), attached_host=connector['host'],
                mountpoint=connector.get('mountpoint') or item['mountpoint'], connector=connector,
                connection_info=info)
            change.update(self._records.attachments, item)
            if volume['status'] in ('available', 'reserved'):
                change.update(self._records.volumes, record_module.changed(volume, status='attaching'))
        return item

    def act(self, request, identifier):
        """os-complete: the server has the volume."""
        access.require_member(request.identity, 'volume:attachment_complete')
        schemas.read(request, _ACTION)
        with self._records.change() as change:
            item = self._records.attachment(request.identity, identifier)
            volume = self._records.volume(request.identity, item['volume_id'])
            change.update(self._records.attachments, record_module.changed(
                item, status='attached', attached_at=item['attached_at'] or record_module.now()))
            if volume['status'] in IN_USE:
                change.update(self._records.volumes, record_module.changed(volume, status='in-use'))
        return rest.Reply(204)

    def delete(self, request, identifier):
        access.require_member(request.identity, 'volume:attachment_delete')
        item = self._records.attachment(request.identity, identifier)
        with self._exports.lock(item['volume_id']):
            item = self._records.attachment(request.identity, identifier)
            self.require_release(request, [item])
            self.remove(item['volume_id'], [identifier])
        return {'attachments': [views.attachment_summary(other)
                                for other in self._records.attachments_of(item['volume_id'])]}

    def require_release(self, request, items):
        """409 for attachments that the compute service uses, unless a service vouches for the request."""
        if self._tokens.sent_with(request):
            return
        for item in items:
            if item['instance_uuid'] and (item['connector'] or item['by_service']):
                raise rest.Fault(409, 'ConflictNovaUsingAttachment: Detach volume from instance %s using the Compute '
                                      'API' % item['instance_uuid'])

    def remove(self, volume_id, identifiers, host=None, *, force=False):
        """Forget attachments, and a host's connection by the older actions, then end an export that nobody needs.

        The volume's lock is held. A status that attachments do not decide stays as it is, unless `force` is set.
        """
        with self._records.change() as change:
            volume = self._records.volumes.by_id[volume_id]
            left = []
            for item in self._records.attachments_of(volume_id):
                if item['id'] in identifiers:
                    change.delete(self._records.attachments, item)
                else:
                    left.append(item)
            connections = {name: value for name, value in volume['connections'].items() if name != host}
            decided = force or (identifiers and volume['status'] in IN_USE)
            status = status_by(left) if decided else volume['status']
            change.update(self._records.volumes, record_module.changed(
                volume, status=status, connections=connections))
        self._exports.settle(volume_id)


def connection(mode):
    """What every connection tells, whatever its kind."""
    return {'access_mode': mode, 'qos_specs': None, 'encrypted': False, 'cacheable': False}


def status_by(attachments):
    """The status of a volume with these attachments."""
    found = {item['status'] for item in attachments}
    for status, shown in (('attached', 'in-use'), ('attaching', 'attaching'), ('reserved', 'reserved')):
        if status in found:
            return shown
    return 'available'
