# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The libvirt driver with the machine's own libvirtd, and an image for guests that really boot."""

import contextlib
import pathlib
import shutil

import pytest

from nova_lite.lab import guest as guest_image
from nova_lite.lab import libvirtd
from nova_lite.virt.libvirt import settings
from tests.fixtures import disk_images
from tests.system import booted
from tests.unit.virt import samples


@pytest.fixture(scope='session')
def folder():
    """A directory that QEMU's user can reach, as those of pytest are not."""
    path = pathlib.Path('/tmp') / ('nova-lite-' + booted.TAG)
    path.mkdir(mode=0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope='session')
def daemon():
    libvirtd.ensure()


@pytest.fixture(scope='session')
def images(folder):
    found = disk_images.Images()
    path = guest_image.build(folder / 'guest.qcow2')
    found.add(samples.IMAGE_ID, path, 'qcow2')
    found.path = path
    return found


@contextlib.contextmanager
def drivers(folder, images):
    """Makes drivers whose guests are all gone after the block."""
    libvirt_driver = pytest.importorskip('nova_lite.virt.libvirt.driver', reason='needs libvirt-python')
    made = []

    def make(uri=booted.URI, **options):
        found = libvirt_driver.LibvirtDriver(
            settings.Settings(instances_path=str(folder / 'instances'), connection_uri=uri, **options), images)
        found.init_host('host')
        made.append(found)
        return found
    yield make
    for host in made:
        for left in host.list_instance_uuids():
            host.destroy(None, samples.instance(uuid=left), [], [])


@pytest.fixture
def make_driver(folder, daemon, images):
    with drivers(folder, images) as make:
        yield make


@pytest.fixture(scope='module')
def make_drivers(folder, daemon, images):
    """For guests that serve several tests."""
    with drivers(folder, images) as make:
        yield make
