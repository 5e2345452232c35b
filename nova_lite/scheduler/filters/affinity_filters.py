# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Near to, or away from, other servers: the hints same_host and different_host, and server groups."""

from nova_lite.scheduler.filters import base


def _hint(spec, name):
    value = spec.scheduler_hints.get(name) or []
    return [value] if isinstance(value, str) else value


class SameHostFilter(base.Filter):

    def refuses(self, host, spec):
        wanted = _hint(spec, 'same_host')
        if not wanted or host.instance_uuids.intersection(wanted):
            return None
        return 'none of the servers of the hint same_host runs there'


class DifferentHostFilter(base.Filter):

    def refuses(self, host, spec):
        if host.instance_uuids.intersection(_hint(spec, 'different_host')):
            return 'a server of the hint different_host runs there'
        return None


class ServerGroupAntiAffinityFilter(base.Filter):

    run_once = False

    def refuses(self, host, spec):
        group = spec.instance_group
        if group is None or group.policy != 'anti-affinity':
            return None
        allowed = int(group.rules.get('max_server_per_host') or 1)
        there = len(host.instance_uuids.intersection(group.members))
        return None if there < allowed else '%d servers of the group run there' % there


class ServerGroupAffinityFilter(base.Filter):

    run_once = False

    def refuses(self, host, spec):
        group = spec.instance_group
        if group is None or group.policy != 'affinity' or not group.hosts or host.host in group.hosts:
            return None
        return 'the group runs on another host'
