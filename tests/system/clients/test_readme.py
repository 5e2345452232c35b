# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the README says is what happens: its tour, block by block, as a person types it. Needs root.

The cloud is a second one beside whatever runs on the machine, so its places and ports stand in for the usual ones.
"""

import os
import re
import subprocess

import pytest

from nova_lite.lab import layout as layouts

BLOCKS = re.findall(r'^```sh\n(.*?)^```$', (layouts.CLONE / 'README.md').read_text(), re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason='real guests need root')


def here(text, cloud):
    """The same words for this test's cloud."""
    for usual, place in (('/etc/nova', cloud.etc), ('/var/lib/nova', cloud.state), ('/var/log/nova', cloud.log),
                         (':8774', ':%d' % cloud.port('compute'))):
        text = text.replace(usual, str(place))
    return text


@pytest.fixture(scope='module')
def tour(cloud, programs):
    """What the blocks printed, typed into one shell in a row; and the logs of the services after it."""
    script = 'set -eu\n' + ''.join("echo; echo '@@ %d'\n%s" % (number, here(block, cloud))
                                   for number, block in enumerate(BLOCKS))
    done = subprocess.run(['bash', '-c', script], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                          env=programs)
    logs = ''.join(path.read_text(errors='replace') for path in cloud.log.glob('nova-*.log'))
    assert done.returncode == 0, done.stdout + done.stderr
    return re.split(r'^@@ \d+\n', done.stdout, flags=re.MULTILINE)[1:], logs


def test_there_is_a_tour():
    assert len(BLOCKS) >= 5 and '. /etc/nova/openrc' in BLOCKS[0]


def test_the_tour_shows_what_it_promises(tour):
    printed, _ = tour
    client, events, curl, changes, behind, own = printed[1:7]
    assert 'm1.nano' in client and 'ACTIVE' in client and 'private=' in client.replace("{'private'", 'private=')
    assert 'compute_driver_spawn' in events and 'Success' in events
    assert 'HTTP/1.1 202' in curl and 'adminPass' in curl
    assert '/dev/vd' in changes and 'kept' in changes
    assert 'running' in behind and 'libvirt.xml' in behind and 'scheduler' in behind
    assert '192.168.50.' in own and re.search('1 packets transmitted, 1 (packets )?received', own)
    assert 'Choosing host' in behind and 'seconds to build instance' in behind


def test_nothing_went_wrong_behind_the_scenes(tour):
    _, logs = tour
    assert logs and not re.findall(r'^.* (?:ERROR|CRITICAL) .*$|^Traceback.*$', logs, re.MULTILINE)
