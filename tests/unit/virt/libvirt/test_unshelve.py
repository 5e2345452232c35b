# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The disk of a server that comes back from its image, which is deleted then."""

import json
import os

import pytest

from tests.fixtures import disk_images
from tests.unit.virt import samples
from tests.unit.virt.libvirt import scene

pytest.importorskip('libvirt', reason='needs libvirt-python')

pytestmark = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')


@pytest.mark.parametrize(('shelved', 'kind'), [(samples.IMAGE_ID, 'raw'), ('another image', 'qcow2'), (None, 'qcow2')])
def test_its_disk_stands_for_itself(host, images, tmp_path, shelved, kind):
    instance = scene.spawn(host, images, system_metadata={'shelved_image_id': shelved})
    folder = scene.directory(tmp_path, instance)
    assert json.loads((folder / 'disk.info').read_text())[str(folder / 'disk')] == kind
    [base] = os.listdir(tmp_path / 'instances' / '_base')
    if kind == 'raw':
        (tmp_path / 'instances' / '_base' / base).unlink()      # aged out of the cache; the image is gone too
        images.remove(samples.IMAGE_ID)
        host.reboot(None, instance, [], 'HARD', [])
        assert host.get_info(instance).state == 1
