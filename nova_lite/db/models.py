# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The tables. A change here needs a migration in `migrations/versions`; a test compares the two.

Columns that have a field of the same name in `nova_lite/objects` hold that field; others say here what they are for.
"""

import sqlalchemy as sa

from nova_lite.db import types

metadata = sa.MetaData()

_NAME_LENGTH = 255
_UUID_LENGTH = 36


def _table(name, *columns):
    return sa.Table(name, metadata, sa.Column('id', sa.Integer, primary_key=True), *columns,
                    mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin', mysql_engine='InnoDB')


def _text(name, length=_NAME_LENGTH, **kwargs):
    return sa.Column(name, sa.String(length), **kwargs)


def _uuid(name, **kwargs):
    return sa.Column(name, sa.String(_UUID_LENGTH), nullable=False, **kwargs)


def _int(name, default=None):
    return sa.Column(name, sa.Integer, nullable=default is None, server_default=default and sa.text(default))


def _bool(name):
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _time(name, **kwargs):
    return sa.Column(name, types.DateTime, **kwargs)


def _json(name, **kwargs):
    return sa.Column(name, types.Json, **kwargs)


instances = _table(
    'instances',
    _uuid('uuid', unique=True), _text('project_id', nullable=False), _text('user_id', nullable=False),
    _text('display_name', nullable=False), sa.Column('display_description', types.LongText), _text('hostname'),
    _text('vm_state', nullable=False), _text('task_state'), _int('power_state', '0'), _int('progress', '0'),
    _text('image_ref', nullable=False, server_default=''), _text('kernel_id'), _text('ramdisk_id'),
    _text('host'), _text('node'), _text('availability_zone'), _text('reservation_id'), _int('launch_index', '0'),
    _text('key_name'), sa.Column('key_data', types.LongText), sa.Column('user_data', types.LongText),
    _bool('config_drive'), _text('root_device_name'), _bool('auto_disk_config'),
    _text('access_ip_v4'), _text('access_ip_v6'), _bool('locked'),
    _json('flavor', nullable=False), _json('image_meta', nullable=False), _json('metadata', nullable=False),
    _json('system_metadata', nullable=False), _json('tags', nullable=False), _json('security_groups', nullable=False),
    _json('network_info', nullable=False), _json('fault'),
    _time('created_at', nullable=False), _time('updated_at', nullable=False), _time('launched_at'),
    _time('terminated_at'), _time('deleted_at'), _bool('deleted'),
    # parts of the flavor: quota sums them up, lists filter by them
    _text('flavorid', nullable=False), _int('vcpus', '0'), _int('memory_mb', '0'),
    # the last transition's token: a call that comes again with it has succeeded before
    _text('state_token', 64),
    # what it holds in Neutron and Placement has to be given back; the ids of its ports that are the user's, to be kept
    _bool('release_pending'), _json('kept_ports'),
    # which run of which conductor has taken the order to build it; the host that was chosen; since when that builds
    _text('scheduled_by'), _text('scheduled_host'), _time('host_since'),
    sa.Index('ix_instances_project', 'project_id', 'deleted', 'created_at'),
    sa.Index('ix_instances_created', 'deleted', 'created_at'),
    sa.Index('ix_instances_host', 'host', 'deleted'),
    sa.Index('ix_instances_vm_state', 'deleted', 'vm_state'),
    sa.Index('ix_instances_task_state', 'deleted', 'task_state'),
    sa.Index('ix_instances_release', 'release_pending'))

# what is under way on instances, beside building and deleting
operations = _table(
    'operations',
    _uuid('uuid', unique=True), _uuid('instance_uuid', index=True), _text('name', 64, nullable=False),
    _text('request_id', nullable=False), _text('user_id'), _text('project_id'), _json('arguments', nullable=False),
    _json('data', nullable=False), _text('step'), _text('host', index=True), _bool('undoing'), _bool('abandoned'),
    _json('fault'), _text('claimed_by'), _time('created_at', nullable=False),
    _time('updated_at', nullable=False, index=True))

# moves of instances between hosts or flavors, ended ones among them
migrations = _table(
    'migrations',
    _uuid('uuid', unique=True), _uuid('instance_uuid', index=True), _text('migration_type', 32, nullable=False),
    _text('status', 32, nullable=False, index=True), _text('source_compute', index=True), _text('source_node'),
    _text('dest_compute', index=True), _text('dest_node'), _text('dest_host'), _json('old_flavor', nullable=False),
    _json('new_flavor', nullable=False), _text('old_vm_state', 32), _text('user_id'), _text('project_id'),
    _json('progress', nullable=False), _time('created_at', nullable=False), _time('updated_at', nullable=False))

build_requests = _table(
    'build_requests',
    _uuid('instance_uuid', unique=True), _json('build_request', nullable=False), _time('created_at', nullable=False))

block_devices = _table(
    'block_devices',
    _uuid('instance_uuid', index=True), _uuid('uuid', unique=True),
    _text('source_type', 32, nullable=False), _text('destination_type', 32, nullable=False), _text('guest_format', 32),
    _text('device_type', 32), _text('disk_bus', 32), _int('boot_index'), _text('device_name'),
    _bool('delete_on_termination'), _text('image_id', _UUID_LENGTH), _text('volume_id', _UUID_LENGTH, index=True),
    _text('snapshot_id', _UUID_LENGTH), _int('volume_size'), _text('volume_type'), _json('connection_info'),
    _text('attachment_id', _UUID_LENGTH), _bool('no_device'), _text('tag'))

instance_actions = _table(
    'instance_actions',
    _uuid('instance_uuid'), _text('request_id', nullable=False), _text('action', 64, nullable=False),
    _text('user_id'), _text('project_id'), _time('start_time', nullable=False), _time('finish_time'), _text('message'),
    sa.Index('ix_instance_actions', 'instance_uuid', 'request_id'))

instance_action_events = _table(
    'instance_action_events',
    _uuid('instance_uuid'), _text('request_id', nullable=False), _text('event', nullable=False), _text('host'),
    _time('start_time', nullable=False), _time('finish_time'), _text('result', 32),
    sa.Column('details', types.LongText), sa.Column('traceback', types.LongText),
    sa.Index('ix_instance_action_events', 'instance_uuid', 'request_id'))

flavors = _table(
    'flavors',
    _text('flavorid', nullable=False, unique=True), _text('name', nullable=False, unique=True),
    _int('memory_mb', '0'), _int('vcpus', '0'), _int('root_gb', '0'), _int('ephemeral_gb', '0'), _int('swap', '0'),
    sa.Column('rxtx_factor', sa.Float, nullable=False), _int('vcpu_weight', '0'), _bool('is_public'), _bool('disabled'),
    sa.Column('description', types.LongText), _json('extra_specs', nullable=False),
    _time('created_at', nullable=False), _time('updated_at'))

flavor_projects = _table(
    'flavor_projects',
    _text('flavorid', nullable=False), _text('project_id', nullable=False),
    sa.UniqueConstraint('flavorid', 'project_id', name='uq_flavor_projects'))

services = _table(
    'services',
    _uuid('uuid', unique=True), _text('host', nullable=False), _text('binary', nullable=False), _text('topic'),
    _bool('disabled'), _text('disabled_reason'), _bool('forced_down'), _int('report_count', '0'),
    _text('availability_zone'), _time('last_seen_up'), _time('created_at', nullable=False), _time('updated_at'),
    sa.UniqueConstraint('host', 'binary', name='uq_services'))

compute_nodes = _table(
    'compute_nodes',
    _uuid('uuid', unique=True), _text('host', nullable=False), _text('hypervisor_hostname', nullable=False),
    _int('vcpus', '0'), _int('memory_mb', '0'), _int('local_gb', '0'), _int('vcpus_used', '0'),
    _int('memory_mb_used', '0'), _int('local_gb_used', '0'), _int('running_vms', '0'),
    sa.Column('cpu_allocation_ratio', sa.Float, nullable=False),
    sa.Column('ram_allocation_ratio', sa.Float, nullable=False),
    sa.Column('disk_allocation_ratio', sa.Float, nullable=False),
    _int('reserved_memory_mb', '0'), _int('reserved_disk_gb', '0'), _int('reserved_vcpus', '0'),
    _text('hypervisor_type', nullable=False), _int('hypervisor_version', '0'), _json('cpu_info', nullable=False),
    _json('supported_instances', nullable=False), _json('traits', nullable=False), _text('host_ip', 64),
    _time('created_at', nullable=False), _time('updated_at'),
    sa.UniqueConstraint('host', 'hypervisor_hostname', name='uq_compute_nodes'))

keypairs = _table(
    'keypairs',
    _text('user_id', nullable=False), _text('name', nullable=False), _text('fingerprint', nullable=False),
    sa.Column('public_key', types.LongText, nullable=False), _text('type', 32, nullable=False),
    _time('created_at', nullable=False), sa.UniqueConstraint('user_id', 'name', name='uq_keypairs'))

# limits of one project; those under the project '' are for all that have none of their own
quotas = _table(
    'quotas',
    _text('project_id', nullable=False), _text('resource', 64, nullable=False), _int('hard_limit', '0'),
    sa.UniqueConstraint('project_id', 'resource', name='uq_quotas'))

instance_groups = _table(
    'instance_groups',
    _uuid('uuid', unique=True), _text('name', nullable=False), _text('project_id', nullable=False, index=True),
    _text('user_id', nullable=False), _text('policy', 32, nullable=False), _json('rules', nullable=False),
    _time('created_at', nullable=False))

instance_group_members = _table(
    'instance_group_members',
    _uuid('group_uuid'), _uuid('instance_uuid', index=True),
    sa.UniqueConstraint('group_uuid', 'instance_uuid', name='uq_instance_group_members'))

aggregates = _table(
    'aggregates',
    _uuid('uuid', unique=True), _text('name', nullable=False, unique=True), _json('metadata', nullable=False),
    _time('created_at', nullable=False), _time('updated_at'))

aggregate_hosts = _table(
    'aggregate_hosts',
    sa.Column('aggregate_id', sa.Integer, nullable=False), _text('host', nullable=False),
    sa.UniqueConstraint('aggregate_id', 'host', name='uq_aggregate_hosts'))

# rows of deleted instances and of what belonged to them, as `nova-manage db archive_deleted_rows` took them away
shadow_rows = _table(
    'shadow_rows',
    _text('table_name', 64, nullable=False), _uuid('instance_uuid', index=True), _time('deleted_at', nullable=False),
    _json('content', nullable=False), sa.Index('ix_shadow_rows_deleted', 'deleted_at'))

console_auth_tokens = _table(
    'console_auth_tokens',
    _text('token_hash', 64, nullable=False, unique=True), _text('console_type', 32, nullable=False),
    _uuid('instance_uuid', index=True), _text('host', nullable=False),
    sa.Column('port', sa.Integer, nullable=False), _text('internal_access_path'),
    _time('created_at', nullable=False), _time('expires', nullable=False, index=True))
