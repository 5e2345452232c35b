# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The policy rules of what is served, with Nova's names, scopes and defaults."""

from oslo_policy import policy

CONTEXT_IS_ADMIN = 'context_is_admin'
ADMIN = 'rule:context_is_admin'
MEMBER_OR_ADMIN = 'rule:project_member_or_admin'
READER_OR_ADMIN = 'rule:project_reader_or_admin'
MANAGER_OR_ADMIN = 'rule:project_manager_or_admin'
ANYBODY = '@'
SCOPE = ['project']

BASE = (
    (CONTEXT_IS_ADMIN, 'role:admin', 'Administrators: they act on every project.'),
    ('project_member_api', 'role:member and project_id:%(project_id)s', 'Members of the project that owns it.'),
    ('project_reader_api', 'role:reader and project_id:%(project_id)s', 'Readers of the project that owns it.'),
    ('project_manager_api', 'role:manager and project_id:%(project_id)s', 'Managers of the project that owns it.'),
    ('project_member_or_admin', 'rule:project_member_api or rule:context_is_admin', 'Members and administrators.'),
    ('project_reader_or_admin', 'rule:project_reader_api or rule:context_is_admin', 'Readers and administrators.'),
    ('project_manager_or_admin', 'rule:project_manager_api or rule:context_is_admin', 'Managers and administrators.'),
)

FLAVOR_MANAGE = 'os_compute_api:os-flavor-manage:%s'
FLAVOR_ACCESS = 'os_compute_api:os-flavor-access'
FLAVOR_SPECS = 'os_compute_api:os-flavor-extra-specs:%s'

FLAVORS = (
    (FLAVOR_MANAGE % 'create', ADMIN, 'Create a flavor', 'POST', '/flavors'),
    (FLAVOR_MANAGE % 'update', ADMIN, 'Change a flavor\'s description', 'PUT', '/flavors/{flavor_id}'),
    (FLAVOR_MANAGE % 'delete', ADMIN, 'Delete a flavor', 'DELETE', '/flavors/{flavor_id}'),
    (FLAVOR_ACCESS, ADMIN, 'List who may use a private flavor', 'GET',
     '/flavors/{flavor_id}/os-flavor-access'),
    (FLAVOR_ACCESS + ':add_tenant_access', ADMIN, 'Let a project use a private flavor', 'POST',
     '/flavors/{flavor_id}/action (addTenantAccess)'),
    (FLAVOR_ACCESS + ':remove_tenant_access', ADMIN, 'Take a private flavor from a project', 'POST',
     '/flavors/{flavor_id}/action (removeTenantAccess)'),
    (FLAVOR_SPECS % 'index', READER_OR_ADMIN, 'List a flavor\'s extra specs', 'GET',
     '/flavors/{flavor_id}/os-extra_specs'),
    (FLAVOR_SPECS % 'show', READER_OR_ADMIN, 'Show one extra spec', 'GET',
     '/flavors/{flavor_id}/os-extra_specs/{id}'),
    (FLAVOR_SPECS % 'create', ADMIN, 'Set extra specs', 'POST',
     '/flavors/{flavor_id}/os-extra_specs'),
    (FLAVOR_SPECS % 'update', ADMIN, 'Set one extra spec', 'PUT',
     '/flavors/{flavor_id}/os-extra_specs/{id}'),
    (FLAVOR_SPECS % 'delete', ADMIN, 'Delete one extra spec', 'DELETE',
     '/flavors/{flavor_id}/os-extra_specs/{id}'),
)

SERVERS = 'os_compute_api:servers:%s'
CONSOLE_OUTPUT = 'os_compute_api:os-console-output'

