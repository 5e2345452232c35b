# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Password hashes by bcrypt; checking takes as long for a user who does not exist as for one who does."""

import base64
import hashlib
import os

import bcrypt

ROUNDS = 10  # some 50 ms a check


class Passwords:
    """Hashes and checks passwords. `run(function, *args)` runs the slow part, by default right here."""

    def __init__(self, run=None):
        self._run = run or _call
        self._nobody = self.hash(os.urandom(16).hex())

    def hash(self, password):
        """The hash to store of a password."""
        return self._run(bcrypt.hashpw, _digest(password), bcrypt.gensalt(ROUNDS)).decode()

    def verify(self, password, stored):
        """Whether `password` made `stored`; with `stored` None the answer is no, after the same time."""
        right = self._run(bcrypt.checkpw, _digest(password), (stored or self._nobody).encode())
        return right and stored is not None


def _call(function, *args):
    return function(*args)


def _digest(password):
    """A password of any length as the 44 bytes that bcrypt can take in whole."""
    return base64.b64encode(hashlib.sha256(password.encode()).digest())
