# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one door to eventlet: green threads, locks, time-outs and the WSGI loop.

The rest of the code asks this module for concurrency, so that oslo.service's threading back end can take eventlet's
place by a change in this file alone.  Each command calls :func:`patch` before it imports anything else.
"""

import collections
import contextlib
import http.server
import logging
import os
import socket as socket_module
import warnings

warnings.filterwarnings('ignore', message='(?s).*Eventlet is deprecated')
os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')    # numbers and /etc/hosts: the libc resolver will do

_http_server = http.server

import eventlet  # noqa: E402  (the filter above has to come first)
import eventlet.event  # noqa: E402
import eventlet.hubs  # noqa: E402
import eventlet.patcher  # noqa: E402
import eventlet.queue  # noqa: E402
import eventlet.semaphore  # noqa: E402
import eventlet.tpool  # noqa: E402
import eventlet.wsgi  # noqa: E402

# eventlet.wsgi leaves its own copy in this place, whose locks never wake a real thread: a server made with that by
# code which is not patched could not be shut down
http.server = _http_server
_os_read, _os_write = os.read, os.write      # as they are before patch()

Semaphore = eventlet.semaphore.Semaphore
Event = eventlet.event.Event
Queue = eventlet.queue.LightQueue
Timeout = eventlet.Timeout
GreenPool = eventlet.GreenPool
sleep = eventlet.sleep
spawn = eventlet.spawn
spawn_after = eventlet.spawn_after
current = eventlet.getcurrent


def patch():
    """Make the standard library cooperative and choose oslo.service's eventlet back end."""
    eventlet.monkey_patch()
    for text in ('(?s).*[Ee]ventlet', '(?s).*oslo.messaging eventlet executor'):
        warnings.filterwarnings('ignore', message=text)
    from oslo_service import backend    # only after the patch: it imports threading
    logging.getLogger('oslo_service.backend').setLevel(logging.WARNING)
    backend.init_backend(backend.BackendType.EVENTLET)


def run_native(function, *args, **kwargs):
    """Run a blocking C call in a real thread while the green threads of this one go on; returns its result."""
    return eventlet.tpool.execute(function, *args, **kwargs)


def interrupt(thread, error):
    """Raise `error` (an exception object) in another green thread, wherever it waits; one that has ended is fine."""
    eventlet.kill(thread, error)


@contextlib.contextmanager
def deadline(seconds, error):
    """Raise `error` (an exception object) in the block if it takes longer than `seconds`; None or 0: no limit."""
    timer = eventlet.Timeout(seconds or None, error)
    try:
        yield
    finally:
        timer.cancel()


class NamedLocks:
    """A lock per name, kept only while somebody holds it or waits for it."""

    def __init__(self):
        self._locks = {}

    @contextlib.contextmanager
    def hold(self, name):
        lock, users = self._locks.get(name, (None, 0))
        lock = lock or Semaphore()
        self._locks[name] = lock, users + 1
        try:
            with lock:
                yield
        finally:
            lock, users = self._locks[name]
            if users == 1:
                del self._locks[name]
            else:
                self._locks[name] = lock, users - 1

    def held(self, name):
        return name in self._locks


def listen(host, port, backlog=1024):
    """A listening TCP socket on a numeric address (IPv4 or IPv6). Raises OSError when the port is taken."""
    family = socket_module.AF_INET6 if ':' in host else socket_module.AF_INET
    # by default eventlet lets two processes share a port, and each would get half of the requests
    sock = eventlet.listen((host, port), family=family, backlog=backlog, reuse_port=False)
    # accepted sockets inherit it; without it the end of a long answer waits for the client's delayed acknowledgement
    sock.setsockopt(socket_module.IPPROTO_TCP, socket_module.TCP_NODELAY, 1)
    return sock


def serve_wsgi(sock, app, pool, log, **options):
    """Serve a WSGI application on a listening socket until the calling green thread is killed."""
    eventlet.wsgi.server(sock, app, custom_pool=pool, log=log, **options)


def spawn_native(function, *args):
    """Start a real thread for a blocking loop as long as the process lives. It must not log nor touch green locks:
    a :class:`Mailbox` is its one way to the green threads."""
    threading = eventlet.patcher.original('threading')
    threading.Thread(target=function, args=args, daemon=True).start()


class Mailbox:
    """Carries items from real threads to a green thread."""

    def __init__(self):
        self._items = collections.deque()
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)

    def put(self, item):
        """Leave an item; any thread may."""
        self._items.append(item)
        try:
            _os_write(self._writer, b'.')
        except BlockingIOError:
            pass        # the pipe is full of wake-ups that have not been seen yet

    def get(self):
        """The oldest item; the calling green thread waits for one."""
        while not self._items:
            eventlet.hubs.trampoline(self._reader, read=True)
            _os_read(self._reader, 4096)
        return self._items.popleft()
