# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Names of servers and of their hosts."""

import re

import pytest

from nova_lite.compute import api_names


@pytest.mark.parametrize(('name', 'expected'), [
    ('web', 'web'), ('a.b.c', 'a-b-c'), ('-x-', 'x'), ('My Server_1', 'my-server-1'), ('Zürich', 'zurich'),
    ('a' * 255, 'a' * 63), ('a' * 62 + '-b', 'a' * 62), ('\N{PARTY POPPER}', 'Server-u'), ('服务器', 'Server-u'),
    ('...', 'Server-u'), ('ubuntu_test', 'ubuntu-test'), ('a(b)', 'ab'), ('None', 'none')])
def test_hostname(name, expected):
    made = api_names.hostname(name, 'Server-u')
    assert made == expected
    assert re.fullmatch('[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?', made)


def test_display_names():
    assert api_names.display_name('web', 0, 1) == 'web'
    assert [api_names.display_name('web', index, 3) for index in range(3)] == ['web-1', 'web-2', 'web-3']
