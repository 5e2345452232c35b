# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The metadata service: who gets which instance's metadata, and who gets none."""

import hashlib
import hmac
import json

import pytest

from nova_lite import server_password
from nova_lite.api import deploy
from nova_lite.db import instances
from tests.fixtures import records
from tests.unit.api import client
from tests.unit.api import conftest

SECRET = 's3cret'


@pytest.fixture
def app(conf, services):
    conf.set_override('service_metadata_proxy', True, 'neutron')
    conf.set_override('metadata_proxy_shared_secret', SECRET, 'neutron')
    return deploy.load(str(conftest.PASTE), 'metadata', services)


@pytest.fixture
def instance(db):
    return records.created(db, records.user_context('demo'))


def ask(app, path, instance_id, project_id='demo', secret=SECRET, method='GET', **headers):
    signature = hmac.new(secret.encode(), instance_id.encode(), hashlib.sha256).hexdigest()
    signed = {'X-Instance-ID': instance_id, 'X-Tenant-ID': project_id, 'X-Instance-ID-Signature': signature,
              'X-Forwarded-For': '10.0.0.5'}
    sent = {name: value for name, value in (signed | headers).items() if value is not None}
    return client.Client(app, user=None, base='')(method, path, headers=sent)


def test_documents(app, instance):
    answer = ask(app, '/openstack/latest/meta_data.json', instance.uuid)
    assert answer.status == 200 and answer.headers['content-type'] == 'application/json'
    assert json.loads(answer.content)['uuid'] == instance.uuid
    assert ask(app, '/latest/meta-data/instance-type', instance.uuid).content == b'm1.small'
    assert b'meta-data' in ask(app, '/latest/', instance.uuid).content
    assert b'latest' in ask(app, '/', instance.uuid).content
    assert ask(app, '/latest', instance.uuid, method='HEAD').content == b''


@pytest.mark.parametrize('path', ['/nothing', '/latest/meta-data/nothing', '/openstack/latest/nothing',
                                  '/openstack/1999-01-01/meta_data.json', '/latest/../../../etc/passwd',
                                  '/latest/meta-data/instance-type/deeper'])
def test_unknown_paths(app, instance, path):
    assert ask(app, path, instance.uuid).status == 404


def test_who_asks_is_proved(app, instance):
    path = '/openstack/latest/meta_data.json'
    assert ask(app, path, instance.uuid, secret='wrong').status == 403
    assert ask(app, path, instance.uuid, **{'X-Instance-ID-Signature': None}).status == 403
    assert ask(app, path, instance.uuid, **{'X-Instance-ID-Signature': 'é'}).status == 403
    assert ask(app, path, instance.uuid, **{'X-Instance-ID': None}).status == 400
    assert ask(app, path, instance.uuid, project_id=None).status == 400
    assert ask(app, path, instance.uuid + ',' + instance.uuid).status == 400
    assert ask(app, path, instance.uuid, project_id='demo,other').status == 400
    assert ask(app, path, instance.uuid, project_id='other').status == 404
    assert ask(app, path, '00000000-0000-4000-8000-000000000000').status == 404
    assert ask(app, path, 'no uuid').status == 404
    assert ask(app, path, instance.uuid, method='POST').status == 405


def put_password(app, instance, text=b'c2VjcmV0', path='/openstack/latest/password', secret=SECRET):
    signature = hmac.new(secret.encode(), instance.uuid.encode(), hashlib.sha256).hexdigest()
    return client.Client(app, user=None, base='')('POST', path, raw=text, headers={
        'X-Instance-ID': instance.uuid, 'X-Tenant-ID': 'demo', 'X-Instance-ID-Signature': signature})


def test_a_guest_keeps_its_password_here_once(app, db, instance):
    assert ask(app, '/openstack/latest/password', instance.uuid).content == b''
    text = b'0123456789' * 102
    assert put_password(app, instance, text).status == 200
    assert ask(app, '/openstack/latest/password', instance.uuid).content == text
    assert ask(app, '/openstack/2013-04-04/password', instance.uuid).content == text
    assert instances.get(db, instance.uuid).system_metadata['password_0'] == text[:255].decode()
    assert put_password(app, instance).status == 409
    assert server_password.read(instances.get(db, instance.uuid)) == text.decode()


def test_passwords_that_are_not_kept(app, db, instance):
    assert put_password(app, instance, b'x' * 1021).status == 400
    assert put_password(app, instance, b'\xff').status == 400
    assert put_password(app, instance, secret='wrong').status == 403
    assert put_password(app, instance, path='/openstack/2012-08-10/password').status == 405
    assert server_password.read(instances.get(db, instance.uuid)) == ''


def test_cached_answers_are_for_the_owner_too(app, instance):
    path = '/latest/meta-data/instance-type'
    assert ask(app, path, instance.uuid).status == 200
    assert ask(app, path, instance.uuid, project_id='other').status == 404


def test_cache_is_short(app, conf, services, db, instance):
    conf.set_override('metadata_cache_expiration', 0, 'api')
    fresh = deploy.load(str(conftest.PASTE), 'metadata', services)
    path = '/openstack/latest/meta_data.json'
    for served in (app, fresh):
        assert json.loads(ask(served, path, instance.uuid).content)['name'] == 'server'
    records.set_columns(db, instance.uuid, display_name='t')
    assert json.loads(ask(app, path, instance.uuid).content)['name'] == 'server'
    assert json.loads(ask(fresh, path, instance.uuid).content)['name'] == 't'


def test_without_a_proxy_nobody_is_known(conf, services, instance):
    conf.set_override('service_metadata_proxy', False, 'neutron')
    conf.set_override('metadata_proxy_shared_secret', SECRET, 'neutron')
    app = deploy.load(str(conftest.PASTE), 'metadata', services)
    assert ask(app, '/openstack/latest/meta_data.json', instance.uuid).status == 404


def test_an_empty_secret_signs_nothing(conf, services, instance):
    conf.set_override('service_metadata_proxy', True, 'neutron')
    app = deploy.load(str(conftest.PASTE), 'metadata', services)
    assert ask(app, '/openstack/latest/meta_data.json', instance.uuid, secret='').status == 404
