# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`snapshots`: create, list, show, update, delete, and the actions on them."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import listing
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas
from nova_lite.standins.cinder import worker as work

LIST = listing.Kind(
    'snapshot', 'snapshots', 'snapshots_links', sort_keys=('name', 'status', 'size', 'volume_id', 'updated_at',
                                                          'description'),
    filters=('name', 'status', 'volume_id', 'metadata', 'availability_zone', 'consumes_quota'))
STATUSES = ('error', 'available', 'creating', 'deleting', 'deleted', 'updating', 'error_deleting', 'unmanaging',
            'backing-up', 'restoring')
_NAMES = {'name': schemas.TEXT, 'display_name': schemas.TEXT, 'description': schemas.TEXT,
          'display_description': schemas.TEXT}
_CREATE = schemas.wrapped('snapshot', {
    **_NAMES, 'volume_id': schemas.OPTIONAL_UUID, 'force': schemas.BOOLEAN,
    'metadata': {'anyOf': [{'type': 'null'}, schemas.METADATA]}}, required=['volume_id'])
_UPDATE = schemas.wrapped('snapshot', _NAMES, minProperties=1)
_STATUS = schemas.action({'status': schemas.NAME}, required=['status'])
_PROGRESS = schemas.action({'status': schemas.NAME, 'progress': {'type': ['string', 'integer', 'null']}},
                           required=['status'])
_IN_THE_WAY = ('Invalid snapshot: Snapshot status must be one of available or error or error_deleting and must not be '
               'part of a group.')


class Snapshots:
    def __init__(self, records, views, worker, quotas):
        self._records = records
        self._views = views
        self._worker = worker
        self._quotas = quotas

    def routes(self):
        one = '/snapshots/{identifier}'
        return [
            ('GET', '/snapshots', self.list), ('GET', '/snapshots/detail', self.detail),
            ('POST', '/snapshots', self.create), ('GET', one, self.show), ('PUT', one, self.update),
            ('DELETE', one, self.delete), ('POST', one + '/action', self.act)]

    def list(self, request):
        return self._list(request, extended=False)

    def detail(self, request):
        return self._list(request, extended=True)

    def _list(self, request, extended):
        return listing.select(request, LIST, listing.in_view(request, self._records.snapshots),
                              lambda snapshot: self._views.snapshot(request, snapshot, extended))

    def show(self, request, identifier):
        snapshot = self._records.snapshot(request.identity, identifier)
        return {'snapshot': self._views.snapshot(request, snapshot, extended=True)}

    def create(self, request):
        who = request.identity
        access.require_member(who, 'volume:create_snapshot')
        body = _renamed(schemas.read(request, _CREATE)['snapshot'])
        with self._records.change() as change:
            volume = self._records.volume(who, body['volume_id'])
            self._require_usable(volume, _force(request, body))
            kind = self._records.types.by_id[volume['type_id']]
            self._quotas.require_snapshot(volume['project_id'], kind, volume['size'])
            snapshot = {
                'id': record_module.new_id(), 'volume_id': volume['id'], 'project_id': volume['project_id'],
                'user_id': who.user_id, 'name': body.get('name'), 'description': body.get('description'),
                'metadata': body.get('metadata') or {}, 'size': volume['size'], 'status': 'creating',
                'availability_zone': volume['availability_zone'], 'type_id': volume['type_id'],
                'bootable': volume['bootable'], 'image_metadata': volume['image_metadata'],
                'work': {'task': work.CREATE},
                'created_at': record_module.now(), 'updated_at': None}
            change.insert(self._records.snapshots, snapshot)
        self._worker.create_snapshot(snapshot, request.id)
        return rest.Reply(202, {'snapshot': self._views.snapshot(request, snapshot)})

    def _require_usable(self, volume, force):
        if volume['status'] != 'available' and not (force and volume['status'] == 'in-use'):
            raise faults.invalid_volume('Volume %s status must be available%s, but current status is: %s.' % (
                volume['id'], ' or in-use' if force else '', volume['status']))

    def update(self, request, identifier):
        access.require_member(request.identity, 'volume:update_snapshot')
        body = _renamed(schemas.read(request, _UPDATE)['snapshot'])
        snapshot = self._records.revise(request.identity, 'snapshot', identifier, lambda snapshot: body)
        return {'snapshot': self._views.snapshot(request, snapshot)}

    def delete(self, request, identifier):
        access.require_member(request.identity, 'volume:delete_snapshot')
        self._remove(request, identifier, ('available', 'error', 'error_deleting'))
        return rest.Reply(202)

    def _remove(self, request, identifier, states):
        with self._records.change() as change:
            snapshot = self._records.snapshot(request.identity, identifier)
            if snapshot['status'] not in states:
                raise faults.bad(_IN_THE_WAY)
            change.update(self._records.snapshots, record_module.changed(
                snapshot, status='deleting', work={'task': work.DELETE}))
        self._worker.delete_snapshot(snapshot)

    def act(self, request, identifier):
        body = request.json()
        if not isinstance(body, dict) or len(body) != 1:
            raise faults.bad('Malformed request body')
        (name, content), = body.items()
        handler = {'os-reset_status': self._reset_status, 'os-force_delete': self._force_delete,
                   'os-update_snapshot_status': self._update_status}.get(name)
        if handler is None:
            raise faults.bad('There is no such action: %s. Verify the request body and Content-Type header and try '
                             'again.' % name[:64])
        if name == 'os-update_snapshot_status':
            access.require_member(request.identity, 'volume_extension:snapshot_actions:update_snapshot_status')
        else:
            access.require_admin(request.identity, 'volume_extension:snapshot_admin_actions:' + name[3:])
        handler(request, identifier, content)
        return rest.Reply(202)

    def _reset_status(self, request, identifier, body):
        schemas.check(_STATUS, body)
        if body['status'] not in STATUSES:
            raise faults.bad('Snapshot status: %s is invalid, valid statuses are: %s.' % (body['status'], STATUSES))
        self._records.revise(request.identity, 'snapshot', identifier,
                             lambda snapshot: {'status': body['status'], 'work': None})

    def _force_delete(self, request, identifier, body):
        self._remove(request, identifier, STATUSES)

    def _update_status(self, request, identifier, body):
        schemas.check(_PROGRESS, body)

        def status(snapshot):
            allowed = {'creating': ('creating', 'available', 'error'), 'deleting': ('deleting', 'error_deleting')}
            if snapshot['status'] not in allowed:
                raise faults.bad('Snapshot status %s not allowed for update_snapshot_status' % snapshot['status'])
            if body['status'] not in allowed[snapshot['status']]:
                raise faults.bad('Provided snapshot status %s not allowed for snapshot with status %s.' % (
                    body['status'], snapshot['status']))
            return {'status': body['status'], 'work': None, 'progress': str(body.get('progress') or '')[:255] or None}
        self._records.revise(request.identity, 'snapshot', identifier, status)


def _force(request, body):
    """Whether a volume may be in use; since 3.66 it may without saying so, and nobody may say that it must not."""
    force = schemas.flag(body.get('force', False))
    if request.version < 66:
        return force
    if 'force' in body and not force:
        raise faults.bad("Since microversion 3.66 the 'force' flag is invalid for this request.  For backward "
                         "compatability, however, when the 'force' flag is passed with a value evaluating to True, it "
                         'is silently ignored.')
    return True


def _renamed(body):
    """The body with the names that are kept, for those that clients of old send."""
    for old, new in listing.Kind.renamed:
        if old in body:
            body.setdefault(new, body.pop(old))
    return body
