# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Why pip failed, in one line, and the source that it is given where the clone is somebody else's."""

import pytest

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import virtualenv

SUBPROCESS = """\
  error: subprocess-exited-with-error
  × Getting requirements to build editable did not run successfully.
      running egg_info
      error: could not create 'nova_lite.egg-info': Permission denied
      [end of output]
  note: This error originates from a subprocess, and is likely not a problem with pip.
error: subprocess-exited-with-error
note: This error originates from a subprocess, and is likely not a problem with pip.
"""
MISSING = """\
ERROR: Could not find a version that satisfies the requirement kombu>=5.3 (from versions: none)
ERROR: No matching distribution found for kombu>=5.3
"""


@pytest.mark.parametrize("printed, reason", [
    (SUBPROCESS, "error: could not create 'nova_lite.egg-info': Permission denied"),
    (MISSING, "ERROR: No matching distribution found for kombu>=5.3"),
    ("Killed\n\n", "Killed"), ("", "no message")])
def test_the_reason_of_a_failure(tmp_path, printed, reason):
    with open(tmp_path / "log", "w") as log, pytest.raises(errors.LabError) as caught:
        virtualenv._run("pip", ["sh", "-c", 'printf %s "$0"; exit 1', printed], log)
    assert str(caught.value) == f"pip: {reason} (all of it in {log.name})"


def test_a_source_of_ones_own_is_the_clone_by_links(tmp_path):
    source = tmp_path / "source"
    for _ in range(2):
        virtualenv._link(source)
    assert (source / "setup.cfg").samefile(layouts.CLONE / "setup.cfg")
    assert (source / "nova_lite" / "lab" / "layout.py").resolve().parents[2] == layouts.CLONE
    assert {path.name for path in source.iterdir()} <= set(virtualenv.SOURCE)
