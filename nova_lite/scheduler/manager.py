# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-scheduler: chooses hosts for servers and claims them in Placement.

`select_destinations` reads one snapshot (the hosts' records, Placement's candidates), lets the pure choice of
`selection.py` rank the hosts, and claims the best; the next best go along as alternates for a build that fails.
"""

import logging

import oslo_messaging

from nova_lite import exception
from nova_lite import faultpoints
from nova_lite import rpc
from nova_lite.db import compute_nodes
from nova_lite.db import instances
from nova_lite.db import services
from nova_lite.objects import request_spec
from nova_lite.scheduler import host_state
from nova_lite.scheduler import rpcapi
from nova_lite.scheduler import selection
from nova_lite.scheduler.client import report

LOG = logging.getLogger(__name__)

BINARY = 'nova-scheduler'


class SchedulerManager:
    """policy: a selection.Policy; placement: a ReportClient; max_attempts: hosts per build, so one less alternates."""

    target = oslo_messaging.Target(version=rpcapi.VERSION)
    topic = rpcapi.TOPIC

    def __init__(self, host, database, placement, policy, *, max_attempts, max_candidates, default_zone):
        self.host = host
        self._db = database
        self._placement = placement
        self._policy = policy
        self._max_attempts = max_attempts
        self._max_candidates = max_candidates
        self._default_zone = default_zone
        self.endpoints = [self]

    # ---- hooks of service.Service --------------------------------------------------------------------------------

    def init_host(self):
        """Nothing to prepare: each request reads its own snapshot."""

    def post_start(self):
        """Nothing waits for this service to run."""

    def report(self):
        services.report(self._db, self.host, BINARY, self.topic)

    def periodic_tasks(self):
        return []

    def stop(self):
        """Nothing is kept."""

    # ---- RPC -----------------------------------------------------------------------------------------------------

    @rpc.expected_errors
    def select_destinations(self, ctxt, request_spec):
        """[[Selection, alternate…] for each of request_spec.instance_uuids]. :raises NoValidHost:"""
        return self._schedule(ctxt, request_spec)

    # ---- the choice ----------------------------------------------------------------------------------------------

    def _schedule(self, ctxt, spec):
        hosts = self._get_all_host_states(ctxt, spec)
        placement_count, results, claimed = len(hosts), [], []
        try:
            for instance_uuid in spec.instance_uuids:
                ranked = selection.candidates(hosts, spec, self._policy, placement_count)
                chosen = self._claim_best(ctxt, instance_uuid, spec, ranked)
                claimed.append(instance_uuid)
                LOG.info('Choosing host %s for instance %s', chosen.host, instance_uuid)
                alternates = [host for host in ranked if host is not chosen][:self._max_attempts - 1]
                results.append([_selection(host) for host in [chosen, *alternates]])
                self._consume(chosen, spec, instance_uuid)
        except Exception as exc:
            for instance_uuid in claimed:
                self._placement.delete_allocation_for_instance(ctxt, instance_uuid)
            if isinstance(exc, exception.NoValidHost):
                LOG.info('%s %s', exc.message, exc.kwargs.get('details', ''))
            raise
        return results

    def _get_all_host_states(self, ctxt, spec):
        """The snapshot: nodes that Placement says have room, with their services and what is in use now."""
        requests, used = self._placement.get_allocation_candidates(host_state.resources(spec), self._max_candidates)
        by_host = {item.host: item for item in services.list_(self._db, binary='nova-compute')}
        hosts = []
        for node in compute_nodes.list_(self._db):
            if node.uuid in requests:
                host = host_state.from_records(node, by_host.get(node.host), self._default_zone)
                host.allocation_request = requests[node.uuid]
                host.set_used(used.get(node.uuid, {}))
                hosts.append(host)
        if spec.scheduler_hints or spec.instance_group:
            placed = instances.uuids_by_host(self._db)
            for host in hosts:
                host.instance_uuids = placed.get(host.host, set())
        return hosts

    def _claim_best(self, ctxt, instance_uuid, spec, ranked):
        """Claim the first of the ranked hosts that Placement still gives; → that HostState."""
        faultpoints.hit('scheduler.before_claim', self.host)
        for host in ranked:
            if self._placement.claim_resources(ctxt, instance_uuid, host.allocation_request, spec.project_id,
                                               spec.user_id, report.VERSION):
                faultpoints.hit('scheduler.after_claim', self.host)
                return host
            LOG.info('Host %s was filled by somebody else, trying the next', host.host)
        count = len(ranked)
        raise selection.no_valid_host(count, count, [('claim in Placement', count, 0, 'no room left')])

    @staticmethod
    def _consume(host, spec, instance_uuid):
        host.consume(spec)
        host.instance_uuids.add(instance_uuid)
        if spec.instance_group is not None:
            spec.instance_group.members.append(instance_uuid)
            spec.instance_group.hosts.append(host.host)


def _selection(host):
    return request_spec.Selection(
        service_host=host.host, nodename=host.nodename, compute_node_uuid=host.uuid,
        availability_zone=host.availability_zone, allocation_request=host.allocation_request,
        allocation_request_version=report.VERSION,
        limits={name: host.limit(name) for name in ('memory_mb', 'vcpus', 'local_gb')})
