# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Writing XML elements that libvirt can read."""

import re
from xml.etree import ElementTree

# What XML 1.0 cannot hold at all, not even escaped.
_ILLEGAL = re.compile('[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


def add(parent, tag, text=None, **attributes):
    """A new child of `parent` with attributes (those that are None are left out); values may be numbers."""
    element = ElementTree.SubElement(
        parent, tag, {name: legal(value) for name, value in attributes.items() if value is not None})
    if text is not None:
        element.text = legal(text)
    return element


def devices(domain):
    """The one <devices> of a domain."""
    found = domain.find('devices')
    return ElementTree.SubElement(domain, 'devices') if found is None else found


def legal(value):
    """Text without the characters that XML has no way to write."""
    return _ILLEGAL.sub('', str(value))
