# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Interfaces that guests get and lose, as far as libvirt's own test driver has such things."""

import dataclasses
from xml.etree import ElementTree

import pytest

from nova_lite import exception
from tests.fixtures import disk_images
from tests.unit.virt import samples
from tests.unit.virt.libvirt import scene

pytest.importorskip('libvirt', reason='needs libvirt-python')
from nova_lite.virt.libvirt import vif as vifs  # noqa: E402 (only where libvirt is)
from nova_lite.virt.libvirt.domain import interfaces  # noqa: E402


def test_an_interface_that_comes_later_is_as_those_that_were_there_first():
    vif = samples.vif()
    parent = ElementTree.Element('domain')
    devices = ElementTree.SubElement(parent, 'devices')
    interfaces.add(devices, vif, 'virtio')
    assert vifs.document(vif, 'virtio') == ElementTree.tostring(devices[0], encoding='unicode')
    assert vifs.finder(vif)(parent) is devices[0]
    assert vifs.finder(dataclasses.replace(vif, address='fa:16:3e:99:99:99'))(parent) is None


@pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')
def test_what_cannot_be_plugged_is_refused(host, images):
    instance = scene.spawn(host, images)
    for vif, error in ((samples.vif(vif_type='binding_failed'), exception.PortBindingFailed),
                       (samples.vif(bridge='br-of-nobody'), exception.VirtualInterfaceCreateException)):
        with pytest.raises(error):
            host.attach_interface(None, instance, instance.image_meta, vif)


@pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')
def test_what_is_gone_is_detached_already(host, images):
    instance = scene.spawn(host, images)
    host.detach_interface(None, instance, samples.vif())
    assert host.list_instance_uuids() == [instance.uuid]
    host.destroy(None, instance, [], [])
    host.detach_interface(None, instance, samples.vif())
    assert host.list_instance_uuids() == []
