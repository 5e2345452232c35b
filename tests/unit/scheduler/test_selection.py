# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The choice of a host as a pure function: each filter, the weighers, and the words of a refusal."""

import pytest

from nova_lite import exception
from nova_lite.objects import flavor
from nova_lite.objects import image_meta
from nova_lite.objects import instance_group
from nova_lite.objects import request_spec
from nova_lite.scheduler import host_state
from nova_lite.scheduler import selection
from nova_lite.scheduler.filters import base
from nova_lite.scheduler.filters import registry
from nova_lite.scheduler.weights import weighers

EVERY_FILTER = tuple(registry.load(sorted(registry.FILTERS)))
EQUAL = dict.fromkeys(weighers.WEIGHERS, 1.0)


def host(name, **changes):
    values = dict(host=name, nodename=name, uuid=name, up=True, disabled=False, forced_down=False,
                  availability_zone='nova', memory_mb=8192, memory_mb_used=0, vcpus=8, vcpus_used=0, local_gb=100,
                  local_gb_used=0, supported_instances=[['x86_64', 'kvm', 'hvm']])
    return host_state.HostState(**{**values, **changes})


def spec(*, memory_mb=512, vcpus=1, root_gb=1, properties=None, **changes):
    return request_spec.RequestSpec(
        flavor=flavor.Flavor(flavorid='1', name='f', memory_mb=memory_mb, vcpus=vcpus, root_gb=root_gb),
        image=image_meta.ImageMeta(id='i', properties=properties or {}), project_id='p', user_id='u',
        instance_uuids=['new'], **changes)


def choose(hosts, wanted, **policy):
    rules = selection.Policy(EVERY_FILTER, policy.pop('multipliers', EQUAL), **policy)
    return [item.host for item in selection.candidates(hosts, wanted, rules)]


@pytest.mark.parametrize('bad, wanted, filter_name, reason', [
    (dict(disabled=True, disabled_reason='new disk'), spec(), 'ComputeFilter', 'new disk'),
    (dict(up=False), spec(), 'ComputeFilter', 'does not report'),
    (dict(forced_down=True), spec(), 'ComputeFilter', 'forced down'),
    (dict(memory_mb_used=8000), spec(), 'RamFilter', '512 MB of memory wanted, 192 free'),
    (dict(reserved_memory_mb=8000), spec(), 'RamFilter', 'wanted'),
    (dict(vcpus=1, cpu_allocation_ratio=16.0), spec(vcpus=2), 'CoreFilter', 'the host has 1'),
    (dict(vcpus_used=8), spec(), 'CoreFilter', '1 vCPUs wanted, 0 free'),
    (dict(local_gb_used=95), spec(root_gb=10), 'DiskFilter', '10 GB of disk wanted, 5 free'),
    (dict(), spec(availability_zone='other'), 'AvailabilityZoneFilter', 'nova'),
    (dict(), spec(properties={'hw_architecture': 'aarch64'}), 'ImagePropertiesFilter', 'aarch64'),
    (dict(), spec(properties={'img_hv_type': 'xen'}), 'ImagePropertiesFilter', 'xen'),
    (dict(), spec(scheduler_hints={'same_host': ['x']}), 'SameHostFilter', 'same_host'),
    (dict(instance_uuids={'x'}), spec(scheduler_hints={'different_host': 'x'}), 'DifferentHostFilter', 'runs there'),
])
def test_each_refusal_names_its_filter_and_reason(bad, wanted, filter_name, reason):
    with pytest.raises(exception.NoValidHost) as error:
        choose([host('h1', **bad)], wanted)
    assert error.value.message.startswith('No valid host was found. ')
    details = error.value.kwargs['details']
    assert 'Placement candidates: 1' in details
    assert '%s: 0 of 1 left' % filter_name in details and reason in details


