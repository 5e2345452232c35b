# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Consoles as nova-compute tells of them."""

import pytest

from nova_lite import exception
from nova_lite.compute import settings
from nova_lite.objects import console

URLS = {console.VNC: 'http://proxy/vnc_lite.html', console.SERIAL: 'ws://proxy/'}


@pytest.fixture
def world(make_world):
    return make_world(console_urls=URLS)


def raised(call, *args):
    """What an RPC method tells its caller."""
    with pytest.raises(Exception) as caught:
        call(*args)
    return caught.value.exc_info[0]


def test_where_a_console_is(world):
    instance = world.build(world.order())
    found = world.manager.get_vnc_console(None, instance, 'novnc')
    assert found == {'host': '127.0.0.1', 'port': 6969, 'internal_access_path': None,
                     'access_url_base': 'http://proxy/vnc_lite.html'}
    assert world.manager.get_serial_console(None, instance, 'serial')['access_url_base'] == 'ws://proxy/'


def test_what_there_is_none_of(world):
    instance = world.build(world.order())
    assert raised(world.manager.get_spice_console, None, instance, 'spice-html5') is exception.ConsoleTypeUnavailable
    assert raised(world.manager.get_vnc_console, None, instance, 'xvpvnc') is exception.ConsoleTypeInvalid
    world.driver.destroy(None, instance, [], [])
    assert raised(world.manager.get_vnc_console, None, instance, 'novnc') is exception.InstanceNotReady


def test_a_port_is_checked(world):
    instance = world.build(world.order())
    check = world.manager.validate_console_port
    assert check(None, instance, 6969, 'novnc') is True
    assert check(None, instance, 6970, 'novnc') is False
    assert check(None, instance, 6969, 'spice-html5') is False
    assert check(None, instance, 6969, 'nonsense') is False
    world.driver.destroy(None, instance, [], [])
    assert check(None, instance, 6969, 'novnc') is False


def test_the_urls_are_those_of_what_is_enabled(conf):
    assert settings.from_conf(conf).console_urls == {}
    conf.set_override('enabled', True, 'serial_console')
    assert settings.from_conf(conf).console_urls == {console.SERIAL: 'ws://127.0.0.1:6083/'}


def test_what_an_audit_asks(world):
    instance = world.build(world.order())
    assert world.manager.list_guests(None) == {'guests': [instance.uuid], 'directories': None}
