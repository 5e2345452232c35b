# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about servers: create, update, list and actions, by microversion."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation
from nova_lite.api.openstack.compute.schemas import types

MAX_TAGS = 50
TAG = {'type': 'string', 'minLength': 1, 'maxLength': 60, 'pattern': '^[^,/]*$'}
_DEVICE_NAME = {'type': 'string', 'minLength': 1, 'maxLength': 255, 'pattern': '^[a-zA-Z0-9._/-]*$'}
_WORD = {'type': 'string', 'maxLength': 255}
DESCRIPTION = {'type': ['string', 'null'], 'maxLength': 255, 'format': 'text'}
HOSTNAME = {'type': 'string', 'minLength': 2, 'maxLength': 63, 'pattern': '^[a-zA-Z0-9]+[a-zA-Z0-9-]*[a-zA-Z0-9]+$'}
FQDN = {'type': 'string', 'minLength': 1, 'maxLength': 255, 'pattern': '^[a-zA-Z0-9._-]*$'}
CERTIFICATES = {'type': ['array', 'null'], 'minItems': 1, 'maxItems': 50, 'uniqueItems': True,
                'items': {'type': 'string', 'minLength': 1, 'maxLength': 255}}
_IPV4 = {'type': 'string', 'format': 'ipv4'}
_IPV6 = {'type': 'string', 'format': 'ipv6'}
_ADDRESS = {'type': 'string', 'oneOf': [{'format': 'ipv4'}, {'format': 'ipv6'}]}
_UUIDS = {'oneOf': [types.UUID, {'type': 'array', 'items': types.UUID}]}
_COUNT = types.integer(1)


def _changed(properties, *removed, **added):
    """Properties without some and with others."""
    return {**{name: schema for name, schema in properties.items() if name not in removed}, **added}


# ---- create --------------------------------------------------------------------------------------------------

METADATA = {'type': 'object', 'additionalProperties': False,
             'patternProperties': {r'^[a-zA-Z0-9\-_:. ]{1,255}$': {'type': 'string', 'maxLength': 255}}}

_LEGACY_DEVICE = {
    'virtual_name': _WORD, 'volume_id': types.UUID, 'snapshot_id': types.UUID, 'volume_size': types.integer(1),
    'device_name': _DEVICE_NAME, 'delete_on_termination': types.BOOLEAN, 'no_device': {},
    'connection_info': {'type': 'string', 'maxLength': 65535}}
_DEVICE = _LEGACY_DEVICE | {
    'source_type': {'enum': ['volume', 'image', 'snapshot', 'blank']},
    'uuid': {'type': 'string', 'minLength': 1, 'maxLength': 255, 'pattern': '^[a-zA-Z0-9._-]*$'},
    'image_id': types.UUID, 'destination_type': {'enum': ['local', 'volume']}, 'guest_format': _WORD,
    'device_type': _WORD, 'disk_bus': _WORD,
    'boot_index': {'type': ['integer', 'string', 'null'], 'pattern': '^-?[0-9]+$', 'maxLength': 10}}
_NETWORK = {'fixed_ip': _ADDRESS, 'port': {'type': ['string', 'null'], 'format': 'uuid'}, 'uuid': types.UUID}


def _list(properties, *required):
    return {'type': 'array', 'items': types.closed(required, **properties)}


def _networks(properties):
    return {'oneOf': [_list(properties), {'enum': ['none', 'auto']}]}


_CREATE = {
    'name': types.NAME, 'imageRef': {'oneOf': [types.UUID, {'type': 'string', 'maxLength': 0}]},
    'flavorRef': {'type': ['string', 'integer'], 'minLength': 1, 'maxLength': 1024},
    'adminPass': {'type': 'string', 'maxLength': 1024}, 'metadata': METADATA, 'networks': _list(_NETWORK),
    'OS-DCF:diskConfig': {'enum': ['AUTO', 'MANUAL']}, 'accessIPv4': _IPV4, 'accessIPv6': _IPV6,
    'personality': _list({'path': {'type': 'string'}, 'contents': {'type': 'string', 'format': 'base64'}}),
    'availability_zone': types.NAME, 'block_device_mapping': _list(_LEGACY_DEVICE),
    'block_device_mapping_v2': _list(_DEVICE), 'config_drive': types.BOOLEAN, 'key_name': types.NAME,
    'min_count': _COUNT, 'max_count': _COUNT, 'return_reservation_id': types.BOOLEAN,
    'security_groups': _list({'name': types.NAME}),
    'user_data': {'type': ['string', 'null'], 'format': 'base64', 'maxLength': 65535}}

_HINTS = {
    'type': 'object', 'additionalProperties': True,
    'properties': {
        'group': _UUIDS, 'different_host': _UUIDS, 'same_host': _UUIDS,
        'query': {'type': ['string', 'object']}, 'target_cell': types.NAME,
        'different_cell': {'type': ['string', 'array'], 'items': {'type': 'string'}},
        'build_near_host_ip': _ADDRESS, 'cidr': {'type': 'string', 'pattern': '^/[0-9a-f.:]+$'}}}


def _create(properties, *required):
    server = types.closed(['name', 'flavorRef', *required], **properties)
    return types.closed(['server'], server=server,
                        **{'os:scheduler_hints': _HINTS, 'OS-SCH-HNT:scheduler_hints': _HINTS})