SERVER_RULES = (
    (SERVERS % 'index', READER_OR_ADMIN, 'List servers', 'GET', '/servers'),
    (SERVERS % 'detail', READER_OR_ADMIN, 'List servers with details', 'GET', '/servers/detail'),
    (SERVERS % 'index:get_all_tenants', ADMIN, 'List servers of all projects', 'GET', '/servers?all_tenants'),
    (SERVERS % 'detail:get_all_tenants', ADMIN, 'List servers of all projects with details', 'GET',
     '/servers/detail?all_tenants'),
    (SERVERS % 'allow_all_filters', ADMIN, 'Use every filter of the list', 'GET', '/servers'),
    (SERVERS % 'show', READER_OR_ADMIN, 'Show a server', 'GET', '/servers/{server_id}'),
    (SERVERS % 'show:host_status', ADMIN, 'See the state of a server\'s host', 'GET', '/servers/{server_id}'),
    (SERVERS % 'show:host_status:unknown-only', ADMIN, 'See that a server\'s host is in an unknown state', 'GET',
     '/servers/{server_id}'),
    ('os_compute_api:os-extended-server-attributes', ADMIN, 'See a server\'s host and how it was made', 'GET',
     '/servers/{server_id}'),
    (SERVERS % 'create', MEMBER_OR_ADMIN, 'Create a server', 'POST', '/servers'),
    (SERVERS % 'create:forced_host', ADMIN, 'Create a server on a host of one\'s choice, by availability_zone', 'POST',
     '/servers'),
    ('compute:servers:create:requested_destination', ADMIN, 'Create a server on a host of one\'s choice', 'POST',
     '/servers'),
    (SERVERS % 'create:attach_volume', MEMBER_OR_ADMIN, 'Create a server with block devices', 'POST', '/servers'),
    (SERVERS % 'create:attach_network', MEMBER_OR_ADMIN, 'Create a server with networks', 'POST', '/servers'),
    (SERVERS % 'create:trusted_certs', MEMBER_OR_ADMIN, 'Create a server with trusted image certificates', 'POST',
     '/servers'),
    (SERVERS % 'create:zero_disk_flavor', ADMIN, 'Create a server with an image and a flavor without root disk', 'POST',
     '/servers'),
    (SERVERS % 'update', MEMBER_OR_ADMIN, 'Change a server\'s names and addresses', 'PUT', '/servers/{server_id}'),
    (SERVERS % 'delete', MEMBER_OR_ADMIN, 'Delete a server', 'DELETE', '/servers/{server_id}'),
    (CONSOLE_OUTPUT, MEMBER_OR_ADMIN, 'See what a server prints on its console', 'POST',
     '/servers/{server_id}/action (os-getConsoleOutput)'),
)

REMOTE_CONSOLES = 'os_compute_api:os-remote-consoles'
CONSOLE_TOKENS = 'os_compute_api:os-console-auth-tokens'
METADATA = 'os_compute_api:server-metadata:%s'
TAGS = 'os_compute_api:os-server-tags:%s'
INTERFACES = 'os_compute_api:os-attach-interfaces:%s'
ATTACHMENTS = 'os_compute_api:os-volumes-attachments:%s'
NETWORKS = 'os_compute_api:os-networks:%s'
TENANT_NETWORKS = 'os_compute_api:os-tenant-networks:%s'
GROUPS = 'os_compute_api:os-security-groups:%s'
GROUPS_OF_SERVER = GROUPS % 'list'
ADDRESSES = 'os_compute_api:ips:%s'

