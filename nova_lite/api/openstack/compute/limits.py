# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a project and how much of them is used."""

from nova_lite.api import policies
from nova_lite.compute import api_quota
from nova_lite.db import instance_groups as groups_db

# name in the answer → quota; (first microversion without it)
ABSOLUTE = {
    'maxTotalInstances': 'instances', 'maxTotalCores': 'cores', 'maxTotalRAMSize': 'ram',
    'maxServerMeta': 'metadata_items', 'maxTotalKeypairs': 'key_pairs', 'maxServerGroups': 'server_groups',
    'maxServerGroupMembers': 'server_group_members'}
FILES = {'maxPersonality': 'injected_files', 'maxPersonalitySize': 'injected_file_content_bytes'}
NETWORKS = {'maxSecurityGroups': -1, 'maxSecurityGroupRules': -1, 'maxTotalFloatingIps': -1,
            'totalFloatingIpsUsed': 0, 'totalSecurityGroupsUsed': 0}      # the network service's own; Nova counts none


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._quotas = api_quota.Quotas(services.db, services.conf.quota)

    def index(self, req):
        project_id = req.param('tenant_id') or req.context.project_id
        if project_id != req.context.project_id:
            req.authorize(rule=policies.LIMITS + ':other_project')
        limits = self._quotas.limits(project_id)
        used = self._quotas.usage(project_id)
        absolute = {shown: limits[name] for shown, name in ABSOLUTE.items()}
        absolute |= {'totalInstancesUsed': used['instances'], 'totalCoresUsed': used['cores'],
                     'totalRAMUsed': used['ram'], 'totalServerGroupsUsed': groups_db.count(self._db, project_id)}
        if req.version < (2, 57):
            absolute |= {shown: limits[name] for shown, name in FILES.items()}
        if req.version < (2, 39):
            absolute['maxImageMeta'] = limits['metadata_items']
        if req.version < (2, 36):
            absolute |= NETWORKS
        return {'limits': {'rate': [], 'absolute': absolute}}
