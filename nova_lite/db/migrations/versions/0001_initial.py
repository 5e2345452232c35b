# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The first schema, and the flavors that every cloud begins with."""

import sqlalchemy as sa
from alembic import op

from nova_lite.db import types

revision = '0001'
down_revision = None

# flavorid, name, MiB of memory, processors, GiB of root disk
FLAVORS = (
    ('42', 'm1.nano', 128, 1, 1), ('84', 'm1.micro', 192, 1, 1), ('1', 'm1.tiny', 512, 1, 1),
    ('2', 'm1.small', 2048, 1, 20), ('3', 'm1.medium', 4096, 2, 40), ('4', 'm1.large', 8192, 4, 80),
    ('5', 'm1.xlarge', 16384, 8, 160))


def upgrade():
    _instances()
    _belongings()
    _actions()
    _flavors()
    _hosts()
    _users_and_groups()
    _seed()


def _table(name, *columns):
    # MariaDB ends a transaction with each table, so an upgrade that was cut short finds some of them there
    op.create_table(name, sa.Column('id', sa.Integer, primary_key=True), *columns, if_not_exists=True,
                    mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin', mysql_engine='InnoDB')


def _index(name, table, *columns):
    op.create_index(name, table, list(columns), if_not_exists=True)


def _text(name, length=255, **kwargs):
    return sa.Column(name, sa.String(length), **kwargs)


def _uuid(name, **kwargs):
    return sa.Column(name, sa.String(36), nullable=False, **kwargs)


def _int(name, default=None):
    return sa.Column(name, sa.Integer, nullable=default is None, server_default=default and sa.text(default))


def _bool(name):
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _float(name):
    return sa.Column(name, sa.Float, nullable=False)


def _time(name, **kwargs):
    return sa.Column(name, types.DateTime, **kwargs)


def _long(name, **kwargs):
    return sa.Column(name, types.LongText, **kwargs)


def _instances():
    _table(
        'instances',
        _uuid('uuid', unique=True), _text('project_id', nullable=False), _text('user_id', nullable=False),
        _text('display_name', nullable=False), _long('display_description'), _text('hostname'),
        _text('vm_state', nullable=False), _text('task_state'), _int('power_state', '0'), _int('progress', '0'),
        _text('image_ref', nullable=False, server_default=''), _text('kernel_id'), _text('ramdisk_id'),
        _text('host'), _text('node'), _text('availability_zone'), _text('reservation_id'), _int('launch_index', '0'),
        _text('key_name'), _long('key_data'), _long('user_data'), _bool('config_drive'), _text('root_device_name'),
        _bool('auto_disk_config'), _text('access_ip_v4'), _text('access_ip_v6'), _bool('locked'),
        _long('flavor', nullable=False), _long('image_meta', nullable=False), _long('metadata', nullable=False),
        _long('system_metadata', nullable=False), _long('tags', nullable=False),
        _long('security_groups', nullable=False), _long('network_info', nullable=False), _long('fault'),
        _time('created_at', nullable=False), _time('updated_at', nullable=False), _time('launched_at'),
        _time('terminated_at'), _time('deleted_at'), _bool('deleted'),
        _text('flavorid', nullable=False), _int('vcpus', '0'), _int('memory_mb', '0'),
        _text('state_token', 64), _bool('release_pending'), _long('kept_ports'), _text('scheduled_by'),
        _text('scheduled_host'), _time('host_since'))
    _index('ix_instances_project', 'instances', 'project_id', 'deleted', 'created_at')
    _index('ix_instances_created', 'instances', 'deleted', 'created_at')
    _index('ix_instances_host', 'instances', 'host', 'deleted')
    _index('ix_instances_vm_state', 'instances', 'deleted', 'vm_state')
    _index('ix_instances_task_state', 'instances', 'deleted', 'task_state')
    _index('ix_instances_release', 'instances', 'release_pending')


def _belongings():
    _table(
        'build_requests',
        _uuid('instance_uuid', unique=True), _long('build_request', nullable=False),
        _time('created_at', nullable=False))
    _table(
        'block_devices',
        _uuid('instance_uuid'), _uuid('uuid', unique=True),
        _text('source_type', 32, nullable=False), _text('destination_type', 32, nullable=False),
        _text('guest_format', 32), _text('device_type', 32), _text('disk_bus', 32), _int('boot_index'),
        _text('device_name'), _bool('delete_on_termination'), _text('image_id', 36), _text('volume_id', 36),
        _text('snapshot_id', 36), _int('volume_size'), _text('volume_type'), _long('connection_info'),
        _text('attachment_id', 36), _bool('no_device'), _text('tag'))
    _index('ix_block_devices_instance_uuid', 'block_devices', 'instance_uuid')
    _index('ix_block_devices_volume_id', 'block_devices', 'volume_id')


def _actions():
    _table(
        'instance_actions',
        _uuid('instance_uuid'), _text('request_id', nullable=False), _text('action', 64, nullable=False),
        _text('user_id'), _text('project_id'), _time('start_time', nullable=False), _time('finish_time'),
        _text('message'))
    _index('ix_instance_actions', 'instance_actions', 'instance_uuid', 'request_id')
    _table(
        'instance_action_events',
        _uuid('instance_uuid'), _text('request_id', nullable=False), _text('event', nullable=False), _text('host'),
        _time('start_time', nullable=False), _time('finish_time'), _text('result', 32), _long('details'),
        _long('traceback'))
    _index('ix_instance_action_events', 'instance_action_events', 'instance_uuid', 'request_id')


def _flavors():
    _table(
        'flavors',
        _text('flavorid', nullable=False, unique=True), _text('name', nullable=False, unique=True),
        _int('memory_mb', '0'), _int('vcpus', '0'), _int('root_gb', '0'), _int('ephemeral_gb', '0'), _int('swap', '0'),
        _float('rxtx_factor'), _int('vcpu_weight', '0'), _bool('is_public'), _bool('disabled'), _long('description'),
        _long('extra_specs', nullable=False), _time('created_at', nullable=False), _time('updated_at'))
    _table(
        'flavor_projects',
        _text('flavorid', nullable=False), _text('project_id', nullable=False),
        sa.UniqueConstraint('flavorid', 'project_id', name='uq_flavor_projects'))


def _hosts():
    _table(
        'services',
        _uuid('uuid', unique=True), _text('host', nullable=False), _text('binary', nullable=False), _text('topic'),
        _bool('disabled'), _text('disabled_reason'), _bool('forced_down'), _int('report_count', '0'),
        _text('availability_zone'), _time('last_seen_up'), _time('created_at', nullable=False), _time('updated_at'),
        sa.UniqueConstraint('host', 'binary', name='uq_services'))
    _table(
        'compute_nodes',
        _uuid('uuid', unique=True), _text('host', nullable=False), _text('hypervisor_hostname', nullable=False),
        _int('vcpus', '0'), _int('memory_mb', '0'), _int('local_gb', '0'), _int('vcpus_used', '0'),
        _int('memory_mb_used', '0'), _int('local_gb_used', '0'), _int('running_vms', '0'),
        _float('cpu_allocation_ratio'), _float('ram_allocation_ratio'), _float('disk_allocation_ratio'),
        _int('reserved_memory_mb', '0'), _int('reserved_disk_gb', '0'), _int('reserved_vcpus', '0'),
        _text('hypervisor_type', nullable=False), _int('hypervisor_version', '0'), _long('cpu_info', nullable=False),
        _long('supported_instances', nullable=False), _long('traits', nullable=False), _text('host_ip', 64),
        _time('created_at', nullable=False), _time('updated_at'),
        sa.UniqueConstraint('host', 'hypervisor_hostname', name='uq_compute_nodes'))


def _users_and_groups():
    _table(
        'keypairs',
        _text('user_id', nullable=False), _text('name', nullable=False), _text('fingerprint', nullable=False),
        _long('public_key', nullable=False), _text('type', 32, nullable=False), _time('created_at', nullable=False),
        sa.UniqueConstraint('user_id', 'name', name='uq_keypairs'))
    _table(
        'quotas',
        _text('project_id', nullable=False), _text('resource', 64, nullable=False), _int('hard_limit', '0'),
        sa.UniqueConstraint('project_id', 'resource', name='uq_quotas'))
    _table(
        'instance_groups',
        _uuid('uuid', unique=True), _text('name', nullable=False), _text('project_id', nullable=False),
        _text('user_id', nullable=False), _text('policy', 32, nullable=False), _long('rules', nullable=False),
        _time('created_at', nullable=False))
    _index('ix_instance_groups_project_id', 'instance_groups', 'project_id')
    _table(
        'instance_group_members',
        _uuid('group_uuid'), _uuid('instance_uuid'),
        sa.UniqueConstraint('group_uuid', 'instance_uuid', name='uq_instance_group_members'))
    _index('ix_instance_group_members_instance_uuid', 'instance_group_members', 'instance_uuid')


def _seed():
    names = ('flavorid', 'name', 'memory_mb', 'vcpus', 'root_gb')
    table = sa.table('flavors', *map(sa.column, (*names, 'rxtx_factor', 'extra_specs', 'created_at')),
                     sa.column('is_public', sa.Boolean))
    connection = op.get_bind()
    known = set(connection.scalars(sa.select(table.c.flavorid)))
    missing = [dict(zip(names, row, strict=True)) for row in FLAVORS if row[0] not in known]
    if missing:
        connection.execute(sa.insert(table).values(
            rxtx_factor=1.0, extra_specs='{}', is_public=True, created_at=types.utcnow()), missing)