OF_SERVERS = (
    (REMOTE_CONSOLES, MEMBER_OR_ADMIN, 'Open a console of a server', 'POST', '/servers/{server_id}/remote-consoles'),
    (CONSOLE_TOKENS, ADMIN, 'Show where the token of a console leads', 'GET',
     '/os-console-auth-tokens/{console_token}'),
    (METADATA % 'index', READER_OR_ADMIN, 'List the metadata of a server', 'GET', '/servers/{server_id}/metadata'),
    (METADATA % 'show', READER_OR_ADMIN, 'Show a metadata item', 'GET', '/servers/{server_id}/metadata/{key}'),
    (METADATA % 'create', MEMBER_OR_ADMIN, 'Add metadata items', 'POST', '/servers/{server_id}/metadata'),
    (METADATA % 'update_all', MEMBER_OR_ADMIN, 'Replace the metadata', 'PUT', '/servers/{server_id}/metadata'),
    (METADATA % 'update', MEMBER_OR_ADMIN, 'Set a metadata item', 'PUT', '/servers/{server_id}/metadata/{key}'),
    (METADATA % 'delete', MEMBER_OR_ADMIN, 'Delete a metadata item', 'DELETE', '/servers/{server_id}/metadata/{key}'),
    (TAGS % 'index', READER_OR_ADMIN, 'List the tags of a server', 'GET', '/servers/{server_id}/tags'),
    (TAGS % 'show', READER_OR_ADMIN, 'See whether a server has a tag', 'GET', '/servers/{server_id}/tags/{tag}'),
    (TAGS % 'update', MEMBER_OR_ADMIN, 'Add a tag', 'PUT', '/servers/{server_id}/tags/{tag}'),
    (TAGS % 'update_all', MEMBER_OR_ADMIN, 'Replace the tags', 'PUT', '/servers/{server_id}/tags'),
    (TAGS % 'delete', MEMBER_OR_ADMIN, 'Delete a tag', 'DELETE', '/servers/{server_id}/tags/{tag}'),
    (TAGS % 'delete_all', MEMBER_OR_ADMIN, 'Delete all tags', 'DELETE', '/servers/{server_id}/tags'),
    (ADDRESSES % 'index', READER_OR_ADMIN, 'List the addresses of a server', 'GET', '/servers/{server_id}/ips'),
    (ADDRESSES % 'show', READER_OR_ADMIN, 'List the addresses of a server on a network', 'GET',
     '/servers/{server_id}/ips/{network_label}'),
    (INTERFACES % 'list', READER_OR_ADMIN, 'List the network interfaces of a server', 'GET',
     '/servers/{server_id}/os-interface'),
    (INTERFACES % 'show', READER_OR_ADMIN, 'Show a network interface of a server', 'GET',
     '/servers/{server_id}/os-interface/{port_id}'),
    (INTERFACES % 'create', MEMBER_OR_ADMIN, 'Give a server a network interface', 'POST',
     '/servers/{server_id}/os-interface'),
    (INTERFACES % 'delete', MEMBER_OR_ADMIN, 'Take a network interface from a server', 'DELETE',
     '/servers/{server_id}/os-interface/{port_id}'),
    (ATTACHMENTS % 'index', READER_OR_ADMIN, 'List the volumes of a server', 'GET',
     '/servers/{server_id}/os-volume_attachments'),
    (ATTACHMENTS % 'create', MEMBER_OR_ADMIN, 'Give a server a volume', 'POST',
     '/servers/{server_id}/os-volume_attachments'),
    (ATTACHMENTS % 'swap', ADMIN, 'Exchange a volume of a server for another', 'PUT',
     '/servers/{server_id}/os-volume_attachments/{volume_id}'),
    (ATTACHMENTS % 'update', MEMBER_OR_ADMIN, 'Say whether a volume goes with its server', 'PUT',
     '/servers/{server_id}/os-volume_attachments/{volume_id}'),
    (ATTACHMENTS % 'delete', MEMBER_OR_ADMIN, 'Take a volume away from a server', 'DELETE',
     '/servers/{server_id}/os-volume_attachments/{volume_id}'),
    (ATTACHMENTS % 'show', READER_OR_ADMIN, 'Show a volume of a server', 'GET',
     '/servers/{server_id}/os-volume_attachments/{volume_id}'),
    (GROUPS_OF_SERVER, READER_OR_ADMIN, 'List the security groups of a server', 'GET',
     '/servers/{server_id}/os-security-groups'),
)

