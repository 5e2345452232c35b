# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a process is sent, it understands."""

import pathlib
import subprocess
import sys

from nova_lite import objects

CODE = ('from nova_lite import rpc; from nova_lite.objects import base; '
        'print(*sorted({cls.__module__.rpartition(".")[2] for cls in base._REGISTRY.values()}))')


def test_rpc_alone_knows_every_object():
    files = {path.stem for path in pathlib.Path(objects.__path__[0]).glob('*.py')
             if '@base.register' in path.read_text()}
    known = subprocess.run([sys.executable, '-c', CODE], check=True, capture_output=True, text=True).stdout.split()
    assert files - {'base'} == set(known)
