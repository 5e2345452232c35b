# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the data plane writes and how it names things, without touching the host."""

import pytest

from nova_lite.standins.neutron import app
from nova_lite.standins.neutron import seed
from nova_lite.standins.neutron import source
from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import conntrack
from nova_lite.standins.neutron.dataplane import dnsmasq
from nova_lite.standins.neutron.dataplane import firewall
from nova_lite.standins.neutron.dataplane import metadata_proxy
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import plan
from nova_lite.standins.neutron.dataplane import release
from nova_lite.standins.neutron.dataplane import teardown
from tests.unit.standins.neutron import conftest

NETWORK_ID = '0817d1b5-3bf8-4877-871f-e48ba7be255d'
SUBNET = plan.Subnet('s1', '10.0.0.0/24', '10.0.0.1', '10.0.0.2', ('9.9.9.9', '1.1.1.1'),
                     (('10.5.0.0/16', '10.0.0.7'),))
NETWORK = plan.Network(
    NETWORK_ID, 1450, 'example', dhcp_port='p1', dhcp_mac='fa:16:3e:00:00:02', subnets=(SUBNET,),
    hosts=(plan.Host('fa:16:3e:00:00:05', '10.0.0.5', 'web'), plan.Host('fa:16:3e:00:00:06', '10.0.0.6', 'db')))


def test_device_names_fit_the_kernel():
    assert names.bridge(NETWORK_ID) == 'brq0817d1b5-3b'
    for name in (names.bridge(NETWORK_ID), names.tap(NETWORK_ID), names.namespace_device(NETWORK_ID)):
        assert len(name) <= 15
    assert names.bridge_mac(NETWORK_ID) == names.bridge_mac(NETWORK_ID)
    assert int(names.bridge_mac(NETWORK_ID)[:2], 16) & 1 == 0


def test_installations_have_names_of_their_own(tmp_path):
    (tmp_path / 'link').symlink_to(tmp_path / 'a')
    one = names.installation(str(tmp_path / 'a'))
    assert one == names.installation(str(tmp_path / 'link'))
    assert one != names.installation(str(tmp_path / 'b'))
    assert one in names.table(one) and one in names.run_directory(one) and one in names.alias(one, NETWORK_ID)


def test_hosts_file():
    assert dnsmasq.hosts(NETWORK) == ('fa:16:3e:00:00:05,web.example,10.0.0.5\n'
                                      'fa:16:3e:00:00:06,db.example,10.0.0.6\n')


def test_options_file():
    assert dnsmasq.options(NETWORK).splitlines() == [
        'option:mtu,1450',
        'tag:subnet-s1,option:classless-static-route,169.254.169.254/32,10.0.0.2,10.5.0.0/16,10.0.0.7,'
        '0.0.0.0/0,10.0.0.1',
        'tag:subnet-s1,249,169.254.169.254/32,10.0.0.2,10.5.0.0/16,10.0.0.7,0.0.0.0/0,10.0.0.1',
        'tag:subnet-s1,option:router,10.0.0.1',
        'tag:subnet-s1,option:dns-server,9.9.9.9,1.1.1.1']


def test_options_without_gateway_and_servers():
    lonely = plan.Network(NETWORK_ID, 1500, 'example', subnets=(plan.Subnet('s1', '10.0.0.0/24', None, '10.0.0.2'),))
    assert dnsmasq.options(lonely).splitlines()[1:] == [
        'tag:subnet-s1,option:classless-static-route,169.254.169.254/32,10.0.0.2',
        'tag:subnet-s1,249,169.254.169.254/32,10.0.0.2', 'tag:subnet-s1,option:router',
        'tag:subnet-s1,option:dns-server']


def test_dnsmasq_serves_only_its_device_and_no_names():
    lines = dnsmasq.configuration(NETWORK, 'ns-x', '/run/x').splitlines()
    assert {'interface=ns-x', 'port=0', 'no-resolv', 'bind-interfaces', 'domain=example',
            'dhcp-range=set:subnet-s1,10.0.0.0,static,255.255.255.0,86400s',
            'dhcp-hostsfile=/run/x/hosts'} <= set(lines)


