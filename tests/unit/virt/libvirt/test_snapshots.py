# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The order in which a running guest's disk is copied, whatever of it fails. libvirt's test driver has no such job, so
the libvirt calls are played; the copy of a guest that really runs is tested on the system."""

import os

import pytest

from nova_lite import exception
from nova_lite.objects import image_meta
from nova_lite.virt.libvirt import access
from nova_lite.virt.libvirt import imagebackend
from nova_lite.virt.libvirt import settings
from tests.fixtures import disk_images
from tests.unit.virt import samples

snapshots = pytest.importorskip('nova_lite.virt.libvirt.snapshots', reason='needs libvirt-python')
pytestmark = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')


class Connection:
    """Notes what is asked of a guest; `answers`: {name of the function: an answer, or an exception to raise}."""

    def __init__(self, **answers):
        self.asked = []
        self._answers = {'_find': ('vdx', 4096), '_is_done': True, '_error': None} | answers

    def call(self, operation, function, *arguments, **options):
        self.asked.append(function.__name__)
        answer = self._answers.get(function.__name__)
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.fixture
def take(tmp_path):
    """take(connection, agent, **image properties): whether a copy was made; nothing may be left of it."""
    config = settings.Settings(instances_path=str(tmp_path))
    directory = config.instance_path(samples.UUID)
    os.mkdir(directory)
    imagebackend.write_formats(directory, {'disk': 'qcow2'})

    def act(connection, agent, **properties):
        instance = samples.instance(image_meta=image_meta.ImageMeta(id='i', properties=properties))
        copies = snapshots.Snapshots(connection, config, access.Access(None))
        try:
            with copies.take(instance, agent, None) as copy:
                assert os.path.exists(copy.path) and copy.disk_format == 'qcow2'
        finally:
            assert os.listdir(directory) == ['disk.info']
    return act


FAILED = exception.HypervisorError('failed')


def test_the_guest_is_frozen_only_until_the_copy_has_begun(take):
    connection = Connection()
    take(connection, True)
    assert connection.asked == ['_find', '_freeze', '_begin', '_thaw', '_is_done', '_error']


def test_without_an_agent_nothing_is_frozen(take):
    connection = Connection()
    take(connection, False, os_require_quiesce='yes')
    assert connection.asked == ['_find', '_begin', '_is_done', '_error']


def test_a_guest_that_is_frozen_is_thawed_when_the_copy_does_not_begin(take):
    connection = Connection(_begin=FAILED)
    with pytest.raises(exception.HypervisorError):
        take(connection, True)
    assert connection.asked == ['_find', '_freeze', '_begin', '_thaw']


def test_an_agent_that_is_silent(take):
    connection = Connection(_freeze=FAILED)
    take(connection, True)
    assert connection.asked == ['_find', '_freeze', '_begin', '_is_done', '_error']
    with pytest.raises(exception.GuestAgentError):
        take(connection, True, os_require_quiesce='true')


def test_a_copy_is_stopped_when_nobody_waits_for_it_any_more(take):
    connection = Connection(_is_done=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        take(connection, False)
    assert connection.asked[-1] == '_abort'


@pytest.mark.parametrize('error, kind', [
    ('write failed: No space left on device', exception.DiskFull), ('something else', exception.HypervisorError)])
def test_a_copy_that_fails(take, error, kind):
    with pytest.raises(kind) as caught:
        take(Connection(_error=error), False)
    assert error not in caught.value.message


def test_a_guest_is_released_from_a_copy_that_a_kill_cut_short(take, tmp_path):
    (tmp_path / samples.UUID / 'snapshot-left').mkdir()
    connection = Connection()
    take(connection, False)
    assert connection.asked[0] == '_release'
