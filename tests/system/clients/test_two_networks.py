# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A new project by the real `openstack` command: who reaches whom on its networks, metadata, a floating IP. Needs root.

The guests ping each other all the time and tell on their consoles what they found.
"""

import json
import os
import re
import subprocess
import time

import pytest

BOOT_SECONDS = 240      # a few seconds where nothing else runs
EFFECT = 60             # seconds until a change is seen on the consoles
GUESTS = {'blue-1': ('blue', '192.168.61.11'), 'blue-2': ('blue', '192.168.61.12'), 'red-1': ('red', '192.168.62.11')}
WATCH = '''#!/bin/sh
watch() {
    round=0
    while :; do
        round=$((round + 1))
        for address in %s; do
            ping -c 1 -W 1 $address >/dev/null 2>&1 && found=reached || found=blocked
            echo "round $round $address $found"
        done
        sleep 1
    done
}
watch &
''' % ' '.join(address for _, address in GUESTS.values())

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason='real guests need root')


class Client:
    """The command `openstack` with a login of the cloud's clouds.yaml; `changes`: variables that say otherwise."""

    def __init__(self, cloud, environment, name, **changes):
        self._environment = environment | {'OS_CLIENT_CONFIG_FILE': str(cloud.etc / 'clouds.yaml'), 'OS_CLOUD': name}
        self._environment |= changes

    def __call__(self, line, *more):
        """What a command prints. :raises AssertionError: it fails, with what it said."""
        done = subprocess.run(['openstack', *line.split(), *more], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, env=self._environment)
        assert done.returncode == 0, '%s: %s' % (line, done.stdout + done.stderr)
        return done.stdout

    def value(self, line, column):
        return self('%s -f value -c %s' % (line, column)).strip()


def wait_for(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(1)


@pytest.fixture(scope='module')
def client(cloud, programs, tmp_path_factory):
    """The command, as a new user in a new project with two networks and their guests."""
    admin = Client(cloud, programs, 'nova-lite-admin')
    admin('project create colours')
    admin('user create painter --password brush')
    admin('role add --project colours --user painter member')
    openstack = Client(cloud, programs, 'nova-lite', OS_USERNAME='painter', OS_PASSWORD='brush',
                       OS_PROJECT_NAME='colours')
    script = tmp_path_factory.mktemp('user-data') / 'watch'
    script.write_text(WATCH)
    image = openstack('image list -f value -c ID').split()[0]
    for number, name in ((61, 'blue'), (62, 'red')):
        openstack('network create ' + name)
        openstack('subnet create %s-v4 --network %s --subnet-range 192.168.%d.0/24' % (name, name, number))
    for name, (network, address) in GUESTS.items():
        openstack('server create --flavor m1.nano --image %s --nic net-id=%s,v4-fixed-ip=%s --user-data %s %s' % (
            image, openstack.value('network show ' + network, 'id'), address, script, name))
    yield openstack
    openstack('server delete --wait ' + ' '.join(GUESTS))


def console(client, name):
    return client('console log show ' + name)


def last_round(client, name):
    """{address: reached or blocked}, as a guest found last in a whole round."""
    rounds = {}
    for number, address, found in re.findall(r'round (\d+) (\S+) (reached|blocked)\b', console(client, name)):
        rounds.setdefault(int(number), {})[address] = found
    whole = [number for number, found in rounds.items() if len(found) == len(GUESTS)]
    return rounds[max(whole)] if whole else {}


def sees(client, name, reached):
    """Wait until a guest reaches exactly the named guests."""
    wanted = {address: 'reached' if other in reached else 'blocked' for other, (_, address) in GUESTS.items()}
    wait_for(lambda: last_round(client, name) == wanted, EFFECT, lambda: console(client, name))


def test_each_guest_reads_its_metadata(client):
    for name, (_, address) in GUESTS.items():
        wait_for(lambda name=name: 'ready after' in console(client, name), BOOT_SECONDS,
                 lambda name=name: console(client, name))
        shown = json.loads(client('server show %s -f json' % name))
        said = console(client, name)
        assert shown['status'] == 'ACTIVE'
        assert re.search('guest: address %s/24' % address, said)
        assert re.search('guest: uuid %s' % shown['id'], said) and re.search('guest: name %s' % name, said)


def test_guests_of_one_network_reach_each_other_only(client):
    sees(client, 'blue-1', ['blue-1', 'blue-2'])
    sees(client, 'red-1', ['red-1'])


def test_a_router_joins_networks_as_long_as_both_are_on_it(client):
    client('router create middle')
    client('router add subnet middle blue-v4')
    sees(client, 'blue-1', ['blue-1', 'blue-2'])
    client('router add subnet middle red-v4')
    sees(client, 'red-1', GUESTS)
    sees(client, 'blue-2', GUESTS)
    client('router remove subnet middle red-v4')
    sees(client, 'red-1', ['red-1'])


def test_a_floating_ip_answers_once_a_rule_lets_it(client, programs):
    def answers():
        return subprocess.run(['ping', '-c', '1', '-W', '1', address], env=programs, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, timeout=20).returncode == 0
    client('router set middle --external-gateway public')
    address = client.value('floating ip create public', 'floating_ip_address')
    client('server add floating ip blue-2 ' + address)
    time.sleep(3)
    assert not answers()
    client('security group rule create default --protocol icmp')
    wait_for(answers, EFFECT, lambda: client('floating ip show ' + address))
    client('floating ip delete ' + address)
    wait_for(lambda: not answers(), EFFECT, lambda: client('floating ip list'))
