# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The image cache: what gets in, what is refused and leaves nothing behind, what goes again."""

import os
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

GIB = 1 << 30
CONTENT = b'hello' * 1000


@pytest.fixture
def images():
    return disk_images.Images()


@pytest.fixture
def cache(tmp_path, images):
    found = imagecache.ImageCache(str(tmp_path / '_base'), images, access.Access(None))
    found.prepare()
    return found


def names(cache):
    return sorted(os.listdir(cache._directory))


def fetch(cache, image, limit=GIB):
    with cache.disk_image(None, image, limit) as path:
        with open(path, 'rb') as base:
            return base.read()


def test_a_qcow2_image_becomes_raw(cache, images, tmp_path):
    image = images.add('one', disk_images.qcow2(tmp_path / 'a', content=CONTENT), 'qcow2')
    assert fetch(cache, image).rstrip(b'\0') == CONTENT
    assert names(cache) == [imagecache.cache_name('one')]
    assert fetch(cache, image)
    assert images.downloads == ['one']


@pytest.mark.parametrize('kind, qemu', [('vmdk', 'vmdk'), ('vdi', 'vdi'), ('vhd', 'vpc'), ('vhdx', 'vhdx')])
def test_other_formats_become_raw_too(cache, images, tmp_path, kind, qemu):
    source, target = tmp_path / 'raw', tmp_path / 'other'
    source.write_bytes(CONTENT.ljust(4 << 20, b'\0'))
    options = ['-o', 'subformat=streamOptimized'] if kind == 'vmdk' else []
    subprocess.run(['qemu-img', 'convert', '-f', 'raw', '-O', qemu, *options, source, target], check=True)
    assert fetch(cache, images.add('one', target, kind)).rstrip(b'\0') == CONTENT


def test_a_raw_image_stays_as_it_is(cache, images):
    assert fetch(cache, images.add('one', CONTENT, 'raw')) == CONTENT


def test_parallel_boots_download_once(cache, images):
    image = images.add('one', CONTENT, 'raw')
    threads = [concurrency.spawn(fetch, cache, image) for _ in range(8)]
    assert {thread.wait() for thread in threads} == {CONTENT}
    assert images.downloads == ['one']


@pytest.mark.parametrize('fields', [{}, {'os_hash_value': None}])
def test_a_broken_download_is_tried_once_more(cache, images, fields):
    image = images.add('one', CONTENT, 'raw', **fields)
    images.damage = 1
    assert fetch(cache, image) == CONTENT
    assert len(images.downloads) == 2


@pytest.mark.parametrize('fields', [{}, {'os_hash_value': None}, {'size': 10}, {'os_hash_algo': 'unheard-of'}])
def test_a_download_that_stays_broken_is_refused(cache, images, fields):
    image = images.add('one', CONTENT, 'raw', **fields)
    images.damage = 2
    with pytest.raises(exception.ImageChecksumMismatch):
        fetch(cache, image)
    assert names(cache) == []
    assert len(images.downloads) == 2


@pytest.mark.parametrize('fields', [
    {'checksum': None, 'os_hash_value': None}, {'disk_format': 'ploop'}, {'disk_format': None},
    {'container_format': 'ova'}, {'disk_format': 'vmdk'}, {'disk_format': 'iso'}, {'disk_format': 'qcow2'}])
def test_records_that_cannot_be_right_are_refused(cache, images, fields):
    fields = {'disk_format': 'raw'} | fields
    with pytest.raises(exception.ImageUnacceptable):
        fetch(cache, images.add('one', CONTENT, **fields))
    assert names(cache) == []


def test_bad_images_are_refused_and_leave_nothing(cache, images, tmp_path):
    bad = disk_images.bad(tmp_path)
    for name, sample in bad.items():
        error = exception.FlavorDiskSmallerThanImage if name == 'huge' else exception.ImageUnacceptable
        with pytest.raises(error):
            fetch(cache, images.add(name, sample.path, sample.disk_format))
        assert names(cache) == [], name


@pytest.mark.parametrize('declared', ['raw', 'qcow2', 'vmdk', 'vdi', 'vhd', 'vhdx', 'iso', 'ami'])
def test_no_declared_format_lets_a_bad_image_pass(cache, images, tmp_path, declared):
    for name, sample in disk_images.bad(tmp_path).items():
        if name != 'huge':
            with pytest.raises(exception.ImageUnacceptable):
                fetch(cache, images.add(name, sample.path, declared))
    assert names(cache) == []


def test_a_huge_image_is_refused_before_it_is_downloaded_where_its_record_says_so(cache, images, tmp_path):
    image = images.add('one', CONTENT, 'qcow2', virtual_size=2 * GIB)
    with pytest.raises(exception.FlavorDiskSmallerThanImage):
        fetch(cache, image)
    with pytest.raises(exception.FlavorDiskSmallerThanImage):
        fetch(cache, images.add('two', CONTENT, 'raw'), limit=100)
    assert images.downloads == []


