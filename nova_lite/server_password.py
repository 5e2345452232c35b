# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where the password is kept that a guest has made for itself: in pieces, in the instance's system metadata."""

from nova_lite import exception
from nova_lite import instance_metadata
from nova_lite.db import instances

PIECE = 255             # characters of one piece
MAX_SIZE = PIECE * len(instance_metadata.PASSWORD_KEYS)


def read(instance):
    """The text, empty for none."""
    return ''.join(instance.system_metadata.get(key) or '' for key in instance_metadata.PASSWORD_KEYS)


def save(db, instance_uuid, text, once=False):
    """Keep a text; `once`: only where there is none. :raises Conflict: there is one; Invalid: it is too long"""
    if len(text) > MAX_SIZE:
        raise exception.Invalid('Request is too large.')
    pieces = {key: text[number * PIECE:(number + 1) * PIECE]
              for number, key in enumerate(instance_metadata.PASSWORD_KEYS)}

    def change(instance):
        if once and read(instance):
            raise exception.Conflict('The password is set already.')
        return instance.system_metadata | pieces
    instances.modify(db, instance_uuid, 'system_metadata', change)