def test_a_foreign_process_is_not_taken_for_dnsmasq(tmp_path):
    process = dnsmasq.Dnsmasq(str(tmp_path), 'ns')
    assert process.pid() is None
    for text in ('1', '999999999', 'x', ''):
        (tmp_path / 'dnsmasq.pid').write_text(text)
        assert process.pid() is None


def test_firewall_rules():
    rules = firewall.ruleset([firewall.Bridge('brqa', ('10.0.0.0/24',)), firewall.Bridge('brqb', (), 7),
                              firewall.Bridge('brqc', ('10.1.0.0/24',))], conntrack.OwnTracking())
    assert rules.chains['input'].rules == ('iifname { "brqa", "brqb", "brqc" } jump from_guests',)
    # What leaves the host is masqueraded, what goes from one network that it routes to another is not.
    assert rules.chains['postrouting'].rules == (
        'ip saddr { 10.0.0.0/24, 10.1.0.0/24 } oifname != { "brqa", "brqb", "brqc" } masquerade',)
    forwards = rules.chains['forward'].rules
    assert 'iifname "brqa" ip daddr 169.254.0.0/16 reject' in forwards
    assert 'iifname "brqb" drop' in forwards and 'oifname "brqb" drop' in forwards
    # Frames between guests are let through before anything is dropped.
    assert forwards.index('iifname "brqb" oifname "brqb" accept') < forwards.index('iifname "brqb" drop')


def test_release_message():
    sent = release.message(release.Lease('fa:16:3e:00:00:05', '10.0.0.5', '10.0.0.2'))
    assert sent[:4] == bytes((1, 1, 6, 0)) and sent[12:16] == bytes((10, 0, 0, 5))
    assert sent[28:34] == bytes.fromhex('fa163e000005') and sent[236:240] == bytes((99, 130, 83, 99))
    assert sent[240:] == bytes((53, 1, 7, 54, 4, 10, 0, 0, 2, 255))


def test_commands_say_what_went_wrong():
    assert commands.run('cat', stdin='text') == 'text'
    with pytest.raises(commands.CommandError, match='^no-such-command is not installed$'):
        commands.run('no-such-command')
    with pytest.raises(commands.CommandError, match='took longer than'):
        commands.run('sleep', '5', seconds=0.05)
    with pytest.raises(commands.CommandError, match='"ls /no/such/place" failed: .*No such file'):
        commands.run('ls', '/no/such/place')


def test_nothing_to_tear_down(tmp_path):
    assert teardown.teardown(str(tmp_path)) == []


@pytest.mark.parametrize('url', ['', 'ftp://x', 'http://', '127.0.0.1:8775'])
def test_metadata_url_is_checked(url):
    with pytest.raises(ValueError, match='metadata_url'):
        metadata_proxy.Forwarder(url, 's')


def test_free_range():
    assert seed.free_range('10.0.0.0/24', []) == '10.0.0.0/24'
    assert seed.free_range('10.0.0.0/24', ['10.0.0.0/23', '10.0.2.7/32', 'fd00::/64']) == '10.0.3.0/24'
    with pytest.raises(ValueError, match='in use'):
        seed.free_range('10.0.0.0/24', ['10.0.0.0/8'])
    with pytest.raises(ValueError, match='host bits'):
        seed.free_range('10.0.0.1/24', [])


class Plane:
    """A data plane that notes what it is told."""

    enabled = True

    def __init__(self, *_arguments):
        self.told = []
        self.broken = False

    def host_ranges(self):
        return ['10.0.0.0/23']

    def start(self):
        self.told.append('start')

    def stop(self):
        self.told.append('stop')

    def changed(self, network_id):
        self.told.append(network_id)

    def refresh(self):
        self.told.append('rules')

    def plug(self, network_id, filtered_port_id):
        self.told.append((network_id, filtered_port_id))
        if self.broken:
            raise commands.CommandError('no bridge')


