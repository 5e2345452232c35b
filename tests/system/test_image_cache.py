# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The image cache under pressure: on a file system that is really full, and with a cleaner that never rests."""

import os
import shutil
import subprocess
import time

import pytest

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.virt.libvirt import access
from nova_lite.virt.libvirt import imagebackend
from nova_lite.virt.libvirt import imagecache
from nova_lite.virt.libvirt.domain import spec
from tests.fixtures import disk_images

pytestmark = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')

MIB = 1 << 20
GUESTS = 50


@pytest.fixture
def images():
    return disk_images.Images()


def cache_in(directory, images):
    made = imagecache.ImageCache(str(directory / '_base'), images, access.Access(None))
    made.prepare()
    return made


@pytest.fixture
def small(tmp_path):
    """A file system of 8 MiB."""
    if os.getuid() != 0:
        pytest.skip('mounting needs root')
    path = tmp_path / 'small'
    path.mkdir()
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'small', path], check=True)
    yield path
    subprocess.run(['umount', path], check=True)


@pytest.mark.parametrize('disk_format', ['raw', 'qcow2'])
def test_what_does_not_fit_leaves_nothing_and_what_is_smaller_still_comes(small, images, tmp_path, disk_format):
    raw, disk = tmp_path / 'raw', tmp_path / 'disk'
    raw.write_bytes(os.urandom(12 * MIB))
    subprocess.run(['qemu-img', 'convert', '-f', 'raw', '-O', disk_format, raw, disk], check=True)
    cache = cache_in(small, images)
    with pytest.raises(exception.DiskFull, match='space'):
        with cache.disk_image(None, images.add('large', disk, disk_format), 0):
            pass
    assert list((small / '_base').iterdir()) == []
    content = os.urandom(2 * MIB)
    with cache.disk_image(None, images.add('little', content, 'raw'), 0) as path, open(path, 'rb') as file:
        assert file.read() == content


def test_no_disk_loses_its_base_to_a_cleaner_that_never_rests(tmp_path, images, monkeypatch):
    """Guests come, and most of them go, while files that nobody uses are removed at once."""
    monkeypatch.setattr(imagecache, 'GRACE_SECONDS', 0)
    cache = cache_in(tmp_path, images)
    backend = imagebackend.ImageBackend(cache, access.Access(None))
    contents = {'image-%d' % number: b'%d' % number * 70000 for number in range(5)}
    records = {name: images.add(name, content, 'raw') for name, content in contents.items()}
    guests, removed, over = {}, [], []      # {folder: name of the image}

    def clean():
        while not over:
            needed = set(map(imagecache.cache_name, guests.values()))
            removed.extend(cache.age(needed.union(*map(imagebackend.backing_names, map(str, guests))), 0))
            concurrency.sleep(0.002)

    def boot(number):
        folder, name = tmp_path / ('guest-%d' % number), 'image-%d' % (number % 5)
        guests[folder] = name
        folder.mkdir()
        disk = spec.Disk('disk', spec.ROOT, 'virtio', 'vda', 'qcow2', MIB)
        backend.create(None, str(folder), disk, records[name])
        imagebackend.write_info(str(folder), [disk])
        return folder
    cleaner = concurrency.spawn(clean)
    for start in range(0, GUESTS, 5):
        folders = [thread.wait() for thread in [concurrency.spawn(boot, start + number) for number in range(5)]]
        del folders[start // 5 % 3]
        for folder in folders:
            shutil.rmtree(folder)
            del guests[folder]
        for folder in guests:
            assert os.path.exists(imagebackend.backing_file(folder / 'disk')[0])
        concurrency.sleep(0.01)
    over.append(True)
    cleaner.wait()
    for folder, name in guests.items():
        raw = tmp_path / 'as.raw'
        subprocess.run(['qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', folder / 'disk', raw], check=True)
        assert raw.read_bytes().startswith(contents[name])
    assert len(guests) == GUESTS // 5 and len(removed) > 5


def test_what_nobody_uses_goes_at_once(tmp_path, images, monkeypatch):
    monkeypatch.setattr(imagecache, 'GRACE_SECONDS', 0)
    cache = cache_in(tmp_path, images)
    with cache.disk_image(None, images.add('one', b'x' * 70000, 'raw'), 0):
        time.sleep(0.01)
        assert cache.age(set(), 0) == []
    assert cache.age({imagecache.cache_name('one')}, 0) == []
    assert cache.age(set(), 0) == [imagecache.cache_name('one')]