PAUSE = 'os_compute_api:os-pause-server:%s'
MIGRATE = 'os_compute_api:os-migrate-server:%s'
SERVER_MIGRATIONS = 'os_compute_api:servers:migrations:%s'
EVACUATE = 'os_compute_api:os-evacuate'
SUSPEND = 'os_compute_api:os-suspend-server:%s'
RESCUE = 'os_compute_api:os-rescue'
UNRESCUE = 'os_compute_api:os-unrescue'
LOCK = 'os_compute_api:os-lock-server:%s'
ADMIN_ACTIONS = 'os_compute_api:os-admin-actions:%s'
DEFERRED_DELETE = 'os_compute_api:os-deferred-delete:%s'
ADMIN_PASSWORD = 'os_compute_api:os-admin-password'     # noqa: S105 (a rule's name)
SERVER_PASSWORD = 'os_compute_api:os-server-password:%s'    # noqa: S105 (a rule's name)
MULTINIC = 'os_compute_api:os-multinic:%s'
FLOATING_IPS = 'os_compute_api:os-floating-ips:%s'
DIAGNOSTICS = 'os_compute_api:os-server-diagnostics'
TOPOLOGY = 'os_compute_api:compute:server:topology:%s'
SHELVE = 'os_compute_api:os-shelve:%s'
CREATE_BACKUP = 'os_compute_api:os-create-backup'
_ACTION = '/servers/{server_id}/action (%s)'

