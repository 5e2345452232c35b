# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The virtualenv `.venv` of the clone, shared by all its clouds, filled anew only when what goes into it changed."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import progress

REQUIREMENTS = ("setup.cfg", "setup.py", "pyproject.toml")
SOURCE = (*REQUIREMENTS, "README.md", "LICENSE", "nova_lite")     # what pip needs of the clone
STAMP = "nova_lite.stamp"
# Of what pip prints, the lines with a reason. It ends with words that fit every failure of a program that it ran.
REASON = re.compile(r"error: (?!subprocess-exited-with-error)", re.IGNORECASE)


def extras(options):
    """The optional requirements that a cloud needs: names of setup.cfg's extras."""
    wanted = {"libvirt"} if options.virt == "libvirt" else set()
    if options.consoles:
        wanted.add("consoles")
    scheme = (options.database or "").partition(":")[0]
    for driver, extra in (("mysql", "mariadb"), ("mariadb", "mariadb"), ("postgresql", "postgresql")):
        if scheme.startswith(driver):
            wanted.add(extra)
    return wanted


def python(layout, wanted, log):
    """Path of a Python that has nova_lite, its requirements and the extras `wanted`; pip's words go to `log`.

    A clone that we cannot write to gets its virtualenv in the state directory of the cloud.
    """
    place, source = layouts.CLONE / ".venv", layouts.CLONE
    present = _extras_in(place)
    if present is not None and wanted <= present:
        return place / "bin" / "python"
    if not os.access(layouts.CLONE, os.W_OK) or (place.exists() and not os.access(place, os.W_OK)):
        place, source = layout.state / "venv", layout.state / "source"
        present = _extras_in(place)
        if present is not None and wanted <= present:
            return place / "bin" / "python"
    with progress.step("installing nova_lite and the libraries it uses"):
        if source != layouts.CLONE:
            _link(source)
        _fill(place, source, sorted(wanted | (present or set())), fresh=present is None, log=log)
    (place / STAMP).write_text(" ".join([_requirements(), *sorted(wanted | (present or set()))]) + "\n")
    return place / "bin" / "python"


def _extras_in(place):
    """The extras that the virtualenv has; None when it is not there, or not of these requirements."""
    try:
        digest, *found = (place / STAMP).read_text().split()
    except (OSError, ValueError):
        return None
    return set(found) if digest == _requirements() else None


def _link(source):
    """Make `source` look like the clone: pip leaves files beside what it installs, which only there we may."""
    source.mkdir(exist_ok=True)
    for name in SOURCE:
        link = source / name
        link.unlink(missing_ok=True)
        if (layouts.CLONE / name).exists():
            link.symlink_to(layouts.CLONE / name)


def _fill(place, source, names, *, fresh, log):
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "a") as output:
        if fresh:
            shutil.rmtree(place, ignore_errors=True)
            _run("venv", [sys.executable, "-m", "venv", str(place)], output)
        extra = f"[{','.join(names)}]" if names else ""
        _run("pip", [str(place / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check",
                     "-e", f"{source}{extra}"], output)


def _run(tool, command, output):
    print(f"\n$ {' '.join(command)}", file=output, flush=True)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    output.write(done.stdout)
    if done.returncode:
        raise errors.LabError(f"{tool}: {_reason(done.stdout)} (all of it in {output.name})")


def _reason(printed):
    """The line that says best why a tool failed."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()] or ["no message"]
    return ([line for line in lines if REASON.search(line)] or lines)[-1]


def _requirements():
    """Changes when the requirements, the place of the clone or this Python change."""
    digest = hashlib.sha256(f"{sys.version} {sys.base_prefix} {layouts.CLONE}".encode())
    for name in REQUIREMENTS:
        path = layouts.CLONE / name
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()
