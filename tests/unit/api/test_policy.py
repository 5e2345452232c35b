# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Policy: the rules' form, their defaults by role, and a file that overrides them."""

import concurrent.futures

import pytest

from nova_lite import context
from nova_lite import exception
from nova_lite.api import deploy
from nova_lite.api import enforcer
from nova_lite.api import policies
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import flavors
from tests.unit.api import client
from tests.unit.api import conftest

PROJECT = enforcer.Owner(project_id='p', user_id='u')


def caller(*roles, project_id='p', user_id='u', **kwargs):
    return context.RequestContext(user_id=user_id, project_id=project_id, roles=list(roles), overwrite=False, **kwargs)


def test_rules_are_named_once_and_documented():
    names = [rule.name for rule in policies.list_rules()]
    assert len(names) == len(set(names))
    for name, _, description, method, path in policies.OPERATIONS:
        assert name.startswith(('os_compute_api:', 'compute:')) and description
        assert method in ('GET', 'POST', 'PUT', 'DELETE') and path.startswith('/')


@pytest.mark.parametrize(('check', 'allowed'), [
    (policies.ADMIN, {'admin'}),
    (policies.MANAGER_OR_ADMIN, {'manager', 'admin'}),
    (policies.MEMBER_OR_ADMIN, {'member', 'manager', 'admin'}),
    (policies.READER_OR_ADMIN, {'reader', 'member', 'manager', 'admin'}),
])
def test_defaults_by_role(conf, monkeypatch, check, allowed):
    """Keystone implies the lower roles of a role, so a caller has them all."""
    order = ('reader', 'member', 'manager', 'admin')
    rules = policies.OPERATIONS + (('compute:test', check, 'Test', 'GET', '/'),)
    monkeypatch.setattr(policies, 'OPERATIONS', rules)
    policy = enforcer.Enforcer(conf)
    for number, role in enumerate(order):
        who = caller(*order[:number + 1])
        assert policy.allows('compute:test', who, PROJECT) == (role in allowed)
        stranger = caller(*order[:number + 1], project_id='other')
        assert policy.allows('compute:test', stranger, PROJECT) == (role == 'admin')
    assert not policy.allows('compute:test', caller(), PROJECT)


def test_tokens_without_a_project_are_out_of_scope(conf):
    policy = enforcer.Enforcer(conf)
    system = caller('admin', 'member', 'reader', project_id=None, system_scope='all')
    assert not policy.allows(policies.SERVICES % 'list', system)
    assert policy.allows(policies.SERVICES % 'list', caller('admin'))


def test_refusal_names_the_rule(conf):
    with pytest.raises(exception.PolicyNotAuthorized) as caught:
        enforcer.Enforcer(conf).authorize(policies.SERVICES % 'list', caller('member'))
    assert caught.value.message == "Policy doesn't allow os_compute_api:os-services:list to be performed."


def test_override_by_file(conf, tmp_path):
    path = tmp_path / 'policy.yaml'
    path.write_text('"%s": "role:auditor"\n' % (policies.SERVICES % 'list'))
    conf.set_override('policy_file', str(path), 'oslo_policy')
    policy = enforcer.Enforcer(conf)
    assert policy.allows(policies.SERVICES % 'list', caller('auditor'))
    assert not policy.allows(policies.SERVICES % 'list', caller('admin'))
    assert policy.allows(policies.SERVICES % 'update', caller('admin'))


def test_who_counts_as_administrator_is_policy_too(conf, services, tmp_path):
    (tmp_path / 'policy.yaml').write_text('"context_is_admin": "role:reader"\n')
    conf.set_override('policy_file', str(tmp_path / 'policy.yaml'), 'oslo_policy')
    services.enforcer = enforcer.Enforcer(conf)
    app = deploy.load(str(conftest.PASTE), 'osapi_compute', services)
    assert client.Client(app).get('/os-services') == {'services': []}


def test_many_first_requests_decide_alike(conf):
    policy = enforcer.Enforcer(conf)
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        member = list(pool.map(lambda _: policy.allows(policies.SERVICES % 'list', caller('member')), range(50)))
        admin = list(pool.map(lambda _: policy.allows(policies.SERVICES % 'list', caller('admin')), range(50)))
    assert not any(member) and all(admin)


def test_a_table_with_an_unknown_rule_does_not_start(services):
    table = {'/x': {'GET': wsgi.op(flavors.Controller, 'index', 'os_compute_api:nonsense')}}
    with pytest.raises(LookupError, match='os_compute_api:nonsense'):
        deploy.build_application(table, services)
