# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Turns guests off: by their power button as long as that is worth a wait, then by ending them."""

import logging
import time

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import power_state

LOG = logging.getLogger(__name__)

POLL_SECONDS = 0.3
RETRY_SECONDS = 10      # how often a soft reboot asks


def off(guests, uuid, timeout, retry_interval):
    """Stop a guest. :returns: whether it shut down by itself, or was off already."""
    if _shut_down(guests, uuid, timeout, retry_interval):
        return True
    guests.stop(uuid)
    return False


def _shut_down(guests, uuid, timeout, retry_interval):
    """Ask a guest to shut down, again each `retry_interval` seconds: what is only booting does not listen yet.

    :returns: whether it was off within `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    ask_again = 0
    while _listens(guests, uuid):
        now = time.monotonic()
        if now >= deadline:
            LOG.info('Guest %s did not shut down within %s s', uuid, timeout)
            return False
        if now >= ask_again:
            guests.ask_to_shut_down(uuid)
            ask_again = now + retry_interval if retry_interval else deadline
        concurrency.sleep(POLL_SECONDS)
    return not guests.is_active(uuid)


def _listens(guests, uuid):
    """Whether a guest can hear its power button: it is there, runs, and is not paused."""
    try:
        return guests.state(uuid).power_state == power_state.RUNNING
    except exception.InstanceNotFound:
        return False
