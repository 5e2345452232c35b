# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-manage as an administrator runs it."""

import subprocess
import sys

import pytest

from nova_lite.db import engine
from nova_lite.db import migration
from nova_lite.db import services


@pytest.fixture
def manage(tmp_path):
    """manage(*words, connection=None) → the finished process, of a cloud whose state is in tmp_path."""
    def run(*words, connection=None):
        path = tmp_path / 'nova.conf'
        path.write_text('[DEFAULT]\nstate_path = %s\n[database]\ndb_max_retries = 0\n' % tmp_path
                        + ('connection = %s\n' % connection if connection else ''))
        return subprocess.run([sys.executable, '-m', 'nova_lite.cmd.manage', '--config-file', str(path), *words],
                              capture_output=True, text=True, timeout=60)
    return run


def test_a_database_from_nothing(manage, tmp_path):
    assert manage('db', 'version').stdout == 'none\n'
    synced = manage('db', 'sync')
    assert (synced.returncode, synced.stdout) == (0, '')
    assert manage('db', 'version').stdout == migration.head() + '\n'
    db = engine.Database('sqlite:///%s' % (tmp_path / 'nova.sqlite'))
    services.report(db, 'host1', 'nova-compute', 'compute')
    db.close()
    lines = manage('service', 'list').stdout.splitlines()
    assert lines[0].split() == ['Binary', 'Host', 'Status', 'State', 'Last', 'seen']
    assert lines[1].split()[:4] == ['nova-compute', 'host1', 'enabled', 'up']


@pytest.mark.parametrize('connection', [
    'mysql://u:hush@127.0.0.1:1/nova', 'postgresql://u:hush@127.0.0.1:1/nova', 'sqlite:////proc/none/x', 'gibberish'])
def test_an_error_is_one_line_without_the_password(manage, connection):
    done = manage('db', 'sync', connection=connection)
    assert done.returncode == 1 and 'Traceback' not in done.stderr and 'hush' not in done.stderr
    assert done.stderr.splitlines()[-1].startswith('nova-manage: ')