ACTIONS_ON_SERVERS = (
    (SERVERS % 'start', MEMBER_OR_ADMIN, 'Start a server', 'POST', _ACTION % 'os-start'),
    (SERVERS % 'stop', MEMBER_OR_ADMIN, 'Stop a server', 'POST', _ACTION % 'os-stop'),
    (SERVERS % 'reboot', MEMBER_OR_ADMIN, 'Reboot a server', 'POST', _ACTION % 'reboot'),
    (PAUSE % 'pause', MEMBER_OR_ADMIN, 'Pause a server', 'POST', _ACTION % 'pause'),
    (PAUSE % 'unpause', MEMBER_OR_ADMIN, 'Let a paused server go on', 'POST', _ACTION % 'unpause'),
    (SUSPEND % 'suspend', MEMBER_OR_ADMIN, 'Suspend a server to disk', 'POST', _ACTION % 'suspend'),
    (SHELVE % 'shelve', MEMBER_OR_ADMIN, 'Shelve a server', 'POST', _ACTION % 'shelve'),
    (SHELVE % 'shelve_offload', ADMIN, 'Take a shelved server from its host', 'POST', _ACTION % 'shelveOffload'),
    (SHELVE % 'unshelve', MEMBER_OR_ADMIN, 'Bring a shelved server back', 'POST', _ACTION % 'unshelve'),
    (SHELVE % 'unshelve_to_host', ADMIN, 'Bring a shelved server back on a host of one\'s choice', 'POST',
     _ACTION % 'unshelve'),
    (SERVERS % 'create_image', MEMBER_OR_ADMIN, 'Make an image of a server', 'POST', _ACTION % 'createImage'),
    (CREATE_BACKUP, MEMBER_OR_ADMIN, 'Make a backup of a server', 'POST', _ACTION % 'createBackup'),
    (SUSPEND % 'resume', MEMBER_OR_ADMIN, 'Resume a suspended server', 'POST', _ACTION % 'resume'),
    (RESCUE, MEMBER_OR_ADMIN, 'Start a server from another image, to repair it', 'POST', _ACTION % 'rescue'),
    (UNRESCUE, MEMBER_OR_ADMIN, 'End the rescue of a server', 'POST', _ACTION % 'unrescue'),
    (SERVERS % 'rebuild', MEMBER_OR_ADMIN, 'Make a server anew from an image', 'POST', _ACTION % 'rebuild'),
    (SERVERS % 'rebuild:trusted_certs', MEMBER_OR_ADMIN, 'Make a server anew with trusted image certificates', 'POST',
     _ACTION % 'rebuild'),
    (LOCK % 'lock', MEMBER_OR_ADMIN, 'Lock a server', 'POST', _ACTION % 'lock'),
    (LOCK % 'unlock', MEMBER_OR_ADMIN, 'Unlock a server', 'POST', _ACTION % 'unlock'),
    (LOCK % 'unlock:unlock_override', ADMIN, 'Unlock a server that somebody else has locked', 'POST',
     _ACTION % 'unlock'),
    (ADMIN_ACTIONS % 'reset_state', ADMIN, 'Say what state a server has', 'POST', _ACTION % 'os-resetState'),
    (ADMIN_ACTIONS % 'inject_network_info', ADMIN, 'Tell a guest of its network, as was done once', 'POST',
     _ACTION % 'injectNetworkInfo'),
    (DEFERRED_DELETE % 'restore', MEMBER_OR_ADMIN, 'Restore a server that was deleted', 'POST', _ACTION % 'restore'),
    (DEFERRED_DELETE % 'force', MEMBER_OR_ADMIN, 'Delete a server at once', 'POST', _ACTION % 'forceDelete'),
    (SERVERS % 'trigger_crash_dump', MEMBER_OR_ADMIN, 'Have a guest dump its memory', 'POST',
     _ACTION % 'trigger_crash_dump'),
    (GROUPS % 'add', MEMBER_OR_ADMIN, 'Put a server into a security group', 'POST', _ACTION % 'addSecurityGroup'),
    (GROUPS % 'remove', MEMBER_OR_ADMIN, 'Take a server out of a security group', 'POST',
     _ACTION % 'removeSecurityGroup'),
    (MULTINIC % 'add', MEMBER_OR_ADMIN, 'Give a server a further address', 'POST', _ACTION % 'addFixedIp'),
    (MULTINIC % 'remove', MEMBER_OR_ADMIN, 'Take an address from a server', 'POST', _ACTION % 'removeFixedIp'),
    (FLOATING_IPS % 'add', MEMBER_OR_ADMIN, 'Let a floating address lead to a server', 'POST',
     _ACTION % 'addFloatingIp'),
    (FLOATING_IPS % 'remove', MEMBER_OR_ADMIN, 'Take a floating address from a server', 'POST',
     _ACTION % 'removeFloatingIp'),
    (ADMIN_PASSWORD, MEMBER_OR_ADMIN, 'Change the password inside a guest', 'POST', _ACTION % 'changePassword'),
    (SERVER_PASSWORD % 'show', READER_OR_ADMIN, 'Show the encrypted password of a server', 'GET',
     '/servers/{server_id}/os-server-password'),
    (SERVER_PASSWORD % 'clear', MEMBER_OR_ADMIN, 'Forget the encrypted password of a server', 'DELETE',
     '/servers/{server_id}/os-server-password'),
    (DIAGNOSTICS, ADMIN, 'Show the counters of a server', 'GET', '/servers/{server_id}/diagnostics'),
    (TOPOLOGY % 'index', READER_OR_ADMIN, 'Show the NUMA topology of a server', 'GET',
     '/servers/{server_id}/topology'),
    (TOPOLOGY % 'host:index', ADMIN, 'See where on its host a server is', 'GET', '/servers/{server_id}/topology'),
    (SERVERS % 'resize', MEMBER_OR_ADMIN, 'Give a server another flavor', 'POST', _ACTION % 'resize'),
    (SERVERS % 'confirm_resize', MEMBER_OR_ADMIN, 'Keep what a resize made', 'POST', _ACTION % 'confirmResize'),
    (SERVERS % 'revert_resize', MEMBER_OR_ADMIN, 'Undo a resize', 'POST', _ACTION % 'revertResize'),
    (MIGRATE % 'migrate', ADMIN, 'Move a server to another host while it is off', 'POST', _ACTION % 'migrate'),
    (MIGRATE % 'migrate_live', ADMIN, 'Move a server to another host while it runs', 'POST',
     _ACTION % 'os-migrateLive'),
    (EVACUATE, ADMIN, 'Make a server anew whose host is down', 'POST', _ACTION % 'evacuate'),
    (SERVER_MIGRATIONS % 'force_complete', ADMIN, 'Have a live migration end soon', 'POST',
     '/servers/{server_id}/migrations/{migration_id}/action (force_complete)'),
    (SERVER_MIGRATIONS % 'delete', ADMIN, 'Abort a live migration', 'DELETE',
     '/servers/{server_id}/migrations/{migration_id}'),
)

