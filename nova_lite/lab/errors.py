# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one exception of the lab: its text is the line that the person at the terminal reads."""


class LabError(Exception):
    """Something is missing or in the way; the message is one line that says what, and what to do."""
