# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What tells a client what there is: the service, its back end, zones, extensions, filters and messages."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import attachments
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import files as file_module
from nova_lite.standins.cinder import listing
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas
from nova_lite.standins.cinder import snapshots
from nova_lite.standins.cinder import types as type_module
from nova_lite.standins.cinder import volumes

BINARY = 'cinder-volume'
BACKEND = 'files'
CAPABILITIES = {'vendor_name': 'nova_lite', 'volume_backend_name': BACKEND, 'driver_version': '1.0',
                'storage_protocol': 'file', 'pool_name': BACKEND, 'multiattach': True, 'QoS_support': False,
                'thin_provisioning_support': True}
MESSAGES = listing.Kind(
    'message', 'messages', 'messages_links', sort_keys=('event_id', 'resource_type', 'resource_uuid', 'message_level',
                                                        'guaranteed_until', 'request_id'),
    filters=('resource_uuid', 'resource_type', 'event_id', 'request_id', 'message_level'))
EXTENSIONS = {
    'os-admin-actions': ('AdminActions', 'Reset the status of volumes and snapshots, force them to go.'),
    'os-availability-zone': ('AvailabilityZones', 'List availability zones.'),
    'os-extended-snapshot-attributes': ('ExtendedSnapshotAttributes', 'Snapshots tell their project and progress.'),
    'os-hosts': ('Hosts', 'Tell what hosts have.'),
    'os-quota-sets': ('Quotas', 'Quotas of projects.'),
    'os-services': ('Services', 'List services.'),
    'os-types-extra-specs': ('TypesExtraSpecs', 'Extra specs of volume types.'),
    'os-used-limits': ('UsedLimits', 'Limits tell what is used.'),
    'os-vol-host-attr': ('VolumeHostAttribute', 'Volumes tell their host.'),
    'os-vol-image-meta': ('VolumeImageMetadata', 'Volumes tell about the image that they were made from.'),
    'os-vol-tenant-attr': ('VolumeTenantAttribute', 'Volumes tell their project.'),
    'os-volume-actions': ('VolumeActions', 'Attach, extend and upload volumes.'),
    'os-volume-transfer': ('VolumeTransfer', 'Give volumes to another project.'),
    'os-volume-type-access': ('VolumeTypeAccess', 'Types for some projects only.'),
    'scheduler-stats': ('Scheduler_stats', 'Tell what back ends have.'),
}
_HOST = rest.schema({'type': 'object', 'required': ['host'], 'properties': {
    'host': schemas.NAME, 'binary': schemas.NAME, 'service': schemas.NAME, 'disabled_reason': schemas.NAME}})


class Service:
    """The one service there is, `cinder-volume` on HOST@files."""

    def __init__(self, records, host):
        self._records = records
        self.host = '%s@%s' % (host, BACKEND)
        self.place = '%s#%s' % (self.host, BACKEND)
        self._key = '%s@%s' % (BINARY, host)
        if self._key not in records.services.by_id:
            with records.change() as change:
                change.insert(records.services, {
                    'id': self._key, 'uuid': record_module.new_id(), 'disabled': False, 'reason': None})

    @property
    def id(self):
        return self._state()['uuid']

    def _state(self):
        return self._records.services.by_id[self._key]

    def takes(self, kind):
        """Whether there is a back end for volumes of a type: one that has what its extra specs ask for."""
        return not self._state()['disabled'] and all(
            _meets(CAPABILITIES.get(name.removeprefix('capabilities:')), wanted)
            for name, wanted in kind['extra_specs'].items()
            if ':' not in name or name.startswith('capabilities:'))

    def view(self, version):
        state = self._state()
        shown = {'binary': BINARY, 'host': self.host, 'zone': volumes.ZONE,
                 'status': 'disabled' if state['disabled'] else 'enabled', 'state': 'up',
                 'updated_at': record_module.now(), 'disabled_reason': state['reason'],
                 'replication_status': 'disabled', 'active_backend_id': None, 'frozen': False}
        if version >= 7:
            shown['cluster'] = None
        if version >= 49:
            shown['backend_state'] = 'up'
        return shown

    def set(self, disabled, reason):
        with self._records.change() as change:
            change.update(self._records.services, {**self._state(), 'disabled': disabled, 'reason': reason})


