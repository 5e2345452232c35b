# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-manage as an administrator runs it."""

import subprocess
import sys

import pytest

from nova_lite.db import engine
from nova_lite.db import instances
from nova_lite.db import migration
from nova_lite.db import models
from nova_lite.db import moves
from nova_lite.db import services
from nova_lite.objects import migration as migration_obj
from tests.fixtures import records


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
    assert lines[1].replace('|', '').split() == ['Binary', 'Host', 'Status', 'State', 'Last', 'seen']
    assert lines[3].replace('|', '').split()[:4] == ['nova-compute', 'host1', 'enabled', 'up']


@pytest.mark.parametrize('connection', [
    'mysql://u:hush@127.0.0.1:1/nova', 'postgresql://u:hush@127.0.0.1:1/nova', 'sqlite:////proc/none/x', 'gibberish'])
def test_an_error_is_one_line_without_the_password(manage, connection):
    done = manage('db', 'sync', connection=connection)
    assert done.returncode == 255 and 'Traceback' not in done.stderr and 'hush' not in done.stderr
    assert done.stderr.splitlines()[-1].startswith('nova-manage: ')


@pytest.fixture
def db(manage, tmp_path):
    """The database of the cloud that `manage` is about."""
    database = records.database(tmp_path)
    yield database
    database.close()


def deleted(db, ctxt):
    """uuid of a server that was built and deleted."""
    uuid = records.active(db, ctxt).uuid
    instances.request_delete(db, uuid, ctxt)
    instances.transition(db, uuid, 'deleted')
    return uuid


def table(output):
    """{first column: second column} of a printed table."""
    rows = [line.strip('|').split('|') for line in output.splitlines() if line.startswith('|')]
    return {row[0].strip(): row[1].strip() for row in rows[1:]}


def test_archive_and_purge(manage, db):
    ctxt = records.user_context()
    gone, kept = [deleted(db, ctxt) for _ in range(3)], records.active(db, ctxt).uuid
    done = manage('db', 'archive_deleted_rows', '--max_rows', '2', '--verbose')
    assert done.returncode == 1 and table(done.stdout)['instances'] == '1', 'an instance goes whole, and first'
    done = manage('db', 'archive_deleted_rows', '--until-complete', '--verbose', '--all-cells')
    assert done.returncode == 1 and table(done.stdout)['instances'] == '2'
    assert int(table(done.stdout)['instance_actions']) >= 2
    assert [instance.uuid for instance in instances.list_(db, {'deleted': True}) if instance.uuid in gone] == []
    assert instances.get(db, kept).vm_state == 'active'
    done = manage('db', 'archive_deleted_rows', '--verbose')
    assert (done.returncode, done.stdout) == (0, 'Nothing was archived.\n')
    assert manage('db', 'purge').returncode == 1
    assert manage('db', 'purge', '--before', '2001-01-01').returncode == 3
    done = manage('db', 'purge', '--all', '--verbose')
    assert done.returncode == 0 and table(done.stdout)['instances'] == '3'
    assert records.count_rows(db, models.shadow_rows) == 0
    assert manage('db', 'purge', '--all').returncode == 3


def test_archive_with_purge_and_a_date(manage, db):
    uuid = deleted(db, records.user_context())
    assert manage('db', 'archive_deleted_rows', '--before', '2001-01-01', '--purge').returncode == 0
    assert instances.get(db, uuid, read_deleted=True).deleted
    assert manage('db', 'archive_deleted_rows', '--until-complete', '--purge').returncode == 1
    assert records.count_rows(db, models.shadow_rows) == records.count_rows(db, models.instance_actions) == 0


def test_an_instance_that_has_to_give_something_back_is_not_archived(manage, db):
    uuid = deleted(db, records.user_context())
    records.set_columns(db, uuid, release_pending=True)
    moved = deleted(db, records.user_context())
    moves.ensure(db, migration_obj.Migration(
        uuid=moved, instance_uuid=moved, migration_type='resize', status='finished', old_flavor=records.FLAVOR,
        new_flavor=records.FLAVOR))
    assert manage('db', 'archive_deleted_rows').returncode == 0
    moves.update(db, moved, status='confirmed')
    assert manage('db', 'archive_deleted_rows', '--verbose').returncode == 1
    assert records.count_rows(db, models.migrations) == 0


@pytest.mark.parametrize('words', [('--max_rows', '0'), ('--max_rows', 'x'), ('--before', 'yesterday')])
def test_arguments_that_make_no_sense(manage, words):
    done = manage('db', 'archive_deleted_rows', *words)
    assert done.returncode == 2 and 'Traceback' not in done.stderr


def test_a_service_is_forgotten_unless_servers_need_it(manage, db):
    services.report(db, 'host1', 'nova-compute', 'compute')
    services.report(db, 'host2', 'nova-compute', 'compute')
    records.active(db, records.user_context(), 'host1')
    refused = manage('service', 'delete', 'host1')
    assert refused.returncode == 1 and refused.stderr.startswith('There are servers on host host1')
    assert manage('service', 'delete', 'host2').returncode == 0
    assert manage('service', 'delete', 'host2').returncode == 255
    assert [service.host for service in services.list_(db)] == ['host1']


def test_what_deployment_scripts_call(manage, db):
    assert manage('api_db', 'sync').returncode == 0
    assert manage('cell_v2', 'discover_hosts', '--verbose').stdout == 'Found 0 hosts.\n'
