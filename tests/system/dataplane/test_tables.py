# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Rulesets in the kernel: what is reached step by step is what is made at once."""

import uuid

import pytest

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import conntrack
from nova_lite.standins.neutron.dataplane import filters
from nova_lite.standins.neutron.dataplane import nat
from nova_lite.standins.neutron.dataplane import nftables
from nova_lite.standins.neutron.dataplane import plan

GROUPS = ('11111111-2222-4333-8444-555555555555', '21111111-2222-4333-8444-555555555555')
RULES = (plan.Rule('ingress', 4, remote_group=GROUPS[0]), plan.Rule('ingress', 6, remote_group=GROUPS[0]),
         plan.Rule('egress', 4), plan.Rule('egress', 6))
WEB = (plan.Rule('ingress', 4, 6, 80, 90), plan.Rule('ingress', 4, 1, 8, 0, '10.0.0.0/8'),
       plan.Rule('ingress', 6, 58, 128), plan.Rule('ingress', 4, 112), plan.Rule('ingress', 6, 43),
       plan.Rule('ingress', 6, 132, 7, 7))


@pytest.fixture
def namespaces():
    """Two empty network namespaces."""
    made = ['nl-test-' + uuid.uuid4().hex[:8] for _ in range(2)]
    for name in made:
        commands.run('ip', 'netns', 'add', name)
    yield made
    for name in made:
        commands.run('ip', 'netns', 'del', name)


def content(namespace, family):
    """What the kernel has, without order where there is none."""
    listed = commands.run('ip', 'netns', 'exec', namespace, 'nft', 'list', 'table', family, 't')
    blocks = [block.strip('{} \t\n') for block in listed.partition('{')[2].split('\n\n')]
    return sorted(block if block.startswith('chain') else ' '.join(sorted(block.replace(',', ' ').split()))
                  for block in blocks)


def ports(numbers, pairs=(), groups=GROUPS[:1]):
    return tuple(plan.SecuredPort(
        '%08x-%04x-4000-8000-000000000000' % (number, number), 'fa:16:3e:00:00:%02x' % number,
        (('fa:16:3e:00:00:%02x' % number, '10.0.0.%d/32' % number),
         ('fa:16:3e:00:00:%02x' % number, 'fd00::%x/128' % number), *pairs), groups) for number in numbers)


def security(found, *rules, strangers=()):
    members = frozenset(network for port in found for _mac, network in port.addresses)
    groups = {group: (*RULES, *rules) for port in found for group in port.groups}
    return filters.ruleset(plan.Security(found, groups, {GROUPS[0]: members}), strangers,
                           conntrack.BorrowedTracking(), [])


FILTERS = [
    security(ports([1])), security(ports([1, 2])), security(ports([2])), security(ports([2, 3]), *WEB),
    security(ports([2, 3])), security(ports([2, 3], [('fa:16:3e:00:00:07', '10.0.0.0/24')])),
    security(ports([2, 3], groups=GROUPS), *WEB[:2]), security(ports([2], groups=GROUPS[1:])),
    security(ports([2]), strangers=['tap00000003-00']), security(ports([2, 3])), security(()),
    security(ports(range(1, 60))), security(ports(range(30, 90)))]
GATEWAY = plan.Interface('1817d1b5-3bf8-4877-871f-e48ba7be255d', 'm', 'n', 1500, ('172.24.4.5/24',))
TRANSLATIONS = [nat.ruleset(router) for router in (
    plan.Router('r'), plan.Router('r', gateway=GATEWAY),
    plan.Router('r', gateway=GATEWAY, floating=(('172.24.4.9', '10.5.0.3'), ('172.24.4.10', '10.5.0.4'))),
    plan.Router('r', gateway=GATEWAY, snat=False, floating=(('172.24.4.9', '10.5.0.4'),)), plan.Router('r'))]


@pytest.mark.parametrize(('family', 'rulesets'), [('bridge', FILTERS), ('ip', TRANSLATIONS)])
def test_steps_lead_where_a_new_table_would(namespaces, monkeypatch, family, rulesets):
    stepwise, anew = (nftables.Table(family, 't', namespace) for namespace in namespaces)
    for number, ruleset in enumerate(rulesets):
        if number == 1:
            monkeypatch.setattr(stepwise, '_replace', None)  # every change is small from here on
        stepwise.apply(ruleset)
        anew.applied = None
        anew.apply(ruleset)
        assert content(namespaces[0], family) == content(namespaces[1], family)


def test_a_table_that_was_removed_is_made_again(namespaces):
    table = nftables.Table('bridge', 't', namespaces[0])
    table.apply(FILTERS[0])
    commands.run('ip', 'netns', 'exec', namespaces[0], 'nft', 'flush', 'ruleset')
    table.apply(FILTERS[1])
    assert table.present() and 'from_00000002_00' in '\n'.join(content(namespaces[0], 'bridge'))
    commands.run('ip', 'netns', 'exec', namespaces[0], 'nft', 'flush', 'ruleset')
    assert not table.present()
    table.apply(FILTERS[1])
    assert table.present()
    table.remove()
    table.remove()
    assert not table.present()
