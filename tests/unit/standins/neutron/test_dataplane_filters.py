# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The rulesets that keep guests to their addresses and security groups, and how they get to the kernel."""

import pytest

from nova_lite.standins.neutron import source
from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import conntrack
from nova_lite.standins.neutron.dataplane import filters
from nova_lite.standins.neutron.dataplane import firewall
from nova_lite.standins.neutron.dataplane import nftables
from nova_lite.standins.neutron.dataplane import plan
from tests.unit.standins.neutron import conftest

PORT = '0817d1b5-3bf8-4877-871f-e48ba7be255d'
GROUP, CLIENTS = '11111111-2222-4333-8444-555555555555', 'aaaaaaaa-2222-4333-8444-555555555555'
IN, OUT = 'ingress_' + GROUP.replace('-', ''), 'egress_' + GROUP.replace('-', '')
MAC = 'fa:16:3e:00:00:05'


def security(*rules, addresses=((MAC, '10.0.0.5/32'),), members=()):
    return plan.Security((plan.SecuredPort(PORT, MAC, addresses, (GROUP,)),), {GROUP: rules}, {CLIENTS: members})


def ruleset(*rules, strangers=(), tracking=None, **values):
    return filters.ruleset(security(*rules, **values), strangers, tracking or conntrack.OwnTracking(), [])


@pytest.mark.parametrize(('rule', 'text'), [
    (dict(version=4), 'ether type ip accept'),
    (dict(version=6), 'ether type ip6 accept'),
    (dict(version=4, protocol=6), 'ether type ip meta l4proto 6 accept'),
    (dict(version=4, protocol=6, low=80, high=80), 'ether type ip meta l4proto 6 th dport 80 accept'),
    (dict(version=6, protocol=17, low=80, high=90), 'ether type ip6 meta l4proto 17 th dport 80-90 accept'),
    (dict(version=4, protocol=1, low=8), 'ether type ip meta l4proto 1 icmp type 8 accept'),
    (dict(version=4, protocol=1, low=3, high=0), 'ether type ip meta l4proto 1 icmp type 3 icmp code 0 accept'),
    (dict(version=6, protocol=58, low=128), 'ether type ip6 meta l4proto 58 icmpv6 type 128 accept'),
    (dict(version=6, protocol=43), 'ether type ip6 ip6 nexthdr 43 accept'),
    (dict(version=4, protocol=112), 'ether type ip meta l4proto 112 accept'),
    (dict(version=4, prefix='10.1.0.0/16'), 'ether type ip ip saddr 10.1.0.0/16 accept'),
    (dict(version=4, prefix='0.0.0.0/0'), 'ether type ip accept'),
    (dict(version=6, prefix='::/0'), 'ether type ip6 accept'),
    (dict(version=6, remote_group=CLIENTS),
     'ether type ip6 ip6 saddr @members6_%s accept' % CLIENTS.replace('-', '')),
])
def test_rules(rule, text):
    made = ruleset(plan.Rule('ingress', **rule))
    assert made.chains[IN].rules == (text,) and made.chains[OUT].rules == ()
    outward = ruleset(plan.Rule('egress', **rule)).chains[OUT].rules
    assert outward == (text.replace('saddr', 'daddr'),)


def test_a_port_and_its_groups():
    made = ruleset(strangers=['tapffffffff-ff'])
    assert made.collections['from_taps'].elements == {
        '"tap0817d1b5-3b" : goto from_0817d1b5_3b', '"tapffffffff-ff" : drop'}
    assert made.chains['to_0817d1b5_3b'].rules == ('jump to_any', 'jump ' + IN, 'drop')
    own = made.chains['from_0817d1b5_3b'].rules
    assert own[-3:] == ('jump from_any', 'jump ' + OUT, 'drop')
    assert 'ether saddr . ip saddr != { fa:16:3e:00:00:05 . 10.0.0.5 } drop' in own
    assert filters.covers(made, PORT) and not filters.covers(made, GROUP)


