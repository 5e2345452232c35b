# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Consoles for users: a URL with a token that a console proxy takes."""

import urllib.parse
import uuid

from nova_lite import exception
from nova_lite.db import console_auth_tokens
from nova_lite.objects import console


class Consoles:
    """`compute`: compute.rpcapi.ComputeAPI; `lookups`: api_lookups.Lookups; `token_ttl`: seconds."""

    def __init__(self, db, compute, lookups, token_ttl):
        self._db = db
        self._compute = compute
        self._lookups = lookups
        self._ttl = token_ttl

    def get_url(self, ctxt, instance, kind, console_type):
        """The URL of a new console; kind: what the API calls its protocol.

        :raises ConsoleTypeInvalid, ConsoleTypeUnavailable; InstanceNotReady: it does not run, or is on no host yet;
            Conflict: its host is down
        """
        if kind not in console.TYPES:
            raise exception.ConsoleTypeUnavailable(console_type=console_type)
        if not instance.host:
            raise exception.InstanceNotReady(instance_id=instance.uuid)
        self._lookups.check_host_up(instance)
        found = self._ask(kind)(ctxt, instance.host, instance, console_type)
        token = str(uuid.uuid4())
        console_auth_tokens.create(self._db, token, console.ConsoleAuth(
            console_type=console_type, instance_uuid=instance.uuid, host=found['host'], port=found['port'],
            internal_access_path=found['internal_access_path']), self._ttl)
        return _with_token(found['access_url_base'], console_type, token)

    def _ask(self, kind):
        return {console.VNC: self._compute.get_vnc_console, console.SPICE: self._compute.get_spice_console,
                console.SERIAL: self._compute.get_serial_console}[kind]

    def get_auth(self, token):
        """The ConsoleAuth of a token. :raises NotFound: it is none, or has expired"""
        auth = console_auth_tokens.get(self._db, token)
        if auth is None:
            raise exception.NotFound('Token not found')
        return auth


def _with_token(url, console_type, token):
    """noVNC's page takes the part of the URL to open from its parameter `path`."""
    query = urllib.parse.urlencode({'token': token})
    if console_type == console.TYPES[console.VNC]:
        query = urllib.parse.urlencode({'path': '?' + query})
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(query='&'.join(filter(None, (parts.query, query)))))
