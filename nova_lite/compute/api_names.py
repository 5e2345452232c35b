# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Names: of several servers made together, and of hosts within their guests."""

import re
import unicodedata

HOSTNAME_LENGTH = 63        # octets of one label of a domain name

_SEPARATORS = re.compile(r'[ _.]+')
_FORBIDDEN = re.compile(r'[^a-z0-9-]+')


def display_name(name, index, count):
    """What the server with this index (from 0) of `count` is called."""
    return name if count == 1 else '%s-%d' % (name, index + 1)


def hostname(name, fallback):
    """A name that is fit for a host, made of a server's name: ASCII letters, digits and dashes, 63 at most.

    Letters lose their accents, blanks, dots and underscores become dashes. Where nothing is left: `fallback`.
    """
    plain = unicodedata.normalize('NFKD', name).encode('ascii', 'ignore').decode().lower()
    label = _FORBIDDEN.sub('', _SEPARATORS.sub('-', plain)).strip('-')[:HOSTNAME_LENGTH].rstrip('-')
    return label or fallback[:HOSTNAME_LENGTH]


def hostnames(order, names, uuids):
    """The hostnames of servers with these names and uuids: what was asked for, else made of each name."""
    if order.hostname:
        return [order.hostname] * len(names)
    return [hostname(name, 'Server-%s' % uuid) for name, uuid in zip(names, uuids, strict=True)]