def test_address_pairs():
    pairs = ((MAC, '10.0.0.5/32'), (MAC, '10.0.0.0/24'), ('fa:16:3e:00:00:06', '10.9.0.1/32'), (MAC, 'fd00::/64'))
    own = ruleset(addresses=pairs).chains['from_0817d1b5_3b'].rules
    assert own[0] == 'ether saddr != { fa:16:3e:00:00:05, fa:16:3e:00:00:06 } drop'
    assert ('ether saddr . ip saddr != { fa:16:3e:00:00:05 . 10.0.0.0/24, fa:16:3e:00:00:06 . 10.9.0.1 } drop') in own
    # Link-local addresses that follow from the MACs are the guest's own too.
    assert any('fa:16:3e:00:00:05 . fd00::/64, fa:16:3e:00:00:05 . fe80::f816:3eff:fe00:5' in rule for rule in own)
    assert 'ether type ip drop' in ruleset(addresses=()).chains['from_0817d1b5_3b'].rules


def test_members_do_not_overlap():
    made = ruleset(members=frozenset(('10.0.0.5/32', '10.0.0.6/32', '10.1.0.0/16', '10.1.2.3/32', 'fd00::5/128')))
    label = CLIENTS.replace('-', '')
    assert made.collections['members4_' + label].elements == {'10.0.0.5/32', '10.0.0.6/32', '10.1.0.0/16'}
    assert made.collections['members6_' + label].elements == {'fd00::5/128'}


def test_how_replies_are_told():
    bridges = [firewall.Bridge('brqa', (), 7), firewall.Bridge('brqb', ('10.0.0.0/24',))]
    own = filters.ruleset(security(), (), conntrack.OwnTracking(), bridges)
    assert own.chains['zones'].rules == ('ct zone set meta ibrname map { "brqa" : 7 }',)
    assert 'ct state established ct direction reply accept' in own.chains['to_any'].rules
    borrowed = conntrack.BorrowedTracking()
    marked = filters.ruleset(security(), (), borrowed, bridges)
    assert 'zones' not in marked.chains and not any('ct ' in rule for rule in marked.chains['to_any'].rules)
    inet = firewall.ruleset(bridges, borrowed).chains
    assert inet['zones'].rules == ('ct zone set iifname map { "brqa" : 7 }',)
    assert inet['marks_out'].rules[0] == (
        'oifname { "brqa", "brqb" } ct state established ct direction reply meta mark set meta mark | 0x20000000')
    assert borrowed.inet_chains([]) == {} == borrowed.bridge_chains(bridges)


def test_only_what_changed_is_sent():
    before, after = ruleset(plan.Rule('ingress', 4), members=('10.0.0.5/32',)), ruleset(
        plan.Rule('ingress', 6), members=('10.0.0.6/32',))
    label = CLIENTS.replace('-', '')
    assert nftables.changes('bridge t', before, after).splitlines() == [
        'flush chain bridge t ' + IN, 'add rule bridge t %s ether type ip6 accept' % IN,
        'delete element bridge t members4_%s { 10.0.0.5/32 }' % label,
        'add element bridge t members4_%s { 10.0.0.6/32 }' % label]
    assert nftables.changes('bridge t', after, after) == ''


def test_what_goes_is_named_by_nothing_when_it_goes():
    lines = nftables.changes('bridge t', ruleset(), nftables.Ruleset(
        {'from_taps': nftables.Collection('map', 'ifname : verdict')}, {})).splitlines()
    element = next(index for index, line in enumerate(lines) if line.startswith('delete element bridge t from_taps'))
    assert element < lines.index('delete chain bridge t from_0817d1b5_3b')
    assert lines.index('flush chain bridge t to_guests') < lines.index('delete map bridge t to_taps')


class Kernel:
    """What nft does, for a test that must not touch the host: it notes the texts and fails when told so."""

    def __init__(self, monkeypatch):
        self.texts, self.failures, self.tables = [], 0, 'table bridge t\n'
        monkeypatch.setattr(commands, 'run', self.run)

    def run(self, *arguments, stdin=None):
        if arguments[1:] == ('list', 'tables'):
            return self.tables
        self.texts.append(stdin)
        if self.failures:
            self.failures -= 1
            raise commands.CommandError('nft failed')
        return ''


