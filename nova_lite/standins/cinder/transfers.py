# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`volume-transfers`: a volume offered to whoever has the key, with its snapshots."""

import hashlib
import hmac
import secrets

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import listing
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas
from nova_lite.standins.cinder import views

LIST = listing.Kind('transfer', 'transfers', 'transfers_links', sort_keys=('name', 'volume_id'),
                    filters=('name', 'volume_id'))
AWAITING = 'awaiting-transfer'
# The path that there always was and the one since 3.55, each with the microversion that brought it.
PATHS = (('/os-volume-transfer', 0), ('/volume-transfers', 55))
_CREATE = schemas.wrapped('transfer', {'volume_id': schemas.UUID, 'name': schemas.TEXT,
                                       'no_snapshots': schemas.BOOLEAN}, required=['volume_id'])
_ACCEPT = schemas.wrapped('accept', {'auth_key': schemas.NAME}, required=['auth_key'])


class Transfers:
    def __init__(self, records, types, quotas):
        self._records = records
        self._types = types
        self._quotas = quotas

    def routes(self):
        rows = []
        for path, since in PATHS:
            one = path + '/{identifier}'
            rows += [('GET', path, self.list, since), ('GET', path + '/detail', self.detail, since),
                     ('POST', path, self.create, since), ('GET', one, self.show, since),
                     ('DELETE', one, self.delete, since), ('POST', one + '/accept', self.accept, since)]
        return rows

    def list(self, request):
        return listing.select(request, LIST, listing.in_view(request, self._records.transfers),
                              lambda transfer: _summary(request, transfer))

    def detail(self, request):
        return listing.select(request, LIST, listing.in_view(request, self._records.transfers),
                              lambda transfer: _view(request, transfer))

    def show(self, request, identifier):
        return {'transfer': _view(request, self._find(identifier, request.identity))}

    def _find(self, identifier, who=None):
        """A transfer; of those that `who` owns, if given. 404 when there is none."""
        transfer = self._records.transfers.by_id.get(identifier)
        if transfer is None or (who is not None and not access.owns(who, transfer)):
            raise faults.missing('transfer', identifier)
        return transfer

    def create(self, request):
        access.require_member(request.identity, 'volume:create_transfer')
        body = schemas.read(request, _CREATE)['transfer']
        key = secrets.token_hex(8)
        salt = secrets.token_hex(8)
        with self._records.change() as change:
            volume = self._records.volume(request.identity, body['volume_id'])
            if volume['status'] != 'available':
                raise faults.invalid_volume('status must be available')
            if schemas.flag(body.get('no_snapshots', False)) and self._records.snapshots_of(volume['id']):
                raise faults.invalid_volume('A volume is not transferred without its snapshots.')
            transfer = {
                'id': record_module.new_id(), 'name': body.get('name'), 'volume_id': volume['id'],
                'project_id': volume['project_id'], 'salt': salt, 'digest': _digest(salt, key),
                'created_at': record_module.now(), 'updated_at': None}
            change.insert(self._records.transfers, transfer)
            change.update(self._records.volumes, record_module.changed(volume, status=AWAITING))
        return rest.Reply(202, {'transfer': {**_view(request, transfer), 'auth_key': key}})

    def delete(self, request, identifier):
        access.require_member(request.identity, 'volume:delete_transfer')
        with self._records.change() as change:
            transfer = self._find(identifier, request.identity)
            volume = self._records.volumes.by_id[transfer['volume_id']]
            change.delete(self._records.transfers, transfer)
            if volume['status'] == AWAITING:
                change.update(self._records.volumes, record_module.changed(volume, status='available'))
        return rest.Reply(202)

    def accept(self, request, identifier):
        """Let the volume and its snapshots be the caller's project's."""
        who = request.identity
        access.require_member(who, 'volume:accept_transfer')
        project_id = access.require_project(who)
        key = schemas.read(request, _ACCEPT)['accept']['auth_key']
        with self._records.change() as change:
            transfer = self._find(identifier)
            if not hmac.compare_digest(transfer['digest'], _digest(transfer['salt'], key)):
                raise faults.bad('Invalid auth key: Attempt to transfer %s with invalid auth key.' % identifier)
            volume = self._records.volumes.by_id[transfer['volume_id']]
            if volume['status'] != AWAITING:
                raise faults.invalid_volume('Volume must be awaiting-transfer, but it is %s.' % volume['status'])
            kind = self._types.find(who, volume['type_id'])
            self._quotas.require_volume(project_id, kind, volume['size'])
            snapshots = self._records.snapshots_of(volume['id'])
            for snapshot in snapshots:
                self._quotas.require_snapshot(project_id, kind, snapshot['size'])
                change.update(self._records.snapshots, record_module.changed(
                    snapshot, project_id=project_id, user_id=who.user_id))
            change.update(self._records.volumes, record_module.changed(
                volume, project_id=project_id, user_id=who.user_id, status='available'))
            change.delete(self._records.transfers, transfer)
        return rest.Reply(202, {'transfer': _summary(request, transfer)})


def _digest(salt, key):
    return hashlib.scrypt(key.encode(), salt=salt.encode(), n=2 ** 10, r=8, p=1).hex()


def _summary(request, transfer):
    return {'id': transfer['id'], 'name': transfer['name'], 'volume_id': transfer['volume_id'],
            'links': views.links(request, 'os-volume-transfer', transfer['id'])}


def _view(request, transfer):
    shown = {**_summary(request, transfer), 'created_at': transfer['created_at']}
    if request.version >= 55:
        shown['no_snapshots'] = False
    if request.version >= 57:
        shown.update(source_project_id=transfer['project_id'], destination_project_id=None, accepted=False)
    return shown