def test_a_cached_image_is_measured_against_each_flavor(cache, images, tmp_path):
    image = images.add('one', disk_images.qcow2(tmp_path / 'a'), 'qcow2')
    fetch(cache, image)
    with pytest.raises(exception.FlavorDiskSmallerThanImage):
        fetch(cache, image, limit=1 << 20)
    assert fetch(cache, image, limit=0)


def test_a_full_disk_is_said_and_leaves_nothing(cache, images, monkeypatch):
    def full(digest, target, chunk):
        target.write(chunk)
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(imagecache, '_take', full)
    with pytest.raises(exception.DiskFull):
        fetch(cache, images.add('one', CONTENT, 'raw'))
    assert names(cache) == []


def test_what_an_earlier_life_left_half_done_goes(cache):
    os.mkdir(os.path.join(cache._directory, imagecache.FETCH_PREFIX + 'x'))
    cache.prepare()
    assert names(cache) == []


def test_boot_files(cache, images):
    images.add('kernel', CONTENT, 'aki', container_format='aki')
    with cache.boot_file(None, 'kernel') as path, open(path, 'rb') as kernel:
        assert kernel.read() == CONTENT
    images.add('disk', CONTENT, 'qcow2')
    with pytest.raises(exception.ImageUnacceptable):
        with cache.boot_file(None, 'disk'):
            pass


def age_all(cache, seconds):
    for name in names(cache):
        then = time.time() - seconds
        os.utime(os.path.join(cache._directory, name), (then, then))


def test_ageing(cache, images, tmp_path):
    for name in ('idle', 'used', 'busy', 'backing'):
        fetch(cache, images.add(name, CONTENT, 'raw'))
    guest = tmp_path / 'guest'
    guest.mkdir()
    disk = spec.Disk('disk', spec.ROOT, 'virtio', 'vda', 'qcow2', 1 << 20)
    imagebackend.ImageBackend(cache, access.Access(None)).create(None, str(guest), disk, images.get(None, 'backing'))
    imagebackend.write_info(str(guest), [disk])
    needed = {imagecache.cache_name('used')} | imagebackend.backing_names(str(guest))
    assert needed == {imagecache.cache_name('used'), imagecache.cache_name('backing')}
    assert cache.age(needed, 0) == []           # all are too young
    with cache.disk_image(None, images.get(None, 'busy'), 0):
        age_all(cache, 100)
        assert cache.age(needed, 3600) == []
        assert cache.age(needed, 0) == [imagecache.cache_name('idle')]
    assert cache.age(needed, 0) == [imagecache.cache_name('busy')]


# ---- disks ---------------------------------------------------------------------------------------------------

@pytest.fixture
def backend(cache):
    return imagebackend.ImageBackend(cache, access.Access(None))


def make(backend, tmp_path, image=None, **fields):
    values = {'name': 'disk', 'kind': spec.ROOT, 'bus': 'virtio', 'dev': 'vda', 'format': 'qcow2', 'size': 8 << 20,
              'base': fields.get('kind')}
    disk = spec.Disk(**values | fields)
    backend.create(None, str(tmp_path), disk, image)
    path = tmp_path / disk.name
    assert path.stat().st_mode & 0o777 == 0o600
    raw = tmp_path / 'as.raw'
    subprocess.run(['qemu-img', 'convert', '-f', disk.format, '-O', 'raw', path, raw], check=True)
    return raw.read_bytes()


@pytest.mark.parametrize('kind', ['qcow2', 'raw'])
def test_the_root_disk_is_the_image_grown_to_the_flavor(backend, images, tmp_path, kind):
    image = images.add('one', CONTENT, 'raw')
    made = make(backend, tmp_path, image, format=kind)
    assert len(made) == 8 << 20
    assert made.rstrip(b'\0') == CONTENT


def test_a_flavor_without_disk_takes_the_image_as_it_is(backend, images, tmp_path):
    image = images.add('one', CONTENT.ljust(1 << 20, b'\0'), 'raw')
    assert len(make(backend, tmp_path, image, size=0)) == 1 << 20


def test_swap_and_ephemeral_disks(backend, cache, tmp_path):
    assert make(backend, tmp_path, kind=spec.SWAP)[4086:4096] == b'SWAPSPACE2'
    made = make(backend, tmp_path, kind=spec.EPHEMERAL, filesystem='ext4', name='disk.eph0')
    assert made[0x438:0x43a] == b'\x53\xef'
    assert b'ephemeral0' in made[:4096]
    assert names(cache) == [spec.EPHEMERAL, spec.SWAP]


def test_a_disk_with_a_strange_header_has_no_backing_file(tmp_path):
    disk = spec.Disk('disk', spec.ROOT, 'virtio', 'vda', 'raw')
    (tmp_path / 'disk').write_bytes(b'QFI\xfb' + b'\xff' * 60)
    imagebackend.write_info(str(tmp_path), [disk])
    assert imagebackend.backing_names(str(tmp_path)) == set()
    assert imagebackend.backing_names(str(tmp_path / 'nowhere')) == set()
