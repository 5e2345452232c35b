# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How much a project may have, and does have: the check on every creation, `os-quota-sets` and `limits`."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import schemas

# What the service has nothing of, but clients read.
_ABSENT = {'backups': 10, 'backup_gigabytes': 1000, 'groups': 10}
_SET = rest.schema({'type': 'object', 'required': ['quota_set'], 'properties': {'quota_set': {
    'type': 'object', 'minProperties': 1, 'maxProperties': 1000}}})
_CLASS = rest.schema({'type': 'object', 'required': ['quota_class_set'], 'properties': {'quota_class_set': {
    'type': 'object', 'minProperties': 1, 'maxProperties': 1000}}})
_COUNTED = ('volumes', 'snapshots', 'gigabytes')
_LARGEST = 2147483647
_LIMITS = (('maxTotalVolumes', 'volumes'), ('maxTotalSnapshots', 'snapshots'),
           ('maxTotalVolumeGigabytes', 'gigabytes'), ('maxTotalBackups', 'backups'),
           ('maxTotalBackupGigabytes', 'backup_gigabytes'))
_USED = (('totalVolumesUsed', 'volumes'), ('totalGigabytesUsed', 'gigabytes'), ('totalSnapshotsUsed', 'snapshots'),
         ('totalBackupsUsed', 'backups'), ('totalBackupGigabytesUsed', 'backup_gigabytes'))


