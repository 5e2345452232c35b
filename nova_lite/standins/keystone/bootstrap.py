# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a cloud begins with: domain, projects, users, roles and the catalog. Safe to run at every start."""

import dataclasses

from nova_lite.standins.keystone import assignments
from nova_lite.standins.keystone import directory as directories

IMPLIES = {'admin': 'manager', 'manager': 'member', 'member': 'reader'}
ROLES = ('admin', 'manager', 'member', 'reader', 'service')
PROJECTS = {'admin': 'Administration', 'demo': 'Demonstration', 'service': 'The services of this cloud'}
GRANTS = {'admin': ('admin', ('admin',)), 'demo': ('demo', ('member', 'reader'))}
SERVICE_USERS = ('nova', 'glance', 'neutron', 'placement', 'cinder')
INTERFACES = ('public', 'internal', 'admin')


@dataclasses.dataclass(frozen=True)
class Plan:
    """What differs between clouds: passwords by user name (None: leave it), catalog rows, the region."""

    passwords: dict
    catalog: tuple  # of (type, name, url)
    region: str


def bootstrap(directory, passwords, plan):
    """Make what is missing, and let passwords and the catalog's URLs be what `plan` says."""
    with directory.change() as change:
        if 'default' not in directory.domains.by_id:
            change.insert(directory.domains, {
                'id': 'default', 'name': 'Default', 'enabled': True, 'description': 'The default domain',
                'tags': [], 'options': {}})
        for name in ROLES:
            if directory.roles.find('', name) is None:
                change.insert(directory.roles, {'id': directories.new_id(), 'name': name, 'domain_id': None,
                                                'description': None, 'options': {}})
        for name, text in PROJECTS.items():
            if directory.projects.find('default', name) is None:
                change.insert(directory.projects, {
                    'id': directories.new_id(), 'name': name, 'domain_id': 'default', 'parent_id': 'default',
                    'enabled': True, 'description': text, 'is_domain': False, 'tags': [], 'options': {}})
        for name in (*GRANTS, *SERVICE_USERS):
            _user(directory, change, passwords, name, plan.passwords.get(name))
    with directory.change() as change:
        for prior, implied in IMPLIES.items():
            prior_id = directory.roles.find('', prior)['id']
            implied_id = directory.roles.find('', implied)['id']
            rule = {'id': '%s:%s' % (prior_id, implied_id), 'prior_id': prior_id, 'implied_id': implied_id}
            if rule['id'] not in directory.implied_roles.by_id:
                change.insert(directory.implied_roles, rule)
        for name, (project, roles) in GRANTS.items():
            _grant(directory, change, name, roles, 'project', project)
        for name in SERVICE_USERS:
            _grant(directory, change, name, ('admin', 'service'), 'project', 'service')
        _grant(directory, change, 'admin', ('admin',), 'system', None)
    _catalog(directory, plan)


def _user(directory, change, passwords, name, password):
    user = directory.users.find('default', name)
    if user is None:
        user = {'id': directories.new_id(), 'name': name, 'domain_id': 'default', 'enabled': True,
                'options': {}, 'password_expires_at': None}
        if password:
            user['password_hash'] = passwords.hash(password)
        change.insert(directory.users, user)
    elif password and not passwords.verify(password, user.get('password_hash')):
        change.update(directory.users, {**user, 'password_hash': passwords.hash(password)})


def _grant(directory, change, user, roles, kind, target):
    user_id = directory.users.find('default', user)['id']
    target_id = directory.projects.find('default', target)['id'] if target else 'all'
    for role in roles:
        item = assignments.assignment(user_id, directory.roles.find('', role)['id'], kind, target_id)
        if item['id'] not in directory.assignments.by_id:
            change.insert(directory.assignments, item)


def _catalog(directory, plan):
    """Endpoints follow the configuration, but for those that somebody has pointed elsewhere since."""
    with directory.change() as change:
        if plan.region not in directory.regions.by_id:
            change.insert(directory.regions, {'id': plan.region, 'description': '', 'parent_region_id': None})
        for kind, name, url in plan.catalog:
            service = next((item for item in directory.services if item['type'] == kind), None)
            if service is None:
                service = {'id': directories.new_id(), 'type': kind, 'name': name, 'enabled': True,
                           'description': ''}
                change.insert(directory.services, service)
            for interface in INTERFACES:
                wanted = (service['id'], interface, plan.region)
                endpoint = next((item for item in directory.endpoints if wanted == (
                    item['service_id'], item['interface'], item['region_id'])), None)
                if endpoint is None:
                    change.insert(directory.endpoints, {
                        'id': directories.new_id(), 'service_id': service['id'], 'interface': interface,
                        'region_id': plan.region, 'url': url, 'bootstrap_url': url, 'enabled': True})
                elif endpoint['url'] == endpoint.get('bootstrap_url') != url:
                    change.update(directory.endpoints, {**endpoint, 'url': url, 'bootstrap_url': url})
