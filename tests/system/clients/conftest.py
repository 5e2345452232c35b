# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""One cloud with real guests for all that is tried with the clients of users, and a PATH that has these clients."""

import os
import shutil
import sys

import pytest

from nova_lite.lab import layout as layouts
from tests.system import test_stack

OFFSET = 6600


@pytest.fixture(scope='package')
def cloud():
    """The Layout of a cloud that ./stack.sh has started."""
    test_stack.run('unstack.sh', '--port-offset', str(OFFSET), '--purge')
    test_stack.run('stack.sh', '--port-offset', str(OFFSET))
    yield layouts.default(OFFSET)
    test_stack.run('unstack.sh', '--port-offset', str(OFFSET), '--purge')


@pytest.fixture(scope='package')
def programs(tmp_path_factory):
    """The environment of the clients: those of this virtualenv, and busybox's ping where the machine has none."""
    extra = tmp_path_factory.mktemp('bin')
    if shutil.which('ping') is None:
        (extra / 'ping').symlink_to(shutil.which('busybox'))
    return os.environ | {'PATH': '%s/bin:%s:%s' % (sys.prefix, os.environ['PATH'], extra)}
