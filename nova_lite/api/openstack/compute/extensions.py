# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The extension list of old: what is served, under the aliases that clients of 2.1 look for."""

from nova_lite import exception

UPDATED = '2014-12-03T00:00:00Z'
NAMESPACE = 'http://docs.openstack.org/compute/ext/fake_xml'

SERVED = {
    'flavors': ('Flavors', 'Flavors and their details.'),
    'os-flavor-access': ('FlavorAccess', 'Private flavors and who may use them.'),
    'os-flavor-extra-specs': ('FlavorExtraSpecs', 'Extra specs of flavors.'),
    'os-flavor-manage': ('FlavorManage', 'Making and deleting flavors.'),
    'os-flavor-rxtx': ('FlavorRxtx', 'The rxtx_factor of flavors.'),
    'limits': ('Limits', 'Limits of a project.'),
    'os-used-limits': ('UsedLimits', 'What is used of the limits.'),
    'os-instance-actions': ('InstanceActions', 'What was done to a server.'),
    'os-keypairs': ('Keypairs', 'Key pairs of a user.'),
    'os-security-groups': ('SecurityGroups', 'Security groups.'),
    'os-server-groups': ('ServerGroups', 'Policies for groups of servers.'),
    'os-services': ('Services', 'The services of the cloud.'),
    'os-hypervisors': ('Hypervisors', 'The hypervisor nodes.'),
    'os-availability-zone': ('AvailabilityZone', 'Availability zones.'),
    'os-quota-sets': ('Quotas', 'Quotas of projects.'),
    'os-quota-class-sets': ('QuotaClasses', 'Quotas of projects without their own.'),
    'os-simple-tenant-usage': ('SimpleTenantUsage', 'What projects have used.'),
    'os-console-output': ('ConsoleOutput', 'Console output of a server.'),
    'os-config-drive': ('ConfigDrive', 'Config drives.'),
    'os-disk-config': ('DiskConfig', 'Disk management of servers.'),
    'os-extended-availability-zone': ('ExtendedAvailabilityZone', 'The availability zone of servers.'),
    'os-extended-server-attributes': ('ExtendedServerAttributes', 'Host and name of servers, for administrators.'),
    'os-extended-status': ('ExtendedStatus', 'States of servers.'),
    'os-aggregates': ('Aggregates', 'Host aggregates.'),
    'os-attach-interfaces': ('AttachInterfaces', 'Network interfaces of servers.'),
    'os-hosts': ('Hosts', 'Hosts.'),
    'os-instance_usage_audit_log': ('InstanceUsageAuditLog', 'Usage audits.'),
    'os-migrations': ('Migrations', 'Migrations of servers.'),
    'server-metadata': ('ServerMetadata', 'Metadata of servers.'),
    'ips': ('Ips', 'Addresses of servers.'),
    'os-multiple-create': ('MultipleCreate', 'Several servers by one request.'),
    'os-scheduler-hints': ('SchedulerHints', 'Hints to the scheduler.'),
    'os-server-usage': ('ServerUsage', 'When servers were launched and ended.'),
    'os-user-data': ('UserData', 'User data of servers.'),
    'servers': ('Servers', 'Servers.'),
    'versions': ('Versions', 'API versions.'),
}


class Controller:
    def __init__(self, services):
        pass

    def index(self, req):
        return {'extensions': [_view(alias) for alias in sorted(SERVED)]}

    def show(self, req, id):
        if id not in SERVED:
            raise exception.NotFound('No extension found with alias %s' % id[:64])
        return {'extension': _view(id)}


def _view(alias):
    name, description = SERVED[alias]
    return {'alias': alias, 'name': name, 'description': description, 'namespace': NAMESPACE, 'updated': UPDATED,
            'links': []}
