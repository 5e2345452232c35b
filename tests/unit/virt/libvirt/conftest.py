# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The libvirt driver on libvirt's own test driver: the real API and real files, without QEMU or root."""

import pytest

from nova_lite.virt.libvirt import settings
from tests.fixtures import disk_images
from tests.unit.virt import samples
from tests.unit.virt.libvirt import scene


@pytest.fixture
def images():
    found = disk_images.Images()
    found.add(samples.IMAGE_ID, b'boot me' * 100, 'raw')
    return found


@pytest.fixture
def make_host(tmp_path, images):
    """Drivers of one host, as each start of nova-compute makes one; its guests are gone after the test."""
    libvirt = pytest.importorskip('libvirt', reason='needs libvirt-python')
    driver = pytest.importorskip('nova_lite.virt.libvirt.driver')

    def make(**options):
        options = {'instances_path': str(tmp_path / 'instances'), 'connection_uri': scene.URI, 'virt_type': 'test',
                   'my_ip': '192.0.2.1'} | options
        found = driver.LibvirtDriver(settings.Settings(**options), images)
        found.init_host('host')
        return found
    yield make
    direct = libvirt.open(scene.URI)
    for domain in direct.listAllDomains():
        if domain.name() != 'test':
            if domain.isActive():
                domain.destroy()
            domain.undefineFlags(libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE)


@pytest.fixture
def host(make_host):
    return make_host()
