# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the nodes of a host have, and what is taken of it: claims for builds, and a periodic recount.

A claim is arithmetic in memory. The recount asks the conductor which instances the host has, adds the claims in
flight, and reports node and inventory to conductor and Placement when they changed.
"""

import dataclasses
import uuid

from oslo_log import log

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import claims
from nova_lite.compute import resources
from nova_lite.compute import vm_states
from nova_lite.objects import service as service_obj

LOG = log.getLogger(__name__)

REPORT_EVERY = 10       # recounts after which an unchanged node is reported all the same


@dataclasses.dataclass
class _Node:
    """A node's record, what each instance takes of it, and the sums of that."""

    record: service_obj.ComputeNode
    usages: dict = dataclasses.field(default_factory=dict)      # instance uuid → {resource name: amount}
    used: dict = dataclasses.field(default_factory=dict)        # resource name → amount
    reported: service_obj.ComputeNode | None = None
    inventory: tuple = ()
    rounds: int = 0

    def put(self, instance_uuid, usage):
        """Count an instance in; None counts it out."""
        self._add(self.usages.pop(instance_uuid, {}), -1)
        if usage is not None:
            self.usages[instance_uuid] = usage
            self._add(usage, 1)

    def _add(self, usage, sign):
        for name, amount in usage.items():
            self.used[name] = self.used.get(name, 0) + sign * amount


