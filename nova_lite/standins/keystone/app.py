# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The identity service, Keystone v3: its routes, version documents and errors put together."""

import os

from cryptography import fernet

from nova_lite.standins import rest
from nova_lite.standins.keystone import application_credentials
from nova_lite.standins.keystone import assignments
from nova_lite.standins.keystone import auth
from nova_lite.standins.keystone import bootstrap
from nova_lite.standins.keystone import catalog
from nova_lite.standins.keystone import credentials
from nova_lite.standins.keystone import directory as directories
from nova_lite.standins.keystone import groups
from nova_lite.standins.keystone import passwords as password_module
from nova_lite.standins.keystone import people
from nova_lite.standins.keystone import tokens as token_module


class Keystone:
    """The identity service of one installation: `app` for its port, `identify` for the other services."""

    def __init__(self, conf, store, run=None):
        """`conf` has the stand-ins' options; `run(function, *args)` runs what would hold up the process."""
        self._directory = directories.Directory(store)
        self._passwords = password_module.Passwords(run)
        bootstrap.bootstrap(self._directory, self._passwords, _plan(conf))
        self._key = key = token_module.load_key(os.path.join(conf.state_path, 'token.key'))
        self._tokens = token_module.Tokens(self._directory, key, conf.identity.token_expiration)
        self.identify = self._tokens.identify
        self.challenge = 'Keystone uri="http://%s:%d"' % (conf.public_host, conf.ports.identity)
        self.app = rest.App('identity', self._routes(), identify=self.identify, render_fault=_render,
                            challenge=self.challenge)

    def service_token(self, user_name):
        """A fresh token of a service user in the project service, for a stand-in that calls others."""
        user = self._directory.users.find('default', user_name)
        project = self._directory.projects.find('default', 'service')
        issued = self._tokens.issue(user, token_module.Scope('project', project['id']), ['password'])
        if issued is None:
            raise rest.Fault(503, 'The user %s is disabled or has lost its role.' % user_name)
        return issued[0]

    def project_id(self, name):
        """The id of a project of the default domain, None when there is none of that name."""
        project = self._directory.projects.find('default', name)
        return project['id'] if project else None

    def _routes(self):
        directory = self._directory
        users = people.Users(directory, directory.users, self._passwords)
        parts = [
            auth.Auth(directory, self._tokens, self._passwords), assignments.Assignments(directory),
            people.Domains(directory, directory.domains), people.Projects(directory, directory.projects),
            users, groups.Groups(directory, directory.groups, users), people.Roles(directory, directory.roles),
            application_credentials.ApplicationCredentials(directory, self._passwords),
            credentials.Credentials(directory, fernet.Fernet(self._key)),
            catalog.Regions(directory, directory.regions), catalog.Services(directory, directory.services),
            catalog.Endpoints(directory, directory.endpoints)]
        routes = [rest.Route('GET', '/', _versions, public=True),
                  rest.Route('GET', '/v3', _version, public=True)]
        for part in parts:
            routes += part.routes()
        return routes


def _plan(conf):
    host = conf.public_host if ':' not in conf.public_host else '[%s]' % conf.public_host
    url, real = 'http://%s:%d%s', conf.real
    rows = [('identity', 'keystone', url % (host, conf.ports.identity, '/v3')),
            ('compute', 'nova', url % (host, conf.ports.compute, '/v2.1')),
            ('image', 'glance', real.image or url % (host, conf.ports.image, '')),
            ('network', 'neutron', real.network or url % (host, conf.ports.network, '')),
            ('placement', 'placement', real.placement or url % (host, conf.ports.placement, ''))]
    if conf.volume.enabled or real.volume:
        volume = (real.volume or url % (host, conf.ports.volume, '')) + '/v3/$(project_id)s'
        rows += [('volumev3', 'cinderv3', volume), ('block-storage', 'cinder', volume)]
    given = {'admin': conf.identity.admin_password, 'demo': conf.identity.demo_password}
    given.update((name, conf.identity.service_password) for name in bootstrap.SERVICE_USERS)
    return bootstrap.Plan(passwords=given, catalog=tuple(rows), region=conf.region)


def _render(request, fault):
    return {'error': {'code': fault.status, 'message': fault.message, 'title': fault.title}}


def _document(request):
    return {'id': 'v3.14', 'status': 'stable', 'updated': '2020-04-07T00:00:00Z',
            'links': [{'rel': 'self', 'href': request.host_url + '/v3/'}],
            'media-types': [{'base': 'application/json',
                             'type': 'application/vnd.openstack.identity-v3+json'}]}


def _versions(request):
    return rest.Reply(300, {'versions': {'values': [_document(request)]}},
                      [('Location', request.host_url + '/v3/')])


def _version(request):
    return {'version': _document(request)}
