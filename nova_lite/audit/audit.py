# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The audit: what differs, and goes on to differ, is reported and, if wanted, mended."""

import logging
import time

from nova_lite import context
from nova_lite import exception
from nova_lite.audit import findings
from nova_lite.audit import mend
from nova_lite.audit import view as views

LOG = logging.getLogger(__name__)

SETTLE = 3.0        # seconds between two looks: what is different in both is not just on its way
PATIENCE = 30.0     # seconds for what was mended to be so
FOUND, FIXED = 'found', 'fixed'


def audit(tools, fix=False):
    """[(Finding, result)…]; the result is FOUND, FIXED, or says why it could not be mended.

    :raises ServiceUnreachable: Neutron, Placement or the database
    """
    ctxt = context.admin_context()
    found = findings.compare(views.look(tools, ctxt))
    if not found:
        return []
    time.sleep(SETTLE)
    view = views.look(tools, ctxt)
    lasting = [finding for finding in findings.compare(view) if finding in set(found)]
    if not fix or not lasting:
        return [(finding, FOUND) for finding in lasting]
    failures = {}
    for finding in lasting:
        try:
            mend.mend(tools, ctxt, view, finding)
        except exception.NovaException as exc:
            failures[finding] = exc.message
    left = _wait(tools, ctxt, set(lasting) - set(failures)) if len(failures) < len(lasting) else set()
    return [(finding, failures.get(finding) or ('it is still so' if finding in left else FIXED))
            for finding in lasting]


def _wait(tools, ctxt, mended):
    """Those of a set of Findings that are still there after a while."""
    deadline = time.monotonic() + PATIENCE
    while True:
        left = mended & set(findings.compare(views.look(tools, ctxt)))
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(1)
