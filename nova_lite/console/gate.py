# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Who may open a console: by the origin of the page, by a token, and by what the server's host says of the port."""

import contextlib
import http
import threading
import urllib.parse

from nova_lite import context
from nova_lite import exception
from nova_lite.console import origins
from nova_lite.db import console_auth_tokens
from nova_lite.db import instances


class Refused(Exception):
    """The client gets `status` and nothing else; the text is for the log."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


class Gate:
    """console_type: the one that this proxy serves; base_url: the proxy's, as users see it; allowed_origins: further
    hosts; `compute`: a compute.rpcapi.ComputeAPI. Limits: consoles open at once, in all and for one server."""

    def __init__(self, console_type, base_url, allowed_origins, db, compute, *, limit, limit_per_server):  # noqa: PLR0913 (what it decides by)
        self._type = console_type
        self._base_url = base_url
        self._origins = tuple(allowed_origins)
        self._db = db
        self._compute = compute
        self._limit = limit
        self._limit_per_server = limit_per_server
        self._open = {}             # instance uuid → how many
        self._lock = threading.Lock()

    def admit(self, path, headers):
        """The ConsoleAuth of a request to upgrade. :raises Refused:"""
        try:
            origins.check(headers, self._origins, self._base_url)
        except ValueError as exc:
            raise Refused(http.HTTPStatus.FORBIDDEN, str(exc)) from exc
        tokens = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query).get('token', ())
        try:
            auth = console_auth_tokens.get(self._db, tokens[0]) if len(tokens) == 1 else None
            if auth is None or auth.console_type != self._type:
                raise Refused(http.HTTPStatus.FORBIDDEN, 'the token is not valid here')
            self._check_port(auth)
        except exception.Unavailable as exc:
            raise Refused(http.HTTPStatus.SERVICE_UNAVAILABLE, exc.message) from exc
        return auth

    def _check_port(self, auth):
        """The port may be another guest's by now."""
        try:
            instance = instances.get(self._db, auth.instance_uuid)
            fine = instance.host and self._compute.validate_console_port(
                context.admin_context(), instance.host, instance, auth.port, auth.console_type)
        except exception.InstanceNotFound:
            fine = False
        if not fine:
            raise Refused(http.HTTPStatus.FORBIDDEN, 'the console is not there any more')

    @contextlib.contextmanager
    def session(self, instance_uuid):
        """A console is open as long as the block runs. :raises Refused: too many are"""
        with self._lock:
            count = self._open.get(instance_uuid, 0)
            if count >= self._limit_per_server or sum(self._open.values()) >= self._limit:
                raise Refused(http.HTTPStatus.TOO_MANY_REQUESTS, 'too many consoles are open')
            self._open[instance_uuid] = count + 1
        try:
            yield
        finally:
            with self._lock:
                self._open[instance_uuid] -= 1
                if not self._open[instance_uuid]:
                    del self._open[instance_uuid]
