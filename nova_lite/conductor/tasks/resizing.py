# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The conductor's part of resizes and migrations: where to, the automatic confirm, and what a delete leaves of them."""

import dataclasses
import datetime
import logging
import uuid

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import operations
from nova_lite.conductor.tasks import stage
from nova_lite.db import compute_nodes
from nova_lite.db import instances
from nova_lite.db import moves
from nova_lite.db import orders
from nova_lite.objects import migration as migration_obj
from nova_lite.objects import operation as operation_obj

LOG = logging.getLogger(__name__)


class Resize(stage.Stage):
    """What the instance holds goes over to its migration, for a way back; the scheduler claims for the instance anew.

    arguments: migration; to_host: the only one wanted, or None; ignore_hosts.
    """

    event = 'cold_migrate'

    @property
    def _migration(self):
        return self.operation.arguments['migration']

    def place(self):
        migration, arguments = moves.ensure(self.tools.db, self._migration), self.operation.arguments
        self.tools.placement.move_allocations(self.ctxt, self.instance.uuid, migration)
        chosen = self.select(flavor=migration.new_flavor, host=arguments.get('to_host'),
                             ignore_hosts=arguments.get('ignore_hosts') or ())
        self.keep(chosen)
        dest = {'dest_compute': chosen.service_host, 'dest_node': chosen.nodename,
                'dest_host': self._address(chosen)}
        moves.update(self.tools.db, migration.uuid, **dest)
        self.operation.data['migration'] = dataclasses.replace(migration, **dest)
        return self.instance.host

    def _address(self, chosen):
        """The address by which the hosts reach the chosen one."""
        return next((node.host_ip for node in compute_nodes.list_(self.tools.db)
                     if (node.host, node.hypervisor_hostname) == (chosen.service_host, chosen.nodename)), None)

    def undo(self):
        self.tools.placement.move_allocations(self.ctxt, self._migration.uuid, self.instance)

    def clear(self):
        """Everything is done again by `clear_deleted`, should this conductor not get that far."""
        _clear(self.tools, self.ctxt, self._migration)

    def failed_migration(self):
        return {'uuid': self._migration.uuid, 'status': migration_obj.ERROR}


class LiveMigrate(Resize):
    event = 'conductor_live_migrate_instance'


class Evacuate(Resize):
    """It begins where it goes to: the host where it is is down."""

    event = 'rebuild_server'

    def place(self):
        super().place()
        self.operation.data['off'] = self.operation.arguments['stay_off']
        return self.operation.data['dest_host']


# ---- deleted in the middle -----------------------------------------------------------------------------------

def clear_deleted(tools):
    """See to the moves of instances that are gone: nothing stays in Placement, nor on the other host."""
    for migration in moves.left_by_deleted(tools.db):
        tools.pool.spawn(_clear, tools, context.admin_context(), migration)


def _clear(tools, ctxt, migration):
    LOG.info('Clearing what the move of a deleted instance %s left', migration.instance_uuid)
    for consumer in (migration.uuid, migration.instance_uuid):
        tools.placement.delete_allocation_for_instance(ctxt, consumer)
    moves.update(tools.db, migration.uuid,
                 status=migration_obj.CONFIRMED if migration.moved else migration_obj.ERROR)
    for host in {migration.source_compute, migration.dest_compute} - {None}:
        tools.compute.remove_stray_guest(ctxt, host, migration.instance_uuid)


# ---- nobody confirms -----------------------------------------------------------------------------------------

def confirm_old(tools, host, window):
    """Confirm the resizes of the instances of a host that nobody confirmed for `window` seconds."""
    before = orders.clock(tools.db) - datetime.timedelta(seconds=window)
    for migration in moves.of_host(tools.db, host):
        if (migration.dest_compute != host or migration.status != migration_obj.FINISHED
                or migration.updated_at > before):
            continue
        ctxt = context.RequestContext(project_id=migration.project_id, is_admin=True, overwrite=False)
        spec = operations.SPECS['confirm_resize']
        order = operation_obj.Operation(
            uuid=str(uuid.uuid4()), instance_uuid=migration.instance_uuid, name='confirm_resize',
            request_id=ctxt.request_id, project_id=migration.project_id, arguments={'migration': migration},
            host=migration.source_compute)
        try:
            instances.request_operation(tools.db, ctxt, spec.requested, spec.action, order)
            LOG.info('Automatically confirming migration %s of instance %s', migration.uuid, migration.instance_uuid)
            tools.compute.run_operation(ctxt, order.host, order.instance_uuid, order.uuid)
        except (exception.UnexpectedTaskStateError, exception.InstanceNotFound) as exc:
            LOG.info('Not confirmed: %s', exc.message)
        except exception.MessagingUnavailable:
            LOG.warning('The message queue is away; the sweep will send it')
