# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-manage on a running cloud: what was pulled apart by hand is found and mended."""

import sqlite3
import subprocess
import sys

import pytest

from tests.fixtures import audit
from tests.fixtures import cloud


@pytest.fixture
def manage(stack):
    """manage(*words) → the finished process."""
    def run(*words):
        return subprocess.run(
            [sys.executable, '-m', 'nova_lite.cmd.manage', '--config-file', str(stack.layout.nova_conf), '--config-dir',
             str(stack.layout.nova_conf_d), *words], capture_output=True, text=True, timeout=120)
    return run


@pytest.fixture
def forget(stack):
    """forget(uuid): remove every row of a server, as no command does."""
    def run(uuid):
        connection = sqlite3.connect(stack.layout.state / 'nova.sqlite', timeout=30)
        with connection:
            connection.execute('DELETE FROM instances WHERE uuid = ?', [uuid])
            for table in ('block_devices', 'instance_actions', 'instance_action_events'):
                connection.execute('DELETE FROM %s WHERE instance_uuid = ?' % table, [uuid])     # noqa: S608
        connection.close()
    return run


def allocation(admin, uuid):
    return admin.request('GET', '/allocations/%s' % uuid, ok=200, service='placement').json()['allocations']


def provider(admin):
    """uuid of the first node."""
    found = admin.request('GET', '/resource_providers', ok=200, service='placement').json()['resource_providers']
    return found[0]['uuid']


def attach(admin, instance_uuid):
    """A volume that is reserved for a server; → id of the attachment."""
    volumes = {'service': 'volumev3', 'headers': {'OpenStack-API-Version': 'volume 3.50'}}
    volume = admin.request('POST', '/volumes', ok=202, json={'volume': {'size': 1}}, **volumes).json()['volume']
    cloud.wait_for(lambda: admin.request('GET', '/volumes/' + volume['id'], ok=200, **volumes).json()[
        'volume']['status'] == 'available')
    return admin.request('POST', '/attachments', ok=(200, 202), json={'attachment': {
        'volume_uuid': volume['id'], 'instance_uuid': instance_uuid}}, **volumes).json()['attachment']['id']


def hold(admin, uuid):
    """Have Placement hold something for a server that is not there."""
    admin.request('PUT', '/allocations/%s' % uuid, ok=204, service='placement',
                  headers={'OpenStack-API-Version': 'placement 1.36'}, json={
                      'allocations': {provider(admin): {'resources': {'VCPU': 1}}}, 'project_id': 'p', 'user_id': 'u',
                      'consumer_generation': None})


STRANGER = '11111111-2222-4333-8444-555555555555'


def test_reliability_73_audit_finds_and_mends_both_ways(stack, admin, boot, settled, manage, forget):
    kept, lost = boot('kept'), boot('lost')
    assert settled(kept)['status'] == settled(lost)['status'] == 'ACTIVE'
    audit.check(stack)
    clean = manage('audit')
    assert clean.returncode == 0 and clean.stdout == 'Nothing differs.\n', clean.stdout + clean.stderr
    admin.request('DELETE', '/allocations/%s' % kept, ok=204, service='placement')
    forget(lost)
    attachment = attach(admin, lost)
    found = manage('audit')
    assert found.returncode == 1, found.stdout + found.stderr
    kinds = {tuple(field.strip() for field in line.split('|')[1:4]) for line in found.stdout.splitlines()
             if line.startswith('|')}
    assert {('guest', 'orphan', lost), ('port', 'orphan', lost), ('allocation', 'orphan', lost),
            ('attachment', 'orphan', lost), ('allocation', 'missing', kept)} <= kinds
    assert attachment in found.stdout
    fixed = manage('audit', '--fix')
    assert fixed.returncode == 0, fixed.stdout + fixed.stderr
    assert 'fixed' in fixed.stdout and manage('audit').returncode == 0
    assert lost not in str(stack.fake_guests()) and allocation(admin, lost) == {}
    assert list(allocation(admin, kept).values())[0]['resources'] == {'MEMORY_MB': 128, 'VCPU': 1, 'DISK_GB': 1}


def test_reliability_73_placement_commands(admin, boot, settled, manage):
    uuid = boot()
    settled(uuid)
    assert manage('placement', 'heal_allocations').returncode == 4
    admin.request('DELETE', '/allocations/%s' % uuid, ok=204, service='placement')
    dry = manage('placement', 'heal_allocations', '--dry-run')
    assert dry.returncode == 4 and uuid in dry.stdout and allocation(admin, uuid) == {}
    assert manage('placement', 'heal_allocations', '--instance', STRANGER).returncode == 127
    healed = manage('placement', 'heal_allocations', '--instance', uuid, '--verbose')
    assert healed.returncode == 0 and 'Healed 1 of 1 servers.' in healed.stdout, healed.stderr
    assert allocation(admin, uuid)
    assert manage('placement', 'audit').returncode == 0
    hold(admin, STRANGER)
    assert manage('placement', 'audit').returncode == 3
    deleted = manage('placement', 'audit', '--delete', '--verbose')
    assert deleted.returncode == 4 and STRANGER in deleted.stdout
    assert allocation(admin, STRANGER) == {}


def test_audit_says_which_hosts_it_could_not_ask(stack, manage):
    stack.supervise('stop', 'nova-compute')
    try:
        cloud.wait_for(lambda: ' down ' in manage('service', 'list').stdout, 30)
        found = manage('audit')
        assert found.returncode == 1 and found.stdout.count('| host | unseen') == stack.hosts
    finally:
        stack.supervise('start', 'nova-compute')
        cloud.wait_for(lambda: ' down ' not in manage('service', 'list').stdout, 60)


@pytest.mark.parametrize('words', [['audit'], ['placement', 'audit']])
def test_an_audit_without_placement_is_one_line(stack, manage, words):
    stack.supervise('stop', 'nova-lite-standins')
    try:
        done = manage(*words)
        assert done.returncode == 255 and 'Traceback' not in done.stderr
        assert done.stderr.splitlines()[-1].startswith('nova-manage: ')
    finally:
        stack.supervise('start', 'nova-lite-standins')
        cloud.wait_for(lambda: manage('placement', 'audit').returncode == 0, 60)
