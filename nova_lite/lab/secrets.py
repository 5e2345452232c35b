# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The passwords and keys of a cloud: random, made once, kept in a file that only its owner reads."""

import json
import os
import secrets

from nova_lite.lab import errors

NAMES = ("admin_password", "demo_password", "service_password", "rabbit_password", "rabbit_cookie",
         "metadata_secret")


def load(layout):
    """{name: secret} of this cloud; what is missing is made and saved."""
    path = layout.etc / "secrets.json"
    try:
        values = json.loads(path.read_text())
    except FileNotFoundError:
        values = {}
    except (OSError, ValueError) as exc:
        raise errors.LabError(f"{path} cannot be read ({exc}): mend or remove it") from exc
    if all(values.get(name) for name in NAMES):
        return values
    values = {name: values.get(name) or secrets.token_hex(16) for name in NAMES}
    write_private(path, json.dumps(values, indent=1) + "\n")
    return values


def write_private(path, text):
    """Replace `path` by `text` in one step, readable by its owner only."""
    temporary = path.with_name(path.name + ".new")
    temporary.unlink(missing_ok=True)
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as handle:
        handle.write(text)
    temporary.replace(path)