def test_a_host_that_fits_passes_every_filter():
    wanted = spec(properties={'architecture': 'amd64', 'hw_vm_mode': 'HVM'}, availability_zone='nova',
                  scheduler_hints={'same_host': 'a', 'different_host': ['b']})
    assert choose([host('h1', instance_uuids={'a'})], wanted) == ['h1']


def test_allocation_ratios_make_room():
    assert choose([host('h1', memory_mb_used=8192, ram_allocation_ratio=1.5)], spec()) == ['h1']
    assert choose([host('h1', local_gb_used=100, disk_allocation_ratio=2.0)], spec(root_gb=50)) == ['h1']


def test_a_root_disk_on_a_volume_takes_no_local_disk():
    assert choose([host('h1', local_gb_used=100)], spec(root_gb=50, is_bfv=True)) == ['h1']
    assert host_state.resources(spec(root_gb=50, is_bfv=True)) == {'VCPU': 1, 'MEMORY_MB': 512}


def test_the_emptiest_host_is_best_and_a_negative_factor_packs():
    hosts = [host('full', memory_mb_used=6000), host('empty'), host('half', memory_mb_used=4000)]
    assert choose(hosts, spec()) == ['empty', 'half', 'full']
    assert choose(hosts, spec(), multipliers={'ram_weight_multiplier': -1.0}) == ['full', 'half', 'empty']


def test_ignored_and_forced_hosts():
    hosts = [host('h1'), host('h2')]
    assert choose(hosts, spec(ignore_hosts=['h1'])) == ['h2']
    assert choose(hosts, spec(requested_destination={'host': 'h1'})) == ['h1']
    with pytest.raises(exception.NoValidHost) as error:
        choose(hosts, spec(requested_destination={'host': 'h9'}))
    assert 'not ignored or forced elsewhere: 0' in error.value.kwargs['details']


def group(policy, members, hosts=(), rules=None):
    return instance_group.InstanceGroup(uuid='g', name='g', project_id='p', user_id='u', policy=policy,
                                        members=list(members), hosts=list(hosts), rules=rules or {})


def test_server_groups():
    hosts = [host('h1', instance_uuids={'a'}), host('h2')]
    assert choose(hosts, spec(instance_group=group('anti-affinity', ['a']))) == ['h2']
    assert choose(hosts, spec(instance_group=group('anti-affinity', ['a'], rules={'max_server_per_host': 2}))) \
        == ['h1', 'h2']
    assert choose(hosts, spec(instance_group=group('affinity', ['a'], ['h1']))) == ['h1']
    assert choose(hosts, spec(instance_group=group('soft-affinity', ['a'])))[0] == 'h1'
    assert choose(hosts, spec(instance_group=group('soft-anti-affinity', ['a'])))[0] == 'h2'


def test_a_crashing_filter_refuses_only_that_host():
    class Crashing(base.Filter):
        def refuses(self, candidate, wanted):
            if candidate.host == 'h1':
                raise ZeroDivisionError
    left, report = base.apply([Crashing()], [host('h1'), host('h2')], spec())
    assert [item.host for item in left] == ['h2']
    assert report == [('Crashing', 2, 1, 'the filter failed (ZeroDivisionError)')]


def test_host_subset_size_spreads_but_keeps_every_host():
    hosts = [host(str(number)) for number in range(4)]
    seen = {tuple(choose(hosts, spec(), subset_size=3)) for _ in range(200)}
    assert {order[0] for order in seen} == {'0', '1', '2'}
    assert all(sorted(order) == ['0', '1', '2', '3'] for order in seen)


def test_unknown_filter_names_are_refused():
    with pytest.raises(exception.Invalid, match='NoSuchFilter'):
        registry.load(['ComputeFilter', 'NoSuchFilter'])


def test_every_filter_answers_for_a_server_without_an_image():
    wanted = spec()
    wanted.image = image_meta.ImageMeta(id=None)
    assert choose([host('h1')], wanted) == ['h1']
