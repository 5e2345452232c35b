# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the data plane makes of routers: their plans, their address translation, and their names on the host."""

import os

from nova_lite.standins.neutron import source
from nova_lite.standins.neutron.dataplane import announcer
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import nat
from nova_lite.standins.neutron.dataplane import plan
from tests.unit.standins.neutron import conftest

ROUTER, PORT = '0817d1b5-3bf8-4877-871f-e48ba7be255d', '1817d1b5-3bf8-4877-871f-e48ba7be255d'
GATEWAY = plan.Interface(PORT, 'fa:16:3e:00:00:07', 'n', 1500, ('172.24.4.5/24',))


def test_names(monkeypatch, tmp_path):
    monkeypatch.setattr(names, 'RUN_DIRECTORY', str(tmp_path))
    for device in (names.router_device(PORT), names.gateway_device(PORT)):
        assert len(device) <= 15
    assert names.recorded_networks('x') == names.recorded_routers('x') == set()
    for name in ('network', names.router_namespace(ROUTER)):
        os.makedirs(names.record('x', name))
    assert (names.recorded_networks('x'), names.recorded_routers('x')) == ({'network'}, {ROUTER})
    names.forget('x', names.router_namespace(ROUTER))
    names.forget('x', names.router_namespace(ROUTER))
    assert names.recorded_routers('x') == set()


def test_translation():
    rules = nat.ruleset(plan.Router(ROUTER, gateway=GATEWAY, floating=(('172.24.4.9', '10.5.0.3'),)))
    assert rules.collections['floating_in'].elements == {'172.24.4.9 : 10.5.0.3'}
    assert rules.collections['floating_out'].elements == {'10.5.0.3 : 172.24.4.9'}
    device = names.gateway_device(PORT)
    # A floating address comes before the one that all share.
    assert rules.chains['postrouting'].rules == (
        'oifname "%s" snat to ip saddr map @floating_out' % device, 'meta mark 0x1 snat to ip saddr map @floating_out',
        'oifname "%s" snat to 172.24.4.5' % device, 'meta mark 0x1 snat to 172.24.4.5')
    assert any('ct status snat' in rule and '!= { 172.24.4.5 } drop' in rule for rule in rules.chains['forward'].rules)


def test_no_translation():
    plain = nat.ruleset(plan.Router(ROUTER))
    assert list(plain.chains) == ['forward'] and not plain.collections
    for router in (plan.Router(ROUTER, gateway=GATEWAY, snat=False),
                   plan.Router(ROUTER, gateway=plan.Interface(PORT, 'm', 'n', 1500, ()))):
        assert not any('snat to 172' in rule for rule in nat.ruleset(router).chains['postrouting'].rules)


def test_routes():
    router = plan.Router(ROUTER, gateway=GATEWAY, next_hop='172.24.4.1', routes=(('10.9.0.0/16', '10.5.0.7'),))
    assert router.all_routes == {'default': '172.24.4.1', '10.9.0.0/16': '10.5.0.7'}
    assert plan.Router(ROUTER, next_hop='172.24.4.1', routes=(('0.0.0.0/0', '10.5.0.7'),)).all_routes == {
        'default': '10.5.0.7'}
    assert plan.Router(ROUTER).all_routes == {} and plan.Router(ROUTER).all_interfaces == ()


def test_announcement():
    sent = announcer.frame(bytes.fromhex('fa163e000007'), '172.24.4.9', 2)
    assert sent[:14] == b'\xff' * 6 + bytes.fromhex('fa163e0000070806') and len(sent) == 42
    assert sent[20:22] == b'\x00\x02' and sent[28:32] == bytes((172, 24, 4, 9)) == sent[38:42]


def test_what_the_records_say(make, monkeypatch):
    neutron = make()
    calls, looked = conftest.Callers(neutron.app), source.Source(neutron._records)

    def made(kind, **values):
        status, body = calls.demo('POST', '/%ss' % kind, {kind: values})
        assert status == 201, body
        return body[kind]
    public = calls.demo('GET', '/networks?router:external=True')[1]['networks'][0]
    network = made('network')
    subnet = made('subnet', network_id=network['id'], ip_version=4, cidr='10.5.0.0/24')
    router = made('router', external_gateway_info={'network_id': public['id']})
    path = '/routers/' + router['id']
    port_id = calls.demo('PUT', path + '/add_router_interface', {'subnet_id': subnet['id']})[1]['port_id']
    guest = made('port', network_id=network['id'], device_id='i-1', device_owner='compute:nova')
    floating = made('floatingip', floating_network_id=public['id'], port_id=guest['id'])
    calls.demo('PUT', path, {'router': {'routes': [{'destination': '10.9.0.0/16', 'nexthop': '10.5.0.7'}]}})
    found, = looked.routers()
    own = router['external_gateway_info']['external_fixed_ips'][0]['ip_address']
    address = guest['fixed_ips'][0]['ip_address']
    assert [(each.port_id, each.network_id, each.addresses) for each in found.interfaces] == [
        (port_id, network['id'], ('10.5.0.1/24',))]
    assert (found.gateway.network_id, found.gateway.addresses, found.next_hop, found.snat) == (
        public['id'], (own + '/24',), '172.24.4.1', True)
    assert found.floating == ((floating['floating_ip_address'], address),)
    assert found.outside_addresses == (own + '/24', floating['floating_ip_address'] + '/32')
    assert found.routes == (('10.9.0.0/16', '10.5.0.7'),)
    assert looked.owner_behind(router['id'], address) == ('i-1', 'p-demo')
    assert looked.owner_behind(router['id'], '10.5.0.99') is None
    # The bridge of a router's network takes its tap back when it is made anew.
    assert port_id in looked.plan(network['id']).ports
    calls.demo('PUT', path, {'router': {'admin_state_up': False}})
    assert looked.routers() == []
