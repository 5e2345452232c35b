# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the page that opens a console may: a browser says in `Origin` where the page is from."""

import urllib.parse

SECURE = {'http': False, 'ws': False, 'https': True, 'wss': True}


def check(headers, allowed, base_url):
    """headers: of the request to upgrade; allowed: names of further hosts; base_url: of the proxy, as users see it.

    Who sends no `Origin` is no browser, and is let pass.
    :raises ValueError: with the reason
    """
    origin = headers.get('Origin')
    if origin is None:
        return
    try:
        parts = urllib.parse.urlsplit(origin)
        page = parts.hostname
    except ValueError:
        page = None
    if not page or parts.scheme not in SECURE:
        raise ValueError('the origin is no URL')
    if page not in {_name(headers.get('Host', '')), *(_name(item) for item in allowed)}:
        raise ValueError('the origin is not allowed')
    if SECURE[parts.scheme] != SECURE[urllib.parse.urlsplit(base_url).scheme]:
        raise ValueError('the origin has another protocol')


def _name(host):
    """The name of a host that is given with or without a port; an IPv6 address with a port is in brackets."""
    host = host.strip()
    if host.count(':') > 1 and not host.startswith('['):
        host = '[%s]' % host
    try:
        return urllib.parse.urlsplit('//' + host).hostname
    except ValueError:
        return None
