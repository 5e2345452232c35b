# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A host that has started, and fault points."""

import pytest
from oslo_config import cfg

from nova_lite import faultpoints
from nova_lite.compute.tasks import steps
from nova_lite.conf import registry
from tests.unit.compute import doubles


@pytest.fixture
def make_world(tmp_path, monkeypatch):
    """make_world(behaviour, **settings) → a World whose host has started."""
    monkeypatch.setattr(steps, 'UNDO_PAUSE', 0.01)

    def make(behaviour=None, **options):
        made = doubles.World(tmp_path / 'fake', behaviour, **options)
        made.manager.init_host()
        return made
    return make


@pytest.fixture
def world(make_world):
    return make_world()


@pytest.fixture
def fault(tmp_path):
    """fault(point, line): act `line` out at a fault point."""
    directory = tmp_path / 'faults'
    directory.mkdir()
    faultpoints.enable(directory)

    def act(point, line):
        (directory / point).write_text(line)
        return directory / point
    yield act
    faultpoints.enable(None)


@pytest.fixture
def conf():
    """A configuration of its own, with every option at its default."""
    made = cfg.ConfigOpts()
    registry.register_all(made)
    made([])
    return made