@pytest.fixture
def plane(monkeypatch):
    made = Plane()
    monkeypatch.setattr(app, '_plane', lambda conf, records: made)
    return made


@pytest.fixture
def neutron(plane, make):
    return make()


@pytest.fixture
def calls(neutron):
    return conftest.Callers(neutron.app)


def test_dhcp_port_follows_the_subnets(calls, plane):
    network = calls.admin('GET', '/networks')[1]['networks'][0]
    subnet = calls.admin('GET', '/subnets')[1]['subnets'][0]
    assert subnet['cidr'] == '10.0.2.0/24'

    def dhcp():
        ports = calls.admin('GET', '/ports?device_owner=network:dhcp')[1]['ports']
        return [sorted(fixed['ip_address'] for fixed in port['fixed_ips']) for port in ports]
    assert dhcp() == [['10.0.2.2']]
    second = calls.admin('POST', '/subnets', {'subnet': {
        'network_id': network['id'], 'ip_version': 4, 'cidr': '10.9.0.0/24'}})[1]['subnet']
    assert dhcp() == [['10.0.2.2', '10.9.0.2']]
    calls.admin('PUT', '/subnets/' + subnet['id'], {'subnet': {'enable_dhcp': False}})
    assert dhcp() == [['10.9.0.2']]
    port = calls.admin('GET', '/ports?device_owner=network:dhcp')[1]['ports'][0]
    assert calls.admin('DELETE', '/ports/' + port['id'])[0] == 204
    assert len(dhcp()) == 1
    assert calls.admin('DELETE', '/subnets/' + second['id'])[0] == 204
    assert dhcp() == []
    assert plane.told[-1] == network['id']


def test_plan_and_owner(neutron, calls):
    network = calls.admin('GET', '/networks')[1]['networks'][0]
    made = calls.admin('POST', '/ports', {'port': {
        'network_id': network['id'], 'device_id': 'i-1', 'device_owner': 'compute:nova', 'project_id': 'p-demo',
        'binding:host_id': 'h', 'dns_name': 'web.example'}})[1]['port']
    looked = source.Source(neutron._records)
    planned = looked.plan(network['id'])
    address = made['fixed_ips'][0]['ip_address']
    assert planned.gateways == ('10.0.2.1/24',)
    assert planned.hosts == (plan.Host(made['mac_address'], address, 'web'),)
    assert planned.ports == (made['id'],)
    assert planned.subnets[0].dhcp_address == '10.0.2.2'
    assert planned.shape.hosts == ()
    assert looked.owner_at(network['id'], address) == ('i-1', 'p-demo')
    assert looked.owner_at(network['id'], '10.0.2.2') is None
    assert looked.owner_at(network['id'], '10.0.2.99') is None
    assert looked.plan('x') is None


def test_a_port_whose_bridge_cannot_be_made(calls, plane):
    network = calls.admin('GET', '/networks')[1]['networks'][0]
    plane.broken = True
    made = calls.admin('POST', '/ports', {'port': {'network_id': network['id'], 'binding:host_id': 'h'}})[1]['port']
    assert (made['status'], made['binding:vif_type']) == ('DOWN', 'binding_failed')
    plane.broken = False
    again = calls.admin('PUT', '/ports/' + made['id'], {'port': {'binding:host_id': 'h'}})[1]['port']
    assert (again['status'], again['binding:vif_type']) == ('ACTIVE', 'bridge')


def test_agents_of_a_data_plane(calls):
    agents = calls.admin('GET', '/agents')[1]['agents']
    assert {agent['agent_type'] for agent in agents} == {
        'DHCP agent', 'L3 agent', 'Metadata agent', 'Linux bridge agent'}
    assert calls.admin('GET', '/agents/' + agents[0]['id'])[1]['agent']['alive'] is True
    assert calls.demo('GET', '/availability_zones')[1]['availability_zones'][0]['name'] == 'nova'