LIMITS = 'os_compute_api:limits'
INSTANCE_ACTIONS = 'os_compute_api:os-instance-actions:%s'
KEYPAIRS = 'os_compute_api:os-keypairs:%s'
SERVER_GROUPS = 'os_compute_api:os-server-groups:%s'
SERVICES = 'os_compute_api:os-services:%s'
HYPERVISORS = 'os_compute_api:os-hypervisors:%s'
AVAILABILITY_ZONE = 'os_compute_api:os-availability-zone:%s'
QUOTA_SETS = 'os_compute_api:os-quota-sets:%s'
QUOTA_CLASSES = 'os_compute_api:os-quota-class-sets:%s'
TENANT_USAGE = 'os_compute_api:os-simple-tenant-usage:%s'
EXTENSIONS = 'os_compute_api:extensions'

OF_USER_OR_ADMIN = 'rule:context_is_admin or user_id:%(user_id)s'

OF_PROJECTS = (
    (LIMITS, ANYBODY, 'Show limits', 'GET', '/limits'),
    (LIMITS + ':other_project', ADMIN, 'Show the limits of another project', 'GET', '/limits'),
    (INSTANCE_ACTIONS % 'list', READER_OR_ADMIN, 'List the actions of a server', 'GET',
     '/servers/{server_id}/os-instance-actions'),
    (INSTANCE_ACTIONS % 'show', READER_OR_ADMIN, 'Show an action of a server', 'GET',
     '/servers/{server_id}/os-instance-actions/{request_id}'),
    (INSTANCE_ACTIONS % 'events', ADMIN, 'See host and traceback of the events of an action', 'GET',
     '/servers/{server_id}/os-instance-actions/{request_id}'),
    (INSTANCE_ACTIONS % 'events:details', ADMIN, 'See the details of the events of an action', 'GET',
     '/servers/{server_id}/os-instance-actions/{request_id}'),
    (KEYPAIRS % 'index', OF_USER_OR_ADMIN, 'List key pairs', 'GET', '/os-keypairs'),
    (KEYPAIRS % 'create', OF_USER_OR_ADMIN, 'Create a key pair', 'POST', '/os-keypairs'),
    (KEYPAIRS % 'show', OF_USER_OR_ADMIN, 'Show a key pair', 'GET', '/os-keypairs/{keypair_name}'),
    (KEYPAIRS % 'delete', OF_USER_OR_ADMIN, 'Delete a key pair', 'DELETE', '/os-keypairs/{keypair_name}'),
    (SERVER_GROUPS % 'index', READER_OR_ADMIN, 'List server groups', 'GET', '/os-server-groups'),
    (SERVER_GROUPS % 'index:all_projects', ADMIN, 'List the server groups of all projects', 'GET',
     '/os-server-groups'),
    (SERVER_GROUPS % 'create', MEMBER_OR_ADMIN, 'Create a server group', 'POST', '/os-server-groups'),
    (SERVER_GROUPS % 'show', READER_OR_ADMIN, 'Show a server group', 'GET', '/os-server-groups/{server_group_id}'),
    (SERVER_GROUPS % 'delete', MEMBER_OR_ADMIN, 'Delete a server group', 'DELETE',
     '/os-server-groups/{server_group_id}'),
    (QUOTA_SETS % 'show', READER_OR_ADMIN, 'Show the quotas of a project', 'GET', '/os-quota-sets/{tenant_id}'),
    (QUOTA_SETS % 'detail', READER_OR_ADMIN, 'Show the quotas of a project and their use', 'GET',
     '/os-quota-sets/{tenant_id}/detail'),
    (QUOTA_SETS % 'defaults', ANYBODY, 'Show the quotas of a project without its own', 'GET',
     '/os-quota-sets/{tenant_id}/defaults'),
    (QUOTA_SETS % 'update', ADMIN, 'Set the quotas of a project', 'PUT', '/os-quota-sets/{tenant_id}'),
    (QUOTA_SETS % 'delete', ADMIN, 'Give a project the default quotas again', 'DELETE', '/os-quota-sets/{tenant_id}'),
    (NETWORKS % 'list', READER_OR_ADMIN, 'List networks', 'GET', '/os-networks'),
    (NETWORKS % 'show', READER_OR_ADMIN, 'Show a network', 'GET', '/os-networks/{network_id}'),
    (TENANT_NETWORKS % 'list', READER_OR_ADMIN, 'List the networks of a project', 'GET', '/os-tenant-networks'),
    (TENANT_NETWORKS % 'show', READER_OR_ADMIN, 'Show a network of a project', 'GET',
     '/os-tenant-networks/{network_id}'),
    (GROUPS % 'get', READER_OR_ADMIN, 'List security groups', 'GET', '/os-security-groups'),
    (GROUPS % 'show', READER_OR_ADMIN, 'Show a security group', 'GET', '/os-security-groups/{security_group_id}'),
    (GROUPS % 'create', MEMBER_OR_ADMIN, 'Create a security group', 'POST', '/os-security-groups'),
    (GROUPS % 'update', MEMBER_OR_ADMIN, 'Change a security group', 'PUT', '/os-security-groups/{security_group_id}'),
    (GROUPS % 'delete', MEMBER_OR_ADMIN, 'Delete a security group', 'DELETE',
     '/os-security-groups/{security_group_id}'),
    (GROUPS % 'rule:create', MEMBER_OR_ADMIN, 'Create a rule of a security group', 'POST', '/os-security-group-rules'),
    (GROUPS % 'rule:delete', MEMBER_OR_ADMIN, 'Delete a rule of a security group', 'DELETE',
     '/os-security-group-rules/{rule_id}'),
    (TENANT_USAGE % 'show', READER_OR_ADMIN, 'Show the usage of a project', 'GET',
     '/os-simple-tenant-usage/{tenant_id}'),
    (TENANT_USAGE % 'list', ADMIN, 'Show the usage of all projects', 'GET', '/os-simple-tenant-usage'),
    (AVAILABILITY_ZONE % 'list', READER_OR_ADMIN, 'List availability zones', 'GET', '/os-availability-zone'),
    (EXTENSIONS, ANYBODY, 'List the extensions of old', 'GET', '/extensions'),
)

