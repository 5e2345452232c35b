# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a config drive: an ISO 9660 image, label `config-2`, with a guest's metadata."""

import io
import os

import pycdlib

LABEL = 'config-2'


def write(path, files):
    """Write an image of (relative path, bytes) pairs; nobody but us may read it, it can hold passwords."""
    iso = pycdlib.PyCdlib()
    iso.new(interchange_level=4, joliet=3, rock_ridge='1.09', vol_ident=LABEL)
    made = set()
    for name, content in files:
        folder, leaf = os.path.split('/' + name)
        _make_folders(iso, folder, made)
        iso.add_fp(io.BytesIO(content), len(content), '/' + name, rr_name=leaf, joliet_path='/' + name)
    with open(path, 'wb', opener=lambda name, flags: os.open(name, flags, 0o600)) as target:
        iso.write_fp(target)
    iso.close()


def _make_folders(iso, folder, made):
    if folder == '/' or folder in made:
        return
    above, leaf = os.path.split(folder)
    _make_folders(iso, above, made)
    iso.add_directory(folder, rr_name=leaf, joliet_path=folder)
    made.add(folder)