class ResourceTracker:
    """conductor: a conductor_client.Conductor; placement: a scheduler.client.report.ReportClient."""

    def __init__(self, host, driver, conductor, placement, settings):
        self.host = host
        self._driver = driver
        self._conductor = conductor
        self._placement = placement
        self._settings = settings
        self._nodes = {}                # nodename → _Node
        self._in_flight = set()         # uuids whose claim is not kept or given back yet
        self._changed = None            # uuids claimed or freed since the recount under way began
        self._lock = concurrency.Semaphore()
        self._recount_lock = concurrency.Semaphore()

    # ---- claims --------------------------------------------------------------------------------------------------

    def instance_claim(self, instance, nodename, limits):
        """Take what an instance needs of a node; → Claim, a context manager.

        :raises ComputeResourcesUnavailable: it does not fit, or the host has no such node
        """
        wanted = resources.usage(instance)
        with self._lock:
            self._take(instance.uuid, wanted, nodename, limits)
            self._in_flight.add(instance.uuid)
        LOG.info('Claim successful on node %s: memory %d MB, disk %d GB, vcpus %d CPU', nodename, wanted['memory_mb'],
                 wanted['local_gb'], wanted['vcpus'], instance_uuid=instance.uuid)
        return claims.Claim(self, instance.uuid)

    def move_claim(self, migration_uuid, instance, nodename, limits):
        """Take what an instance will need here (`instance` is as it will be), under the uuid of its migration, until
        that has ended or the instance is here; `free` gives it back.

        :raises ComputeResourcesUnavailable: as instance_claim
        """
        with self._lock:
            self._take(migration_uuid, resources.usage(instance), nodename, limits)

    def _take(self, consumer_uuid, wanted, nodename, limits):
        node = self._nodes.get(nodename)
        if node is None:
            raise exception.ComputeResourcesUnavailable(reason='node %s is not there' % nodename)
        own = node.usages.get(consumer_uuid, {})
        used = {name: amount - own.get(name, 0) for name, amount in node.used.items()}
        claims.check(node.record, used, wanted, limits)
        node.put(consumer_uuid, wanted)
        self._note_change(consumer_uuid)

    def claim_kept(self, instance_uuid):
        """The instance is built: from now on the recount counts it by its record."""
        with self._lock:
            self._in_flight.discard(instance_uuid)
            self._note_change(instance_uuid)

    def free(self, instance_uuid):
        """Give back what an instance takes; one that takes nothing is fine."""
        with self._lock:
            for node in self._nodes.values():
                node.put(instance_uuid, None)
            self._in_flight.discard(instance_uuid)
            self._note_change(instance_uuid)

    def _note_change(self, instance_uuid):
        if self._changed is not None:
            self._changed.add(instance_uuid)

    # ---- what others ask -----------------------------------------------------------------------------------------

    def instance_uuids(self):
        """uuids of the instances that take something of this host, claims in flight among them."""
        return {instance_uuid for node in self._nodes.values() for instance_uuid in node.usages}

    def used(self, nodename):
        """{resource name: amount in use} of a node."""
        used = self._nodes[nodename].used
        return {resource.name: used.get(resource.name, 0) for resource in resources.registered()}

    # ---- the recount ---------------------------------------------------------------------------------------------

    def update_available_resource(self, ctxt):
        """Recount and report all nodes of the host.

        :raises ServiceUnreachable: conductor or Placement; HypervisorError: what is known stays as it was
        """
        with self._recount_lock:
            hardware = {name: self._driver.get_available_resource(name) for name in self._driver.get_available_nodes()}
            self._changed = set()
            try:
                instances = self._conductor.instance_get_all_by_host(ctxt, self.host)
                places = self._conductor.places_kept_by_host(ctxt, self.host)
                with self._lock:
                    self._recount(hardware, instances, places)
            finally:
                self._changed = None
            for node in list(self._nodes.values()):
                self._report(ctxt, node)
                self._heal_allocations(ctxt, node)

    def _recount(self, hardware, instances, places):
        """Replace what is counted by what the conductor said, except where this host knows better: claims in flight,
        and whatever was claimed or freed here while the question was under way."""
        by_node = {}
        for instance in instances:
            # A build that holds no claim here has no guest: its host was tried and gave it back.
            if instance.vm_state != vm_states.BUILDING:
                by_node.setdefault(instance.node, {})[instance.uuid] = resources.usage(instance)
        for place in places:
            by_node.setdefault(place.instance.node, {})[place.migration_uuid] = resources.usage(place.instance)
        for name in set(self._nodes) - set(hardware):
            del self._nodes[name]
        for name, found in hardware.items():
            node = self._nodes.get(name)
            if node is None:
                node = self._nodes[name] = _Node(self._record(name, found))
            else:
                node.record = dataclasses.replace(self._record(name, found), uuid=node.record.uuid)
            told = by_node.get(name, {})
            for instance_uuid in (set(node.usages) | set(told)) - self._in_flight - self._changed:
                node.put(instance_uuid, told.get(instance_uuid))

    def _record(self, nodename, hardware):
        settings = self._settings
        return service_obj.ComputeNode(
            uuid=str(uuid.uuid4()), host=self.host, hypervisor_hostname=nodename, vcpus=hardware.vcpus,
            memory_mb=hardware.memory_mb, local_gb=hardware.local_gb,
            cpu_allocation_ratio=settings.cpu_allocation_ratio, ram_allocation_ratio=settings.ram_allocation_ratio,
            disk_allocation_ratio=settings.disk_allocation_ratio, reserved_memory_mb=settings.reserved_memory_mb,
            reserved_disk_gb=settings.reserved_disk_gb, reserved_vcpus=settings.reserved_vcpus,
            hypervisor_type=hardware.hypervisor_type, hypervisor_version=hardware.hypervisor_version,
            cpu_info=hardware.cpu_info, supported_instances=[list(item) for item in hardware.supported_instances],
            traits=list(hardware.traits), host_ip=settings.host_ip)

    # ---- reports -------------------------------------------------------------------------------------------------

    def _report(self, ctxt, node):
        """Tell conductor and Placement of a node, when something changed or it is time again."""
        due = node.rounds % REPORT_EVERY == 0
        record = dataclasses.replace(
            node.record, vcpus_used=node.used.get('vcpus', 0), memory_mb_used=node.used.get('memory_mb', 0),
            local_gb_used=node.used.get('local_gb', 0), running_vms=len(node.usages))
        if due or record != node.reported:
            node.record.uuid = record.uuid = self._conductor.compute_node_save(ctxt, record).uuid
            node.reported = record
        inventory = (resources.inventories(node.record), sorted(node.record.traits))
        if due or inventory != node.inventory:
            try:
                self._placement.update_provider(ctxt, node.record.uuid, node.record.hypervisor_hostname, *inventory)
            except exception.AllocationConflict as exc:
                LOG.warning('Placement keeps an older inventory of this host: %s', exc)
            node.inventory = inventory
        node.rounds += 1

    def _heal_allocations(self, ctxt, node):
        """Delete what Placement still holds for instances that are gone.

        An instance is in the database before anything is allocated for it, so one that is not there has no build in
        flight either. So is a migration.
        """
        for consumer in self._placement.get_allocations_for_provider(ctxt, node.record.uuid):
            if consumer in node.usages or consumer in self._in_flight:
                continue
            try:
                self._conductor.instance_get(ctxt, consumer)
            except exception.InstanceNotFound:
                if self._conductor.migration_is_under_way(ctxt, consumer):
                    continue
                LOG.warning('Deleting the allocation of an instance that is gone', instance_uuid=consumer)
                self._placement.delete_allocation_for_instance(ctxt, consumer)
