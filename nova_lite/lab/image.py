# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The guest image of the lab: CirrOS where the internet is there, else one built here; kept in the state directory.

`python -m nova_lite.lab.image FILE` builds the latter into a file, for tests.
"""

import dataclasses
import hashlib
import pathlib
import sys
import time
import urllib.request

from nova_lite.lab import errors
from nova_lite.lab import guest

CIRROS = "https://download.cirros-cloud.net/0.6.3/cirros-0.6.3-x86_64-disk.img"
CIRROS_SHA256 = "7d6355852aeb6dbcd191bcda7cd74f1536cfe5cbf8a10495a7283a8396e4b75b"
CONNECT_SECONDS = 4
DOWNLOAD_SECONDS = 60
BLANK_MIB = 1


@dataclasses.dataclass(frozen=True)
class Image:
    """A file to upload: name and format in the image service, the flavor that fits it."""

    name: str
    path: pathlib.Path
    disk_format: str
    flavor: str


def cached(layout):
    """The image of an earlier start, None when there is none."""
    for image in (_cirros(layout), _small(layout)):
        if image.path.exists():
            return image
    return None


def obtain(layout):
    """A bootable image: the cached one, else CirrOS, else the small guest. LabError when neither can be had."""
    known = cached(layout)
    if known:
        return known
    image = _cirros(layout)
    image.path.parent.mkdir(parents=True, exist_ok=True)
    if _download(CIRROS, CIRROS_SHA256, image.path):
        return image
    image = _small(layout)
    guest.build(image.path)
    return image


def blank(layout):
    """An empty disk, which is all that the fake driver asks for."""
    path = layout.state / "images" / "blank.raw"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(BLANK_MIB * 1024 * 1024))
    return Image("blank", path, "raw", "42")


def _cirros(layout):
    # CirrOS does not fit into the 128 MiB of m1.nano.
    return Image("cirros-0.6.3", layout.state / "images" / "cirros-0.6.3.qcow2", "qcow2", "84")


def _small(layout):
    return Image("nova-lite-guest", layout.state / "images" / "nova-lite-guest.qcow2", "qcow2", "42")


def _download(url, sha256, target):
    """Whether `url` is now whole at `target`. A server that cannot be reached in time is no error."""
    partial = target.with_suffix(".part")
    digest = hashlib.sha256()
    deadline = time.monotonic() + DOWNLOAD_SECONDS
    try:
        with urllib.request.urlopen(url, timeout=CONNECT_SECONDS) as answer, open(partial, "wb") as output:
            while block := answer.read(1 << 20):
                if time.monotonic() > deadline:
                    return False
                digest.update(block)
                output.write(block)
        if digest.hexdigest() != sha256:
            return False
        partial.rename(target)
        return True
    except OSError:
        return False
    finally:
        partial.unlink(missing_ok=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m nova_lite.lab.image FILE")
    try:
        print(guest.build(sys.argv[1]))
    except (errors.LabError, OSError) as exc:
        sys.exit(f"image: {exc}")
