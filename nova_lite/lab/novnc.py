# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""noVNC, the web client that shows a server's screen in a browser: the distribution's files of it.

They are taken out of its package, which itself would bring a web server along.
"""

import pathlib
import shutil
import subprocess
import tempfile

from nova_lite.lab import progress

INSTALLED = pathlib.Path("/usr/share/novnc")
PAGE = "vnc_lite.html"
SECONDS = 120


def directory(layout):
    """Where its files are, None when they are nowhere."""
    for place in (INSTALLED, layout.novnc):
        if (place / PAGE).exists():
            return place
    return None


def obtain(layout):
    """Bring them, if they are not there. Consoles work without them, but no browser shows them."""
    if directory(layout) is not None:
        return
    with progress.step("fetching noVNC"), tempfile.TemporaryDirectory() as work, open(layout.main_log, "a") as log:
        for command in (["apt-get", "-q", "download", "novnc"], ["dpkg", "-x", "DEB", "files"]):
            found = [str(path) for path in pathlib.Path(work).glob("*.deb")]
            command = [word for item in command for word in (found if item == "DEB" else [item])]
            if not shutil.which(command[0]) or subprocess.run(
                    command, cwd=work, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=SECONDS).returncode:
                break
        if (pathlib.Path(work) / "files" / INSTALLED.relative_to("/") / PAGE).exists():
            shutil.copytree(pathlib.Path(work) / "files" / INSTALLED.relative_to("/"), layout.novnc, symlinks=True,
                            dirs_exist_ok=True)
    if directory(layout) is None:
        progress.say("      noVNC could not be fetched: the screens of servers have no page for a browser")
