# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which pages may open a console."""

import pytest

from nova_lite.console import origins

BASE = 'http://proxy:6080/vnc_lite.html'


@pytest.mark.parametrize('host, origin, base', [
    ('proxy:6080', None, BASE),
    ('proxy:6080', 'http://proxy', BASE), ('proxy:6080', 'http://proxy:6080', BASE),
    ('proxy', 'http://proxy:6080', BASE),
    ('PROXY', 'http://proxy', BASE), ('[::1]:6080', 'http://[::1]:6080', BASE), ('[::1]', 'http://[::1]', BASE),
    ('proxy:6080', 'http://dashboard', BASE), ('proxy:6080', 'http://[2001:db8::1]', BASE),
    ('proxy:6080', 'https://proxy', 'https://proxy/vnc'), ('proxy:6083', 'http://proxy', 'ws://proxy:6083'),
    ('proxy:6083', 'https://proxy', 'wss://proxy:6083')])
def test_security_2015_005_pages_of_the_proxy_and_of_allowed_hosts(host, origin, base):
    headers = {'Host': host} | ({'Origin': origin} if origin else {})
    origins.check(headers, ['dashboard', '2001:db8::1'], base)


@pytest.mark.parametrize('host, origin, base', [
    ('proxy:6080', 'http://evil', BASE), ('proxy:6080', 'https://proxy', BASE), ('proxy', 'http://proxy', 'https://proxy'),
    ('proxy', 'null', BASE), ('proxy', '', BASE), ('proxy', 'ftp://proxy', BASE), ('proxy', 'http://', BASE),
    ('proxy', 'http://[::1', BASE), ('[::1', 'http://evil', BASE), ('', 'http://evil', BASE),
    ('[::1]:6080', 'http://[::2]:6080', BASE), ('proxy', 'http://proxy.evil', BASE),
    ('proxy', 'http://proxy@evil', BASE)])
def test_security_2015_005_other_pages(host, origin, base):
    with pytest.raises(ValueError):
        origins.check({'Host': host, 'Origin': origin}, ['dashboard'], base)


def test_security_ossn_0101_a_host_header_is_not_remembered():
    allowed = ['dashboard']
    for number in range(1000):
        origins.check({'Host': 'evil%d' % number, 'Origin': 'http://evil%d' % number}, allowed, BASE)
    with pytest.raises(ValueError):
        origins.check({'Host': 'proxy', 'Origin': 'http://evil1'}, allowed, BASE)
    assert allowed == ['dashboard']