class Quotas:
    """`defaults`: {volumes, snapshots, gigabytes, per_volume_gigabytes}; -1 means no limit."""

    def __init__(self, records, defaults):
        self._records = records
        self._defaults = {**defaults, **_ABSENT}

    def routes(self):
        one = '/os-quota-sets/{target}'
        return [('GET', one, self.show), ('GET', one + '/defaults', self.show_defaults), ('PUT', one, self.update),
                ('DELETE', one, self.delete), ('GET', '/os-quota-class-sets/{name}', self.show_class),
                ('PUT', '/os-quota-class-sets/{name}', self.update_class), ('GET', '/limits', self.limits)]

    def require_volume(self, project_id, kind, gigabytes):
        """413 unless the project may have one more volume of that size and type."""
        limits, used = self.of(project_id), self.used(project_id)
        self._require_size(limits, gigabytes)
        for key in ('volumes', 'volumes_' + kind['name']):
            if _exceeds(limits, used, key, 1):
                raise faults.over_quota("VolumeLimitExceeded: Maximum number of volumes allowed (%d) exceeded for "
                                        "quota '%s'." % (limits[key], key))
        _require_gigabytes(limits, used, kind['name'], gigabytes)

    def require_snapshot(self, project_id, kind, gigabytes):
        limits, used = self.of(project_id), self.used(project_id)
        for key in ('snapshots', 'snapshots_' + kind['name']):
            if _exceeds(limits, used, key, 1):
                raise faults.over_quota('SnapshotLimitExceeded: Maximum number of snapshots allowed (%d) exceeded'
                                        % limits[key])
        _require_gigabytes(limits, used, kind['name'], gigabytes)

    def require_growth(self, volume, kind, gigabytes):
        """413 unless a volume may become so large."""
        limits, used = self.of(volume['project_id']), self.used(volume['project_id'])
        self._require_size(limits, gigabytes)
        _require_gigabytes(limits, used, kind['name'], gigabytes - volume['size'])

    def _require_size(self, limits, gigabytes):
        most = limits['per_volume_gigabytes']
        if 0 <= most < gigabytes:
            raise faults.over_quota('VolumeSizeExceedsLimit: Requested volume size %dG is larger than maximum allowed '
                                    'limit %dG.' % (gigabytes, most))

    def of(self, project_id):
        """The limits of a project."""
        own = self._records.quotas.by_id.get(project_id, {'limits': {}})
        return {**self._of_class('default'), **own['limits']}

    def _of_class(self, name):
        own = self._records.quotas.by_id.get('class:' + name, {'limits': {}})
        per_type = {'%s_%s' % (key, kind['name']): -1 for kind in self._records.types
                    for key in ('volumes', 'gigabytes', 'snapshots')}
        return {**self._defaults, **per_type, **own['limits']}

    def used(self, project_id):
        """What a project has, by the same keys."""
        found = dict.fromkeys(self.of(project_id), 0)
        for collection, counter in ((self._records.volumes, 'volumes'), (self._records.snapshots, 'snapshots')):
            for item in collection:
                if item['project_id'] == project_id:
                    kind = self._records.types.by_id[item['type_id']]['name']
                    for key in (counter, '%s_%s' % (counter, kind)):
                        found[key] += 1
                    for key in ('gigabytes', 'gigabytes_' + kind):
                        found[key] += item['size']
        return found

    def show(self, request, target):
        self._require_view(request.identity, target)
        limits = self.of(target)
        if schemas.argument(request, 'usage'):
            used = self.used(target)
            limits = {key: {'limit': limit, 'in_use': used[key], 'reserved': 0} for key, limit in limits.items()}
        return {'quota_set': {**limits, 'id': target}}

    def show_defaults(self, request, target):
        self._require_view(request.identity, target)
        return {'quota_set': {**self._of_class('default'), 'id': target}}

    def _require_view(self, who, target):
        if target != who.project_id:
            access.require_admin(who, 'volume_extension:quotas:show')

    def update(self, request, target):
        access.require_admin(request.identity, 'volume_extension:quotas:update')
        values = self._values(schemas.read(request, _SET)['quota_set'], 'tenant_id')
        self._store(target, values)
        return {'quota_set': self.of(target)}

    def delete(self, request, target):
        access.require_admin(request.identity, 'volume_extension:quotas:delete')
        with self._records.change() as change:
            own = self._records.quotas.by_id.get(target)
            if own is not None:
                change.delete(self._records.quotas, own)
        return rest.Reply(200)

    def show_class(self, request, name):
        access.require_admin(request.identity, 'volume_extension:quota_classes:get')
        return {'quota_class_set': {**self._of_class(name), 'id': name}}

    def update_class(self, request, name):
        access.require_admin(request.identity, 'volume_extension:quota_classes:update')
        values = self._values(schemas.read(request, _CLASS)['quota_class_set'], 'class_name')
        self._store('class:' + name, values)
        return {'quota_class_set': self._of_class(name)}

    def _values(self, body, ignored):
        """The checked limits of a request."""
        values = {key: value for key, value in body.items() if key not in (ignored, 'id')}
        unknown = sorted(key for key in values if key not in self._of_class('default'))
        if unknown:
            raise faults.invalid_input('Bad key(s) in quota set: %s' % ','.join(key[:64] for key in unknown))
        return {key: _limit(key, value) for key, value in values.items()}

    def _store(self, identifier, values):
        with self._records.change() as change:
            own = self._records.quotas.by_id.get(identifier)
            if own is None:
                change.insert(self._records.quotas, {'id': identifier, 'limits': values})
            else:
                change.update(self._records.quotas, {**own, 'limits': {**own['limits'], **values}})

    def limits(self, request):
        who = request.identity
        target = request.argument('project_id') if who.is_admin else None
        target = target or access.require_project(who)
        limits, used = self.of(target), self.used(target)
        return {'limits': {'rate': [], 'absolute': {
            **{name: limits[key] for name, key in _LIMITS}, **{name: used[key] for name, key in _USED}}}}


def _exceeds(limits, used, key, more):
    return 0 <= limits.get(key, -1) < used.get(key, 0) + more


def _require_gigabytes(limits, used, kind, more):
    for key in ('gigabytes', 'gigabytes_' + kind):
        if _exceeds(limits, used, key, more):
            raise faults.over_quota(
                'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed %s quota. Requested '
                '%dG, quota is %dG and %dG has been consumed.' % (key, more, limits[key], used[key]))


def _limit(key, value):
    if isinstance(value, str) and value.lstrip('-').isdigit() and value.isascii() and len(value) < 12:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise faults.bad('%s must be an integer' % key)
    if value < -1:
        raise faults.bad('%s must be >= -1' % key)
    if value > _LARGEST:
        raise faults.bad('%s must be <= %d' % (key, _LARGEST))
    return value
