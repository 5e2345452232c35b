# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What tests of the libvirt driver do with a guest."""

import uuid

from nova_lite import concurrency
from nova_lite.virt import driver
from tests.unit.virt import samples

URI = 'test:///default'

def make_request(images, vifs=(), files=(), **changes):
    image = images.get(None, samples.IMAGE_ID)
    changes = {'uuid': str(uuid.uuid4()), 'image_meta': image} | changes
    return driver.SpawnRequest(samples.instance(**changes), image, list(vifs), [], injected_files=list(files))


def spawn(host, images, **changes):
    request = make_request(images, **changes)
    host.prepare_for_spawn(request.instance)
    host.spawn(None, request)
    return request.instance


def wait_for(condition):
    for _ in range(100):
        if condition():
            return True
        concurrency.sleep(0.05)
    return False


def directory(tmp_path, instance):
    return tmp_path / 'instances' / instance.uuid
