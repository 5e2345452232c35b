# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to give a server another flavor or another host, and to keep that or to go back."""

from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite.compute import api_checks
from nova_lite.db import flavors
from nova_lite.db import moves
from nova_lite.objects import migration as migration_obj


class Resizes:
    """operations: api_operations.Operations; lookups: api_lookups.Lookups; quotas: api_quota.Quotas; same_host_allowed:
    whether a server may stay where it is when it gets another flavor.

    Methods take the context and the Instance, and raise as those of Operations do.
    """

    def __init__(self, db, operations, lookups, quotas, same_host_allowed):
        self._db = db
        self._operations = operations
        self._lookups = lookups
        self._quotas = quotas
        self._same_host_allowed = same_host_allowed

    def resize(self, ctxt, instance, flavor_id, auto_disk_config=None):
        """:raises Invalid: no such flavor, the same one, or one that this server cannot have; OverQuota:"""
        self._operations.check(ctxt, instance, 'resize')
        flavor = self._flavor(ctxt, instance, flavor_id)
        _check_fits(instance, flavor)
        _check_disk_config(instance, auto_disk_config)
        self._quotas.check_growth(instance.project_id, instance.flavor, flavor)
        self._begin(ctxt, instance, 'resize', flavor, auto_disk_config=auto_disk_config,
                    ignore_hosts=[] if self._same_host_allowed else [instance.host])

    def migrate(self, ctxt, instance, host=None):
        """host: the only one wanted; None: the scheduler's choice. :raises Invalid: it is no host, or the server's"""
        self._operations.check(ctxt, instance, 'migrate')
        if host is not None:
            if host == instance.host:
                raise exception.Invalid('Cannot migrate to the host where the server exists.')
            self._lookups.check_migration_host(host)
        self._begin(ctxt, instance, 'migrate', instance.flavor, to_host=host, ignore_hosts=[instance.host])

    def confirm(self, ctxt, instance):
        """:raises Invalid: it was not resized; Conflict: it is on its way back"""
        self._end(ctxt, instance, 'confirm_resize', 'confirmResize', migration_obj.REVERTING,
                  lambda migration: migration.source_compute)

    def revert(self, ctxt, instance):
        """:raises Invalid: it was not resized; Conflict: the way back is forgotten already"""
        self._end(ctxt, instance, 'revert_resize', 'revertResize', migration_obj.CONFIRMING,
                  lambda migration: migration.dest_compute)

    def _flavor(self, ctxt, instance, flavor_id):
        try:
            flavor = flavors.get_by_flavorid(self._db, flavor_id, project_id=ctxt.project_id, is_admin=ctxt.is_admin)
        except exception.FlavorNotFound as exc:
            raise exception.FlavorNotUsable(flavor_id=flavor_id) from exc
        if flavor.flavorid == instance.flavor.flavorid:
            raise exception.Invalid('When resizing, instances must change flavor!')
        if flavor.disabled:
            raise exception.FlavorNotUsable(flavor_id=flavor_id)
        return flavor

    def _begin(self, ctxt, instance, name, flavor, **arguments):
        self._lookups.check_host_up(instance)
        kind = migration_obj.RESIZE if name == 'resize' else migration_obj.MIGRATION
        migration = migration_obj.Migration(
            uuid=uuidutils.generate_uuid(), instance_uuid=instance.uuid, migration_type=kind,
            status=migration_obj.PREPARING, old_flavor=instance.flavor, new_flavor=flavor,
            source_compute=instance.host, source_node=instance.node, old_vm_state=instance.vm_state,
            user_id=ctxt.user_id, project_id=ctxt.project_id)
        self._operations.record(ctxt, instance, name, migration=migration, **arguments)

    def _end(self, ctxt, instance, name, method, forbidden, host_of):
        self._operations.check(ctxt, instance, name, method)
        migration = next((item for item in moves.of_instance(self._db, instance.uuid) if item.moved), None)
        if migration is None:
            raise exception.Invalid('Instance has not been resized.')
        if migration.status == forbidden:
            raise exception.Conflict("Cannot '%s' instance %s: the opposite was begun and has to be asked for again"
                                     % (method, instance.uuid))
        for host in (migration.source_compute, migration.dest_compute):
            self._lookups.check_host_is_up(host, instance)
        self._operations.record(ctxt, instance, name, method=method, host=host_of(migration), migration=migration)


def _check_fits(instance, flavor):
    """:raises Invalid: the server's disks do not fit, or its image asks for more"""
    old = instance.flavor
    if instance.image_ref:
        if old.root_gb and not flavor.root_gb:
            raise exception.Invalid('Resize to zero disk flavor is not allowed.')
        if flavor.root_gb < old.root_gb or flavor.ephemeral_gb < old.ephemeral_gb:
            raise exception.Invalid('Unable to resize disk down.')
        api_checks.check_room(instance.image_meta, flavor)


def _check_disk_config(instance, auto_disk_config):
    if auto_disk_config and str(instance.image_meta.properties.get('auto_disk_config', '')).lower() == 'disabled':
        raise exception.Invalid('Requested image %s has automatic disk resize disabled.' % instance.image_ref)
