# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Work that goes on after the answer: each job in a thread, in the order of submission where two touch the same."""

import threading

AT_ONCE = 4  # copies and downloads compete for the same disk


class Jobs:
    """Runs jobs. A job names what it touches and waits for all earlier ones that name any of it."""

    def __init__(self):
        self._lock = threading.Lock()
        self._last = {}  # name: the end of the job that named it last
        self._slots = threading.Semaphore(AT_ONCE)

    def submit(self, names, function, *args):
        """Start a job soon; returns at once. `function` catches what it can go wrong with."""
        done = threading.Event()
        with self._lock:
            earlier = {self._last[name] for name in names if name in self._last}
            self._last.update(dict.fromkeys(names, done))
        threading.Thread(target=self._run, args=(earlier, names, done, function, args), daemon=True).start()

    def _run(self, earlier, names, done, function, args):
        try:
            for event in earlier:
                event.wait()
            with self._slots:
                function(*args)
        finally:
            done.set()
            with self._lock:
                for name in names:
                    if self._last.get(name) is done:
                        del self._last[name]

    def wait(self):
        """Return when every job that was submitted so far has ended."""
        with self._lock:
            events = list(self._last.values())
        for event in events:
            event.wait()
