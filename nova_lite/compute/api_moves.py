# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to take a server to another host while it runs, and to make one anew whose host is down."""

from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.db import compute_nodes
from nova_lite.db import moves
from nova_lite.db import operations as operations_db
from nova_lite.objects import migration as migration_obj

LIVE, LIVE_METHOD = 'live_migrate', 'os-migrateLive'
HYPERVISORS = ('fake',)     # whose guests can go to another host while they run


class Moves:
    """operations: api_operations.Operations; compute: compute.rpcapi.ComputeAPI; lookups: api_lookups.Lookups."""

    def __init__(self, db, operations, compute, lookups):
        self._db = db
        self._operations = operations
        self._compute = compute
        self._lookups = lookups

    def live_migrate(self, ctxt, instance, host=None):
        """host: the only one wanted. :raises Invalid: it is no host, or the server's own, or its guests cannot"""
        self._operations.check(ctxt, instance, LIVE, LIVE_METHOD)
        self._lookups.check_host_up(instance)
        if not any(node.hypervisor_type in HYPERVISORS for node in compute_nodes.list_(self._db)
                   if node.host == instance.host):
            raise exception.Invalid('The hypervisor of the server\'s host cannot migrate guests while they run.')
        if host == instance.host:
            raise exception.Invalid('Unable to migrate instance (%s) to current host (%s).' % (instance.uuid, host))
        if host is not None:
            self._lookups.check_migration_host(host)
        self._begin(ctxt, instance, LIVE, migration_obj.LIVE_MIGRATION, LIVE_METHOD, to_host=host)

    def evacuate(self, ctxt, instance, host=None, stay_off=False):
        """:raises Invalid: the server's host is not down, or `host` is it; NotFound: there is no such host"""
        self._operations.check(ctxt, instance, 'evacuate')
        if not instance.host:
            raise exception.InstanceNotReady(instance_id=instance.uuid)
        if self._lookups.host_is_up(instance.host):
            raise exception.Invalid('Compute service of %s is still in use.' % instance.host)
        if host == instance.host:
            raise exception.Invalid("The target host can't be the same one.")
        if host is not None:
            self._lookups.check_evacuation_host(host)
        self._begin(ctxt, instance, 'evacuate', migration_obj.EVACUATION, 'evacuate', to_host=host,
                    stay_off=stay_off or instance.vm_state == vm_states.STOPPED)

    def _begin(self, ctxt, instance, name, kind, method, **arguments):
        migration = migration_obj.Migration(
            uuid=uuidutils.generate_uuid(), instance_uuid=instance.uuid, migration_type=kind,
            status=migration_obj.ACCEPTED, old_flavor=instance.flavor, new_flavor=instance.flavor,
            source_compute=instance.host, source_node=instance.node, old_vm_state=instance.vm_state,
            user_id=ctxt.user_id, project_id=ctxt.project_id)
        self._operations.record(ctxt, instance, name, method=method, migration=migration,
                                ignore_hosts=[instance.host], **arguments)

    # ---- a live migration under way ------------------------------------------------------------------------------

    def force_complete(self, ctxt, instance, migration_id):
        """:raises NotFound: no such migration; Invalid: it does not copy now; InstanceInvalidState:"""
        self._under_way(ctxt, instance, migration_id, 'force complete', (migration_obj.RUNNING,))
        self._compute.force_live_migration(ctxt, instance.host, instance.uuid)

    def abort(self, ctxt, instance, migration_id, early):
        """early: also one that waits or prepares. :raises: as force_complete"""
        states = (migration_obj.RUNNING,)
        if early:
            states += (migration_obj.QUEUED, migration_obj.ACCEPTED, migration_obj.PREPARING_LIVE)
        migration = self._under_way(ctxt, instance, migration_id, 'abort live migration', states)
        for order in operations_db.list_by_instance(self._db, instance.uuid):
            if order.name == LIVE and order.host is not None:
                self._compute.abort_live_migration(ctxt, order.host, instance.uuid, order.uuid, migration.id)

    def _under_way(self, ctxt, instance, migration_id, method, states):
        if instance.task_state != task_states.MIGRATING:
            raise exception.InstanceInvalidState(method=method, instance_uuid=instance.uuid, attr='task_state',
                                                 state=instance.task_state)
        found = [item for item in moves.of_instance(self._db, instance.uuid) if str(item.id) == str(migration_id)
                 and item.migration_type == migration_obj.LIVE_MIGRATION]
        if not found:
            raise exception.NotFound('Migration %s not found for instance %s' % (str(migration_id)[:64], instance.uuid))
        if found[0].status not in states:
            raise exception.Invalid(
                'Migration %s state of instance %s is %s. Cannot %s while the migration is in this state.'
                % (found[0].id, instance.uuid, found[0].status, method))
        return found[0]
