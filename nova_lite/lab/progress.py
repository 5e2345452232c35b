# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Progress on the terminal: one line a step, with the time it took.

Only the standard library: it also reports on the installation of everything else. On a terminal a running
step shows its elapsed time; in a file or a pipe, a line when it starts and one when it ends.
"""

import contextlib
import sys
import threading
import time

QUIET_SECONDS = 2.0
_lock = threading.Lock()
_current = []


def say(text=""):
    """Print a line of its own above the step that runs."""
    with _lock:
        _print(_clearing() + text + "\n")


@contextlib.contextmanager
def step(title):
    """Show `title` while the block runs, and how long it took when it ends; steps may run in parallel threads."""
    started = time.monotonic()
    entry = (title, started)
    done = threading.Event()
    with _lock:
        _current.append(entry)
    ticker = threading.Thread(target=_tick, args=(title, done), daemon=True)
    ticker.start()
    outcome = "failed"
    try:
        yield
        outcome = "done"
    finally:
        done.set()
        ticker.join()
        with _lock:
            _current.remove(entry)
            elapsed = time.monotonic() - started
            _print(f"{_clearing()}  {'ok' if outcome == 'done' else '!!'}  {title:<58} {elapsed:5.1f} s\n")


def _tick(title, done):
    if done.wait(0.3 if sys.stdout.isatty() else QUIET_SECONDS):
        return
    if not sys.stdout.isatty():
        say(f"  ..  {title}")
        return
    while not done.wait(0.5):
        with _lock:
            now = time.monotonic()
            parts = [f"{name} {now - since:.0f} s" for name, since in _current]
            line = ("  ..  " + ", ".join(parts))[:100]
            _print(f"\r{line}\033[K")


def _clearing():
    return "\r\033[K" if sys.stdout.isatty() else ""


def _print(text):
    # Work in progress goes on when nobody reads about it any more.
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(text)
        sys.stdout.flush()
