# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The door to qemu-img: an explicit format, limits, and errors that say no more than they should."""

import os
import time

import pytest

from nova_lite import exception
from nova_lite.virt import images
from tests.fixtures import disk_images

needs_qemu_img = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')


@pytest.fixture
def recorder(tmp_path, monkeypatch):
    """A qemu-img first in PATH that runs the given shell lines."""
    def install(lines):
        program = tmp_path / 'bin' / 'qemu-img'
        program.parent.mkdir(exist_ok=True)
        program.write_text('#!/bin/sh\n' + lines)
        program.chmod(0o755)
        monkeypatch.setenv('PATH', '%s:%s' % (program.parent, os.environ['PATH']))
    return install


@pytest.mark.parametrize('kind', [None, '', 'auto', 'qed', 'luks', 'raw,file.driver=nbd'])
def test_no_format_no_run(kind, recorder, tmp_path):
    recorder('touch %s/ran' % tmp_path)
    with pytest.raises(ValueError):
        images.info('/x', kind)
    assert not (tmp_path / 'ran').exists()


def test_every_call_has_format_and_limits(recorder, tmp_path):
    log = tmp_path / 'log'
    recorder('echo "$(ulimit -t) $(ulimit -v) $@" >> %s; echo "{}"' % log)
    images.info('/a', 'qcow2')
    images.create('/b', 'qcow2', 100, '/base')
    images.convert('/c', 'vmdk', '/d', 'raw', 3 << 30)
    assert log.read_text().splitlines() == [
        '30 2097152 info -f qcow2 --output=json /a',
        '30 2097152 create -f qcow2 -q -b /base -F raw /b 100',
        '90 2097152 convert -f vmdk -O raw /c /d']


def test_one_that_hangs_is_ended(recorder):
    recorder('sleep 60')
    started = time.monotonic()
    with pytest.raises(exception.HypervisorError):
        images.qemu_img('info', 'raw', '/x', limits=images.Limits(wall=0.3))
    assert time.monotonic() - started < 5


def test_one_that_eats_the_processor_is_ended(recorder):
    recorder('while :; do :; done')
    with pytest.raises(exception.HypervisorError):
        images.qemu_img('info', 'raw', '/x', limits=images.Limits(cpu=1, wall=30))


def test_errors_do_not_show_paths(recorder):
    recorder('echo "secret /srv/path" >&2; exit 1')
    with pytest.raises(exception.HypervisorError) as caught:
        images.info('/srv/path', 'raw')
    assert 'srv' not in caught.value.message


def test_a_full_disk(recorder):
    recorder('echo "qemu-img: error while writing: No space left on device" >&2; exit 1')
    with pytest.raises(exception.DiskFull):
        images.create('/x', 'qcow2', 1)


@needs_qemu_img
def test_the_real_program(tmp_path):
    source = disk_images.qcow2(tmp_path / 'a', content=b'abc')
    assert images.info(str(source), 'qcow2')['virtual-size'] == 4 << 20
    images.convert(str(source), 'qcow2', str(tmp_path / 'raw'), 'raw', 4 << 20)
    assert (tmp_path / 'raw').read_bytes().rstrip(b'\0') == b'abc'
    images.create(str(tmp_path / 'over'), 'qcow2', 8 << 20, str(tmp_path / 'raw'))
    found = images.info(str(tmp_path / 'over'), 'qcow2')
    assert (found['virtual-size'], found['backing-filename-format']) == (8 << 20, 'raw')
    with pytest.raises(exception.HypervisorError):
        images.info(str(tmp_path / 'raw'), 'qcow2')