def _creates():
    """{microversion: schema}: what each microversion changed of the one before it."""
    tagged_device, tagged_network = _DEVICE | {'tag': TAG}, _NETWORK | {'tag': TAG}
    v2_19 = _changed(_CREATE, description=DESCRIPTION)
    v2_32 = _changed(v2_19, block_device_mapping_v2=_list(tagged_device), networks=_list(tagged_network))
    v2_33 = _changed(v2_32, block_device_mapping_v2=_list(_DEVICE))
    v2_37 = _changed(v2_33, networks=_networks(_NETWORK))
    v2_42 = _changed(v2_37, block_device_mapping_v2=_list(tagged_device), networks=_networks(tagged_network))
    v2_52 = _changed(v2_42, tags={'type': 'array', 'items': TAG, 'maxItems': MAX_TAGS})
    v2_57 = _changed(v2_52, 'personality')
    v2_63 = _changed(v2_57, trusted_image_certificates=CERTIFICATES)
    v2_67 = _changed(v2_63, block_device_mapping_v2=_list(
        tagged_device | {'volume_type': {'type': ['string', 'null'], 'maxLength': 255}}))
    v2_74 = _changed(v2_67, host=types.HOST, hypervisor_hostname=types.HOST)
    v2_90 = _changed(v2_74, hostname=HOSTNAME)
    v2_94 = _changed(v2_90, hostname=FQDN)
    free = {'2.1': _CREATE, '2.19': v2_19, '2.32': v2_32, '2.33': v2_33}
    named = {'2.37': v2_37, '2.42': v2_42, '2.52': v2_52, '2.57': v2_57, '2.63': v2_63, '2.67': v2_67, '2.74': v2_74,
             '2.90': v2_90, '2.94': v2_94}
    return {**{version: _create(properties) for version, properties in free.items()},
            **{version: _create(properties, 'networks') for version, properties in named.items()}}


CREATE = microversions.Since(_creates())

# ---- update --------------------------------------------------------------------------------------------------

_UPDATE = {name: _CREATE[name] for name in ('name', 'OS-DCF:diskConfig', 'accessIPv4', 'accessIPv6')}
_ZONE = {'oneOf': [{'type': 'string', 'minLength': 1, 'maxLength': 255}, {'type': 'null'}]}


def _update(**added):
    return types.only('server', types.closed((), **_UPDATE, **added))


UPDATE = microversions.Since({
    '2.1': _update(),
    '2.19': _update(description=DESCRIPTION),
    '2.90': _update(description=DESCRIPTION, hostname=HOSTNAME),
    '2.94': _update(description=DESCRIPTION, hostname=FQDN),
    '2.104': _update(description=DESCRIPTION, hostname=FQDN, pinned_availability_zone=_ZONE),
})

# ---- list ----------------------------------------------------------------------------------------------------

SORT_KEYS = [
    'access_ip_v4', 'access_ip_v6', 'auto_disk_config', 'availability_zone', 'config_drive', 'created_at',
    'display_description', 'display_name', 'host', 'hostname', 'image_ref', 'instance_type_id', 'kernel_id', 'key_name',
    'launch_index', 'launched_at', 'locked_by', 'node', 'power_state', 'progress', 'project_id', 'ramdisk_id',
    'root_device_name', 'task_state', 'terminated_at', 'updated_at', 'user_id', 'uuid', 'vm_state']
# accepted before 2.75, but no order that anybody could see
_IGNORED_SORT_KEYS = [
    'architecture', 'cell_name', 'cleaned', 'default_ephemeral_device', 'default_swap_device', 'deleted', 'deleted_at',
    'disable_terminate', 'ephemeral_gb', 'ephemeral_key_uuid', 'id', 'key_data', 'launched_on', 'locked', 'memory_mb',
    'os_type', 'reservation_id', 'root_gb', 'shutdown_terminate', 'user_data', 'vcpus', 'vm_mode']

_REGEX = {'type': 'string', 'format': 'regex', 'maxLength': 255}
_LIST = types.PAGE | {
    **dict.fromkeys(('access_ip_v4', 'access_ip_v6', 'auto_disk_config', 'availability_zone', 'config_drive',
                     'created_at', 'description', 'display_description', 'display_name', 'flavor', 'hostname', 'ip',
                     'ip6', 'kernel_id', 'key_name', 'launched_at', 'locked_by', 'name', 'node', 'power_state',
                     'progress', 'ramdisk_id', 'reservation_id', 'root_device_name', 'terminated_at'), _REGEX),
    **dict.fromkeys(('all_tenants', 'deleted', 'host', 'image', 'image_ref', 'launch_index', 'project_id',
                     'soft_deleted', 'status', 'task_state', 'tenant_id', 'user_id', 'uuid', 'vm_state'), types.STRING),
    'changes-since': types.DATE, 'sort_key': {'enum': SORT_KEYS + _IGNORED_SORT_KEYS},
    'sort_dir': {'enum': ['asc', 'desc']}}
_TAGGED = _LIST | dict.fromkeys(('tags', 'tags-any', 'not-tags', 'not-tags-any'), types.STRING)
_BEFORE = _TAGGED | {'changes-before': types.DATE}
_LOCKED = _BEFORE | {'locked': types.STRING}


LIST_QUERY = microversions.Since({
    '2.1': validation.Query(_LIST),
    '2.26': validation.Query(_TAGGED),
    '2.66': validation.Query(_BEFORE),
    '2.73': validation.Query(_LOCKED),
    '2.75': validation.Query(_LOCKED | {'sort_key': {'enum': SORT_KEYS + ['locked']}}, strict=True),
})

# ---- actions -------------------------------------------------------------------------------------------------

GET_CONSOLE_OUTPUT = types.only('os-getConsoleOutput', types.closed((), length={
    'type': ['integer', 'string', 'null'], 'pattern': '^-?[0-9]+$', 'minimum': -1, 'maxLength': 10}))