def test_a_table_that_someone_changed_is_made_anew(monkeypatch):
    kernel, table = Kernel(monkeypatch), nftables.Table('bridge', 't')
    table.apply(ruleset())
    assert 'delete table bridge t\n' in kernel.texts[0]
    table.apply(ruleset())
    assert len(kernel.texts) == 1
    kernel.failures = 1
    table.apply(ruleset(plan.Rule('ingress', 4)))
    assert 'delete table' not in kernel.texts[1] and 'delete table' in kernel.texts[2]
    kernel.tables = ''
    assert not table.present()
    table.apply(ruleset(plan.Rule('ingress', 4)))
    assert 'delete table' in kernel.texts[3]
    kernel.failures = 2
    with pytest.raises(commands.CommandError):
        table.apply(ruleset())
    table.apply(ruleset())
    assert 'delete table' in kernel.texts[-1]


def test_a_kernel_without_any_tracking(monkeypatch):
    def run(*arguments, stdin=None):
        raise commands.CommandError('not supported')
    monkeypatch.setattr(commands, 'run', run)
    monkeypatch.setattr(conntrack.os.path, 'isdir', lambda path: True)
    assert isinstance(conntrack.find(), conntrack.BorrowedTracking)
    monkeypatch.setattr(conntrack.os.path, 'isdir', lambda path: False)
    with pytest.raises(commands.CommandError, match='security groups cannot be enforced'):
        conntrack.find()


def test_what_the_records_say(make):
    neutron = make()
    records = neutron._records
    calls = conftest.Callers(neutron.app)
    network = calls.demo('POST', '/networks', {'network': {}})[1]['network']
    calls.demo('POST', '/subnets', {'subnet': {'network_id': network['id'], 'ip_version': 4, 'cidr': '10.9.0.0/24'}})
    made = [calls.demo('POST', '/ports', {'port': {'network_id': network['id'], **values}})[1]['port'] for values in (
        {'allowed_address_pairs': [{'ip_address': '10.9.0.128/25'}]},
        {'port_security_enabled': False, 'security_groups': []}, {'security_groups': []})]
    default = made[0]['security_groups'][0]
    calls.demo('POST', '/security-group-rules', {'security_group_rule': {
        'security_group_id': default, 'direction': 'ingress', 'protocol': 'vrrp', 'remote_ip_prefix': '10.1.2.3'}})
    found = source.Source(records).security()
    assert [(port.id, port.groups) for port in found.ports] == [(made[0]['id'], (default,)), (made[2]['id'], ())]
    own = found.ports[0].addresses
    assert own == ((made[0]['mac_address'], made[0]['fixed_ips'][0]['ip_address'] + '/32'),
                   (made[0]['mac_address'], '10.9.0.128/25'))
    assert found.known == {port['id'] for port in made}
    assert plan.Rule('ingress', 4, 112, prefix='10.1.2.3/32') in found.groups[default]
    assert plan.Rule('ingress', 6, remote_group=default) in found.groups[default]
    assert found.members == {default: {network for _mac, network in own}}


def test_cost_grows_with_the_ports_not_their_square():
    """A change for one port among many touches what is that port's, and the one set that it is in."""
    def cloud(count):
        ports = tuple(plan.SecuredPort(
            '%08x-0000-4000-8000-000000000000' % number, 'fa:16:3e:00:%02x:%02x' % divmod(number, 256),
            (('fa:16:3e:00:%02x:%02x' % divmod(number, 256), '10.0.%d.%d/32' % divmod(number, 256)),), (GROUP,))
            for number in range(count))
        members = frozenset(network for port in ports for _mac, network in port.addresses)
        rules = (plan.Rule('ingress', 4, remote_group=GROUP),)
        return filters.ruleset(plan.Security(ports, {GROUP: rules}, {GROUP: members}), (), conntrack.OwnTracking(), [])
    small, large = (len(nftables.whole('bridge t', cloud(count))) for count in (100, 200))
    assert large < 2.1 * small
    step = nftables.changes('bridge t', cloud(200), cloud(201))
    assert len(step.splitlines()) == len(nftables.changes('bridge t', cloud(100), cloud(101)).splitlines()) < 20
