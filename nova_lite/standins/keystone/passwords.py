# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Password hashes by scrypt; checking takes as long for a user who does not exist as for one who does."""

import base64
import hashlib
import hmac
import os

COST = {'n': 2 ** 14, 'r': 8, 'p': 1}  # 16 MiB and some 40 ms a check
MAX_LENGTH = 4096


class Passwords:
    """Hashes and checks passwords. `run(function, *args)` runs the slow part, by default right here."""

    def __init__(self, run=None):
        self._run = run or _call
        self._nobody = self.hash(os.urandom(16).hex())

    def hash(self, password):
        """`scrypt$<salt>$<hash>` for storing."""
        salt = os.urandom(16)
        return 'scrypt$%s$%s' % (_encode(salt), _encode(self._run(_derive, password, salt)))

    def verify(self, password, stored):
        """Whether `password` made `stored`; with `stored` None the answer is no, after the same time."""
        _, salt, digest = (stored or self._nobody).split('$')
        derived = self._run(_derive, password[:MAX_LENGTH], base64.b64decode(salt))
        return hmac.compare_digest(_encode(derived), digest) and stored is not None


def _call(function, *args):
    return function(*args)


def _derive(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, dklen=32, **COST)


def _encode(data):
    return base64.b64encode(data).decode()
