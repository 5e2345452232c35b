# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The ports of guests' consoles, on libvirt's own test driver."""

import socket

import pytest

from nova_lite import exception
from nova_lite.objects import console
from nova_lite.virt.libvirt import consoleports
from tests.fixtures import disk_images
from tests.unit.virt.libvirt import scene

pytest.importorskip('libvirt', reason='needs libvirt-python')
pytestmark = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')
HERE = {console.VNC: '10.0.0.1', console.SERIAL: '127.0.0.1'}


def test_a_guest_tells_its_ports(make_host, images):
    host = make_host(vnc_listen='127.0.0.1', serial_listen='127.0.0.1', serial_ports=(11000, 11099),
                     console_addresses=HERE)
    instance, other = scene.spawn(host, images), scene.spawn(host, images, id=11)
    address, port = host.get_console(instance, console.SERIAL)
    assert address == '127.0.0.1' and 11000 <= port <= 11099
    assert host.get_console(other, console.SERIAL)[1] != port
    with pytest.raises(exception.ConsoleTypeUnavailable):
        host.get_console(instance, console.SPICE)
    host.power_off(instance)
    with pytest.raises(exception.InstanceNotRunning):
        host.get_console(instance, console.SERIAL)
    host.destroy(None, instance, [], [])
    with pytest.raises(exception.InstanceNotFound):
        host.get_console(instance, console.SERIAL)


def test_a_port_that_is_taken_is_not_chosen():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(exception.HypervisorError):
            consoleports.SerialPorts('127.0.0.1', (port, port)).choose()
    ports = consoleports.SerialPorts('127.0.0.1', (port, port))
    assert ports.choose() == port
    with pytest.raises(exception.HypervisorError):
        ports.choose()      # it is promised to another guest
