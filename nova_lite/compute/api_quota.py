# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Quotas: what a project may use, and whether a request stays within it. Use is counted from the records."""

from nova_lite import exception
from nova_lite.db import instances
from nova_lite.db import quotas

UNLIMITED = -1
RESOURCES = ('instances', 'cores', 'ram', 'metadata_items', 'injected_files', 'injected_file_content_bytes',
             'injected_file_path_length', 'key_pairs', 'server_groups', 'server_group_members')


class Quotas:
    """`conf`: the group `[quota]`, the limits of projects that have none of their own."""

    def __init__(self, db, conf):
        self._db = db
        self._defaults = {name: getattr(conf, name) for name in RESOURCES}
        self._recheck = conf.recheck_quota

    def defaults(self):
        """{resource: limit} of projects that have no limits of their own; -1 for none."""
        return {**self._defaults, **quotas.get_defaults(self._db)}

    def limits(self, project_id):
        """{resource: limit} of a project; -1 for none."""
        return {**self._defaults, **quotas.get(self._db, project_id)}

    def usage(self, project_id):
        """{'instances', 'cores', 'ram'}: what the servers of a project use."""
        return instances.count_usage(self._db, project_id)

    def servers_allowed(self, limits, project_id, flavor, min_count, max_count):
        """How many servers of a flavor may be made, `max_count` if possible and `min_count` at least.

        :raises OverQuota: names each resource that is used up
        """
        each = {'instances': 1, 'cores': flavor.vcpus, 'ram': flavor.memory_mb}
        if all(limits[name] == UNLIMITED for name in each):
            return max_count
        used = self.usage(project_id)
        room = [(limits[name] - used[name]) // need for name, need in each.items()
                if limits[name] != UNLIMITED and need]
        count = min(room + [max_count])
        if count >= min_count:
            return count
        over = sorted(name for name, need in each.items()
                      if limits[name] != UNLIMITED and used[name] + need * max_count > limits[name])
        raise exception.OverQuota(
            overs=', '.join(over), allowed=', '.join(str(limits[name]) for name in over),
            requested=', '.join(_requested(name, each[name], min_count, max_count) for name in over),
            used=', '.join(str(used[name]) for name in over))

    def check_growth(self, project_id, old, new):
        """Whether a server may get a flavor instead of its old one. :raises OverQuota: names what is used up"""
        limits = self.limits(project_id)
        more = {'cores': new.vcpus - old.vcpus, 'ram': new.memory_mb - old.memory_mb}
        bounded = {name: amount for name, amount in more.items() if amount > 0 and limits[name] != UNLIMITED}
        used = self.usage(project_id) if bounded else {}
        over = sorted(name for name, amount in bounded.items() if used[name] + amount > limits[name])
        if over:
            raise exception.OverQuota(
                overs=', '.join(over), requested=', '.join(str(more[name]) for name in over),
                used=', '.join(str(used[name]) for name in over),
                allowed=', '.join(str(limits[name]) for name in over))

    def recheck(self, limits, project_id):
        """After servers were recorded: whether the project is still within its limits."""
        bounded = [name for name in ('instances', 'cores', 'ram') if limits[name] != UNLIMITED]
        if not self._recheck or not bounded:
            return True
        used = self.usage(project_id)
        return all(used[name] <= limits[name] for name in bounded)


def _requested(name, need, min_count, max_count):
    if name == 'instances' and min_count != max_count:
        return '%d-%d' % (min_count, max_count)
    return str(need * max_count)


def check_metadata(limits, metadata):
    """:raises QuotaError: too many items"""
    if 0 <= limits['metadata_items'] < len(metadata):
        raise exception.QuotaError('Maximum number of metadata items exceeds %d' % limits['metadata_items'])


def check_files(limits, files):
    """files: [[path, base64 contents]…]. :raises QuotaError: too many, or one too large or its path too long"""
    if 0 <= limits['injected_files'] < len(files):
        raise exception.QuotaError('Personality file limit exceeded')
    for path, contents in files:
        if 0 <= limits['injected_file_path_length'] < len(path.encode()):
            raise exception.QuotaError('Personality file path exceeds maximum %d' % limits['injected_file_path_length'])
        encoded = ''.join(contents.split()).rstrip('=')
        if 0 <= limits['injected_file_content_bytes'] < len(encoded) * 3 // 4:
            raise exception.QuotaError('Personality file content exceeds maximum %d'
                                       % limits['injected_file_content_bytes'])
