# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes, snapshots and attachments as the API shows them at each microversion."""

ATTACHED = 'attached'


class Views:
    """`place` is the back end as hosts are named: `host@backend#pool`; `service_id` the uuid of the service there."""

    def __init__(self, records, place, service_id):
        self._records = records
        self._place = place
        self._service_id = service_id

    def volumes(self, request):
        """A function that shows a volume, for a list of them."""
        attachments = {}
        for item in self._records.attachments:
            attachments.setdefault(item['volume_id'], []).append(item)
        return lambda volume: {**self._volume(request, volume, attachments.get(volume['id'], ())),
                               **self._details(request, volume)}

    def volume(self, request, volume):
        """A volume with what only details tell."""
        return {**self.written(request, volume), **self._details(request, volume)}

    def written(self, request, volume):
        """A volume as the answer to what made or changed it."""
        return self._volume(request, volume, self._records.attachments_of(volume['id']))

    def _details(self, request, volume):
        shown = {'os-vol-tenant-attr:tenant_id': volume['project_id']}
        if volume['image_metadata']:
            shown['volume_image_metadata'] = volume['image_metadata']
        if request.identity.is_admin:
            shown.update({'os-vol-mig-status-attr:migstat': None, 'os-vol-mig-status-attr:name_id': None,
                          'os-vol-host-attr:host': self._place})
        return shown

    def volume_summary(self, request, volume):
        return {'id': volume['id'], 'name': volume['name'], 'links': links(request, 'volumes', volume['id'])}

    def _volume(self, request, volume, attachments):
        admin = request.identity.is_admin
        shown = {name: volume[name] for name in (
            'id', 'status', 'size', 'availability_zone', 'created_at', 'updated_at', 'name', 'description')}
        shown.update({
            'volume_type': self._records.type_name(volume), 'snapshot_id': volume['snapshot_id'],
            'source_volid': volume['source_volid'], 'metadata': _metadata(volume),
            'links': links(request, 'volumes', volume['id']), 'user_id': volume['user_id'],
            'bootable': str(volume['bootable']).lower(), 'encrypted': False, 'replication_status': None,
            'consistencygroup_id': None, 'multiattach': volume['multiattach'],
            'attachments': [_attached(item, admin) for item in attachments if item['status'] == ATTACHED],
            'migration_status': None})
        shown.update((name, value) for name, since, for_all, value in (
            ('group_id', 13, True, None), ('provider_id', 21, False, None), ('shared_targets', 48, True, False),
            ('service_uuid', 48, True, self._service_id), ('cluster_name', 61, False, None),
            ('volume_type_id', 63, True, volume['type_id']), ('consumes_quota', 65, True, True),
        ) if request.version >= since and (for_all or admin))
        return shown

    def snapshot(self, request, snapshot, extended=False):
        """A snapshot; `extended` with what only details tell."""
        shown = {name: snapshot[name] for name in (
            'id', 'created_at', 'updated_at', 'name', 'description', 'volume_id', 'status', 'size', 'metadata')}
        if request.version >= 14:
            shown['group_snapshot_id'] = None
        if request.version >= 41:
            shown['user_id'] = snapshot['user_id']
        if request.version >= 65:
            shown['consumes_quota'] = True
        if extended:
            shown['os-extended-snapshot-attributes:project_id'] = snapshot['project_id']
            shown['os-extended-snapshot-attributes:progress'] = snapshot.get('progress') or (
                '0%' if snapshot['status'] == 'creating' else '100%')
        return shown


def attachment_summary(attachment):
    return {'id': attachment['id'], 'status': attachment['status'], 'instance': attachment['instance_uuid'],
            'volume_id': attachment['volume_id']}


def attachment(item):
    return {**attachment_summary(item), 'attached_at': item['attached_at'] or '', 'detached_at': '',
            'attach_mode': item['attach_mode'] or 'null', 'connection_info': item['connection_info'] or {}}


def links(request, plural, identifier):
    """Where a resource is, with the project in the URL when the caller's had it."""
    segment = request.path.strip('/').split('/')[1]
    project = '/' + segment if segment == request.identity.project_id else ''
    return [{'rel': rel, 'href': '%s%s%s/%s/%s' % (request.host_url, root, project, plural, identifier)}
            for rel, root in (('self', '/v3'), ('bookmark', ''))]


def _metadata(volume):
    """What the user has set, and the read-only flag where it was ever set."""
    if volume['readonly'] is None:
        return volume['metadata']
    return {**volume['metadata'], 'readonly': str(volume['readonly'])}


def _attached(item, admin):
    """One entry of a volume's attachments; the host is for administrators."""
    return {'id': item['volume_id'], 'attachment_id': item['id'], 'volume_id': item['volume_id'],
            'server_id': item['instance_uuid'], 'host_name': item['attached_host'] if admin else None,
            'device': item['mountpoint'] or 'na', 'attached_at': item['attached_at']}