HOSTS = 'os_compute_api:os-hosts:%s'
AUDIT_LOG = 'os_compute_api:os-instance-usage-audit-log:%s'
MIGRATIONS = 'os_compute_api:os-migrations:index'
EXTERNAL_EVENTS = 'os_compute_api:os-server-external-events:create'
AGGREGATES = 'os_compute_api:os-aggregates:%s'

OF_THE_CLOUD = (
    (AGGREGATES % 'index', ADMIN, 'List host aggregates', 'GET', '/os-aggregates'),
    (AGGREGATES % 'create', ADMIN, 'Create a host aggregate', 'POST', '/os-aggregates'),
    (AGGREGATES % 'show', ADMIN, 'Show a host aggregate', 'GET', '/os-aggregates/{aggregate_id}'),
    (AGGREGATES % 'update', ADMIN, 'Change name or zone of a host aggregate', 'PUT', '/os-aggregates/{aggregate_id}'),
    (AGGREGATES % 'delete', ADMIN, 'Delete a host aggregate', 'DELETE', '/os-aggregates/{aggregate_id}'),
    (AGGREGATES % 'set_metadata', ADMIN, 'Set the metadata of a host aggregate', 'POST',
     '/os-aggregates/{aggregate_id}/action (set_metadata)'),
    (AGGREGATES % 'add_host', ADMIN, 'Put a host into an aggregate', 'POST',
     '/os-aggregates/{aggregate_id}/action (add_host)'),
    (AGGREGATES % 'remove_host', ADMIN, 'Take a host out of an aggregate', 'POST',
     '/os-aggregates/{aggregate_id}/action (remove_host)'),
    (AVAILABILITY_ZONE % 'detail', ADMIN, 'List availability zones with their hosts', 'GET',
     '/os-availability-zone/detail'),
    (QUOTA_CLASSES % 'show', ADMIN, 'Show the default quotas', 'GET', '/os-quota-class-sets/{quota_class}'),
    (QUOTA_CLASSES % 'update', ADMIN, 'Set the default quotas', 'PUT', '/os-quota-class-sets/{quota_class}'),
    (SERVICES % 'list', ADMIN, 'List the services', 'GET', '/os-services'),
    (SERVICES % 'update', ADMIN, 'Change a service', 'PUT', '/os-services/{service_id}'),
    (SERVICES % 'delete', ADMIN, 'Forget a service', 'DELETE', '/os-services/{service_id}'),
    (HYPERVISORS % 'list', ADMIN, 'List the hypervisors', 'GET', '/os-hypervisors'),
    (HYPERVISORS % 'list-detail', ADMIN, 'List the hypervisors with details', 'GET', '/os-hypervisors/detail'),
    (HYPERVISORS % 'statistics', ADMIN, 'Show sums over all hypervisors', 'GET', '/os-hypervisors/statistics'),
    (HYPERVISORS % 'show', ADMIN, 'Show a hypervisor', 'GET', '/os-hypervisors/{hypervisor_id}'),
    (HYPERVISORS % 'uptime', ADMIN, 'Show the uptime of a hypervisor', 'GET',
     '/os-hypervisors/{hypervisor_id}/uptime'),
    (HYPERVISORS % 'search', ADMIN, 'Search hypervisors by name', 'GET',
     '/os-hypervisors/{hypervisor_hostname_pattern}/search'),
    (HYPERVISORS % 'servers', ADMIN, 'List the servers of hypervisors', 'GET',
     '/os-hypervisors/{hypervisor_hostname_pattern}/servers'),
)