class Discovery:
    def __init__(self, records, service, files):
        self._records = records
        self._service = service
        self._files = files

    def routes(self):
        return [
            ('GET', '/os-services', self.list_services), ('PUT', '/os-services/{action}', self.set_service),
            ('GET', '/os-availability-zone', self.list_zones), ('GET', '/extensions', self.list_extensions),
            ('GET', '/resource_filters', self.list_filters, 33), ('GET', '/messages', self.list_messages, 3),
            ('GET', '/messages/{identifier}', self.show_message, 3),
            ('DELETE', '/messages/{identifier}', self.delete_message, 3),
            ('GET', '/scheduler-stats/get_pools', self.list_pools), ('GET', '/capabilities/{host}', self.capabilities),
            ('GET', '/os-hosts', self.list_hosts), ('GET', '/os-hosts/{host}', self.show_host),
            ('GET', '/qos-specs', self.list_qos)]

    def list_services(self, request):
        access.require_admin(request.identity, 'volume_extension:services:index')
        wanted = (request.argument('host'), request.argument('binary'))
        mine = wanted[0] in (None, self._service.host, self._service.host.partition('@')[0])
        found = mine and wanted[1] in (None, BINARY)
        return {'services': [self._service.view(request.version)] if found else []}

    def set_service(self, request, action):
        access.require_admin(request.identity, 'volume_extension:services:update')
        if action in ('freeze', 'thaw'):
            raise faults.bad('Nothing here is replicated, so nothing can be frozen.')
        if action not in ('enable', 'disable', 'disable-log-reason'):
            raise rest.Fault(404, 'Unknown action')
        body = schemas.read(request, _HOST)
        binary = body.get('binary') or body.get('service') or ''
        if (body['host'], binary) != (self._service.host, BINARY):
            raise rest.Fault(404, 'Service %s could not be found on host %s.' % (binary, body['host']))
        disabled, reason = action != 'enable', None
        if action == 'disable-log-reason':
            reason = body.get('disabled_reason')
            if not reason:
                raise faults.bad('Disabled reason contains invalid characters or is too long.')
        self._service.set(disabled, reason)
        answer = {'host': body['host'], 'service': '', 'binary': BINARY,
                  'status': 'disabled' if disabled else 'enabled', 'disabled': disabled}
        return {**answer, 'disabled_reason': reason} if reason else answer

    def list_zones(self, request):
        return {'availabilityZoneInfo': [{'zoneName': volumes.ZONE, 'zoneState': {'available': True}}]}

    def list_extensions(self, request):
        return {'extensions': [{'alias': alias, 'name': name, 'description': text, 'links': [],
                                'updated': '2026-01-01T00:00:00+00:00'}
                               for alias, (name, text) in EXTENSIONS.items()]}

    def list_filters(self, request):
        wanted = request.argument('resource')
        return {'resource_filters': [
            {'resource': resource, 'filters': ['instance_id' if name == 'instance_uuid' else name
                                               for name in kind.filters]}
            for resource, kind in (('volume', volumes.LIST), ('snapshot', snapshots.LIST),
                                   ('attachment', attachments.LIST), ('message', MESSAGES),
                                   ('volume_type', type_module.LIST)) if wanted in (None, resource)]}

    def list_messages(self, request):
        return listing.select(request, MESSAGES, listing.in_view(request, self._records.messages),
                              lambda message: _message(request, message))

    def show_message(self, request, identifier):
        return {'message': _message(request, self._find_message(request, identifier))}

    def delete_message(self, request, identifier):
        access.require_member(request.identity, 'message:delete')
        with self._records.change() as change:
            change.delete(self._records.messages, self._find_message(request, identifier))

    def _find_message(self, request, identifier):
        message = self._records.messages.by_id.get(identifier)
        if message is None or not access.owns(request.identity, message):
            raise faults.missing('message', identifier)
        return message

    def list_pools(self, request):
        access.require_admin(request.identity, 'scheduler_extension:scheduler_stats:get_pools')
        pool = {'name': self._service.place}
        if schemas.argument(request, 'detail'):
            total, free = self._files.space()
            pool['capabilities'] = {
                **CAPABILITIES, 'total_capacity_gb': round(total / file_module.GIGABYTE, 2),
                'free_capacity_gb': round(free / file_module.GIGABYTE, 2),
                'allocated_capacity_gb': sum(volume['size'] for volume in self._records.volumes),
                'reserved_percentage': 0, 'timestamp': record_module.now()}
        return {'pools': [pool]}

    def _about(self):
        return {name: value for name, value in CAPABILITIES.items() if isinstance(value, str)}

    def capabilities(self, request, host):
        access.require_admin(request.identity, 'volume_extension:capabilities')
        self._require_here(host)
        return {**self._about(), 'namespace': 'OS::Storage::Capabilities::' + self._service.host,
                'display_name': None, 'description': None, 'visibility': None, 'replication_targets': [],
                'properties': {}}

    def list_hosts(self, request):
        access.require_admin(request.identity, 'volume_extension:hosts')
        about = self._service.view(0)
        return {'hosts': [{
            'host_name': self._service.host, 'service': BINARY, 'zone': volumes.ZONE, 'service-status': 'available',
            'service-state': about['status'], 'last-update': about['updated_at']}]}

    def show_host(self, request, host):
        """How much the host has, in all and of each project."""
        access.require_admin(request.identity, 'volume_extension:hosts')
        self._require_here(host)
        projects = sorted({volume['project_id'] for volume in self._records.volumes})
        return {'host': [{'resource': self._counted(host, project)} for project in (None, *projects)]}

    def _counted(self, host, project):
        sizes, snapshot_sizes = ([item['size'] for item in collection if project in (None, item['project_id'])]
                                 for collection in (self._records.volumes, self._records.snapshots))
        return {'host': host, 'project': project or '(total)', 'volume_count': str(len(sizes)),
                'total_volume_gb': str(sum(sizes)), 'snapshot_count': str(len(snapshot_sizes)),
                'total_snapshot_gb': str(sum(snapshot_sizes))}

    def _require_here(self, host):
        if host not in (self._service.host, self._service.place):
            raise rest.Fault(404, 'Host %s could not be found.' % host[:255])

    def list_qos(self, request):
        access.require_admin(request.identity, 'volume_extension:qos_specs_manage:get_all')
        return {'qos_specs': []}


def _meets(has, wanted):
    """Whether a capability is what an extra spec asks for: the text itself, `<is> True`, `<in> part`, `<or> a <or> b`.
    """
    words = (wanted or '').split()
    if has is None or not words:
        return False
    if words[0] == '<is>':
        return str(has).lower() == ' '.join(words[1:]).lower()
    if words[0] == '<in>':
        return ' '.join(words[1:]) in str(has)
    if words[0] == '<or>':
        return str(has) in [choice.strip() for choice in wanted.split('<or>')]
    return str(has) == wanted


def _message(request, message):
    """A message with a link to itself."""
    shown = {name: message[name] for name in (
        'id', 'event_id', 'user_message', 'message_level', 'created_at', 'guaranteed_until', 'request_id',
        'resource_type', 'resource_uuid')}
    path = '/v3/%s/messages/%s' % (request.identity.project_id, message['id'])
    return {**shown, 'links': [{'rel': rel, 'href': request.host_url + link}
                               for rel, link in (('self', path), ('bookmark', path.removeprefix('/v3')))]}
