# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`volumes/{id}/action`: what is done with a volume besides attaching it."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas
from nova_lite.standins.cinder import types as type_module
from nova_lite.standins.cinder import worker as work

STATUSES = ('creating', 'available', 'deleting', 'error', 'error_deleting', 'error_managing', 'managing', 'attaching',
            'in-use', 'detaching', 'maintenance', 'restoring-backup', 'error_restoring', 'reserved',
            'awaiting-transfer', 'backing-up', 'error_backing-up', 'error_extending', 'downloading', 'uploading',
            'retyping', 'extending')
_SNAPSHOT_LATEST = 'Specified snapshot %s is None or not the latest one of volume %s.'
_RESET = schemas.action({'status': schemas.TEXT, 'attach_status': {'enum': ['attached', 'detached', None]},
                         'migration_status': {'enum': ['none', None]}})


class Actions:
    def __init__(self, records, worker, *, types, quotas, volumes, others):
        """`others`: actions of the same shape that other parts of the service have."""
        self._records = records
        self._worker = worker
        self._types = types
        self._quotas = quotas
        self._volumes = volumes
        self._table = {
            'os-extend': (self.extend, schemas.action({'new_size': schemas.SIZE}, required=['new_size']), False),
            'os-set_bootable': (self.set_bootable, schemas.action({'bootable': schemas.BOOLEAN},
                                                                  required=['bootable']), False),
            'os-update_readonly_flag': (self.set_readonly, schemas.action({'readonly': schemas.BOOLEAN},
                                                                          required=['readonly']), False),
            'os-retype': (self.retype, schemas.action({
                'new_type': schemas.NAME, 'migration_policy': {'enum': ['on-demand', 'never', None]}},
                required=['new_type']), False),
            'revert': (self.revert, schemas.action({'snapshot_id': schemas.UUID}, required=['snapshot_id']), False),
            'os-reset_status': (self.reset_status, _RESET, True),
            'os-force_delete': (self.force_delete, schemas.action(), True),
            'os-migrate_volume_completion': (self.complete_migration, schemas.action(
                {'new_volume': schemas.UUID, 'error': schemas.BOOLEAN}, required=['new_volume']), True),
            **others}

    def routes(self):
        return [('POST', '/volumes/{volume_id}/action', self.act)]

    def act(self, request, volume_id):
        body = request.json()
        if not isinstance(body, dict) or len(body) != 1:
            raise faults.bad('Malformed request body')
        (name, content), = body.items()
        if name not in self._table or (name == 'revert' and request.version < 40):
            raise faults.bad('There is no such action: %s. Verify the request body and Content-Type header and try '
                             'again.' % name[:64])
        handler, schema, for_admin = self._table[name]
        if for_admin:
            access.require_admin(request.identity, 'volume_extension:volume_admin_actions:' + name[3:])
        else:
            access.require_member(request.identity, 'volume_extension:volume_actions:' + name[3:])
        if error := next(schema.iter_errors(content), None):
            field = error.absolute_path[-1] if error.absolute_path else name
            raise faults.bad('Invalid input for field/attribute %s. Value: %s. %s' % (
                field, str(error.instance)[:300], error.message[:300]))
        return handler(request, volume_id, content or {})

    def extend(self, request, volume_id, body):
        size = int(body['new_size'])
        with self._records.change() as change:
            volume = self._records.volume(request.identity, volume_id)
            if volume['status'] != 'available':
                raise faults.invalid_volume("Volume %s status must be '{'status': 'available'}' to extend, currently "
                                            '%s.' % (volume_id, volume['status']))
            if size <= volume['size']:
                raise faults.invalid_input('New size for extend must be greater than current size. (current: %d, '
                                           'extended: %d).' % (volume['size'], size))
            self._quotas.require_growth(volume, self._records.types.by_id[volume['type_id']], size)
            self._worker.extend(volume_id, size)
            change.update(self._records.volumes, record_module.changed(volume, size=size))
        return rest.Reply(202)

    def set_bootable(self, request, volume_id, body):
        self._records.revise(request.identity, 'volume', volume_id,
                             lambda volume: {'bootable': schemas.flag(body['bootable'])})
        return rest.Reply(200)

    def set_readonly(self, request, volume_id, body):
        def readonly(volume):
            if volume['status'] != 'available':
                raise faults.invalid_volume('Volume %s status must be available to update readonly flag, but current '
                                            'status is: %s.' % (volume_id, volume['status']))
            return {'readonly': schemas.flag(body['readonly'])}
        self._records.revise(request.identity, 'volume', volume_id, readonly)
        return rest.Reply(202)

    def retype(self, request, volume_id, body):
        """Give a volume another type of the same back end and the same way to be attached."""
        with self._records.change() as change:
            volume = self._records.volume(request.identity, volume_id)
            kind = self._types.named(request.identity, body['new_type'])
            if volume['status'] not in ('available', 'in-use') or kind['id'] == volume['type_id']:
                raise faults.invalid_volume(
                    'Retype needs volume to be in available or in-use state, not be part of an active migration or a '
                    'consistency group, requested type has to be different that the one from the volume, and for '
                    'in-use volumes front-end qos specs cannot change.')
            multiattach = type_module.multiattach(kind)
            if multiattach != volume['multiattach'] and volume['status'] != 'available':
                raise faults.invalid_volume('A volume in use cannot change between types with and without multiattach.')
            if not self._worker.takes(kind):
                raise faults.bad('No back end here has volumes of the type %s.' % kind['name'])
            change.update(self._records.volumes, record_module.changed(
                volume, type_id=kind['id'], multiattach=multiattach))
        return rest.Reply(202)

    def revert(self, request, volume_id, body):
        """Let a volume be what its latest snapshot is."""
        with self._records.change() as change:
            volume = self._records.volume(request.identity, volume_id)
            snapshot = self._records.snapshot(request.identity, body['snapshot_id'])
            latest = max(self._records.snapshots_of(volume_id), key=lambda item: item['created_at'], default=None)
            if snapshot is not latest:
                raise faults.bad(_SNAPSHOT_LATEST % (snapshot['id'], volume_id))
            if volume['size'] != snapshot['size']:
                raise faults.bad("Can't revert volume %s to its latest snapshot %s. The volume size must be equal to "
                                 'the snapshot size.' % (volume_id, snapshot['id']))
            if volume['status'] != 'available' or snapshot['status'] != 'available':
                raise rest.Fault(409, "Can't revert volume %s to its latest snapshot %s while they are %s and %s."
                                 % (volume_id, snapshot['id'], volume['status'], snapshot['status']))
            volume = record_module.changed(volume, status='reverting', work={
                'task': work.REVERT, 'snapshot_id': snapshot['id']})
            change.update(self._records.volumes, volume)
            change.update(self._records.snapshots, record_module.changed(snapshot, status='restoring'))
        self._worker.revert(volume, request.id)
        return rest.Reply(202)

    def reset_status(self, request, volume_id, body):
        """Let a volume's record say another status; nothing else changes, attachments least of all."""
        status = body.get('status')
        if status is not None and status not in STATUSES:
            raise faults.bad('Volume status: %s is invalid, valid statuses are: %s.' % (status, STATUSES))
        if not body:
            raise faults.bad("Must specify 'status', 'attach_status' or 'migration_status' for update.")
        # Work that is under way is not to overrule what is said here.
        self._records.revise(request.identity, 'volume', volume_id,
                             lambda volume: {'status': status, 'work': None} if status else {})
        return rest.Reply(202)

    def force_delete(self, request, volume_id, body):
        self._volumes.remove(request.identity, volume_id, force=True)
        return rest.Reply(202)

    def complete_migration(self, request, volume_id, body):
        """What the compute service asks after it has exchanged one volume of a server for another."""
        self._records.volume(request.identity, volume_id)
        new = self._records.volume(request.identity, body['new_volume'])
        return {'save_volume_id': volume_id if schemas.flag(body.get('error', False)) else new['id']}