OF_HOSTS = (
    (EXTERNAL_EVENTS, ADMIN, 'Tell that something of a server has changed', 'POST', '/os-server-external-events'),
    (HOSTS % 'list', ADMIN, 'List the hosts', 'GET', '/os-hosts'),
    (HOSTS % 'show', ADMIN, 'Show a host', 'GET', '/os-hosts/{host_name}'),
    (HOSTS % 'update', ADMIN, 'Take a host out of use', 'PUT', '/os-hosts/{host_name}'),
    (HOSTS % 'start', ADMIN, 'Turn a host on', 'GET', '/os-hosts/{host_name}/startup'),
    (HOSTS % 'shutdown', ADMIN, 'Turn a host off', 'GET', '/os-hosts/{host_name}/shutdown'),
    (HOSTS % 'reboot', ADMIN, 'Restart a host', 'GET', '/os-hosts/{host_name}/reboot'),
    (AUDIT_LOG % 'list', ADMIN, 'List the usage audits', 'GET', '/os-instance_usage_audit_log'),
    (AUDIT_LOG % 'show', ADMIN, 'Show the usage audits of a month', 'GET',
     '/os-instance_usage_audit_log/{before_timestamp}'),
    (MIGRATIONS, ADMIN, 'List the migrations of servers', 'GET', '/os-migrations'),
    (SERVER_MIGRATIONS % 'index', ADMIN, 'List the live migrations of a server that are under way', 'GET',
     '/servers/{server_id}/migrations'),
    (SERVER_MIGRATIONS % 'show', ADMIN, 'Show a live migration of a server', 'GET',
     '/servers/{server_id}/migrations/{migration_id}'),
)

OPERATIONS = FLAVORS + SERVER_RULES + OF_SERVERS + ACTIONS_ON_SERVERS + OF_PROJECTS + OF_THE_CLOUD + OF_HOSTS


def list_rules():
    """Every rule, for the enforcer and for oslopolicy-sample-generator."""
    rules = [policy.RuleDefault(name, check, description) for name, check, description in BASE]
    rules += [policy.DocumentedRuleDefault(name, check, description, [{'method': method, 'path': path}],
                                           scope_types=SCOPE)
              for name, check, description, method, path in OPERATIONS]
    return rules
