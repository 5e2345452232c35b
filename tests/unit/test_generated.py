# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is generated from the code is up to date: run `tox -e generate` when one of these fails."""

from tests import generate


def test_the_state_diagram():
    assert generate.STATES.read_text() == generate.states()


def test_the_sample_configuration():
    assert generate.SAMPLE.read_text() == generate.sample()
