# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a process is sent, it understands."""

import pathlib
import subprocess
import sys

from nova_lite import objects
from nova_lite.objects import catalog

NO_OBJECTS = {'__init__', 'base', 'catalog'}


def test_the_catalog_has_every_module():
    files = {path.stem for path in pathlib.Path(objects.__path__[0]).glob('*.py')}
    assert {module.__name__.rpartition('.')[2] for module in catalog.MODULES} == files - NO_OBJECTS


def test_rpc_alone_knows_every_object():
    code = ('from nova_lite import rpc; from nova_lite.objects import base; '
            'assert {"BuildRequest", "KeyPair", "ComputeNode"} <= set(base._REGISTRY)')
    subprocess.run([sys.executable, '-c', code], check=True)
