# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Network interfaces that real guests get and lose while they run, and while they are off."""

import uuid
from xml.etree import ElementTree

import pytest

from tests.system import booted
from tests.unit.virt import samples

pytestmark = pytest.mark.skipif(bool(booted.MISSING), reason='real guests need ' + ', '.join(booted.MISSING))


@pytest.fixture
def bridge():
    name = booted.TAG + 'i'
    booted.shell('ip', 'link', 'add', name, 'type', 'bridge')
    booted.shell('ip', 'link', 'set', name, 'up')
    yield name
    booted.shell('ip', 'link', 'del', name)


def addresses(order, *flags):
    tree = ElementTree.fromstring(booted.virsh('dumpxml', *flags, order.instance.uuid))
    return [mac.get('address') for mac in tree.iterfind('devices/interface/mac')]


def test_an_interface_comes_and_goes(make_driver, images, bridge):
    host = make_driver()
    order = booted.request(images, [])
    booted.spawn(host, order)
    instance, image = order.instance, order.image
    shell = booted.Shell(host, order)
    vif = samples.vif(bridge=bridge, id=str(uuid.uuid4()), address='fa:16:3e:77:88:99')
    for _ in range(2):
        host.attach_interface(None, instance, image, vif)
    assert addresses(order) == addresses(order, '--inactive') == [vif.address]
    assert booted.wait_for(lambda: vif.address in shell('cat /sys/class/net/*/address'), 20), 'the guest sees it'
    assert vif.devname in booted.shell('ip', '-o', 'link', 'show', 'master', bridge)
    for _ in range(2):
        host.detach_interface(None, instance, vif)
    assert addresses(order) == addresses(order, '--inactive') == []
    assert vif.address not in shell('cat /sys/class/net/*/address')
    assert vif.devname not in booted.shell('ip', '-o', 'link', 'show', 'master', bridge)
    shell.close()


def test_of_a_guest_that_is_off(make_driver, images, bridge):
    host = make_driver()
    order = booted.request(images, [])
    booted.spawn(host, order)
    vif = samples.vif(bridge=bridge, id=str(uuid.uuid4()), address='fa:16:3e:77:88:9a')
    host.power_off(order.instance)
    host.attach_interface(None, order.instance, order.image, vif)
    assert addresses(order, '--inactive') == [vif.address]
    host.power_on(None, order.instance, [vif], [])
    assert addresses(order) == [vif.address]
    host.power_off(order.instance)
    host.detach_interface(None, order.instance, vif)
    assert addresses(order, '--inactive') == []
