# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Transactions and their retries."""

import multiprocessing
import sqlite3
import stat
import threading
import time

import pytest
import sqlalchemy as sa
from sqlalchemy import exc

from nova_lite import exception
from nova_lite.db import engine
from nova_lite.db import models
from nova_lite.db import quotas
from nova_lite.db import retry

WRITERS, WRITES = 8, 25


def increment(db):
    """A write that reads first: it loses updates unless transactions are serialized or compare and swap."""
    table = models.quotas

    def write(connection):
        value = connection.scalar(sa.select(table.c.hard_limit).where(table.c.project_id == 'p').with_for_update())
        connection.execute(sa.update(table).where(table.c.project_id == 'p').values(hard_limit=value + 1))
    for _ in range(WRITES):
        db.write(write)


def in_process(url):
    db = engine.Database(url)
    increment(db)
    db.close()


def run_all(workers):
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def test_parallel_writers_in_threads(db):
    quotas.set_(db, 'p', {'cores': 0})
    run_all([threading.Thread(target=increment, args=[db]) for _ in range(WRITERS)])
    assert quotas.get(db, 'p') == {'cores': WRITERS * WRITES}


def test_parallel_writers_in_processes(db, url):
    quotas.set_(db, 'p', {'cores': 0})
    workers = [multiprocessing.get_context('fork').Process(target=in_process, args=[url]) for _ in range(4)]
    run_all(workers)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert quotas.get(db, 'p') == {'cores': 4 * WRITES}


def test_a_forked_child_makes_its_own_connections(db):
    quotas.set_(db, 'p', {'cores': 0})
    child = multiprocessing.get_context('fork').Process(target=increment, args=[db])
    child.start()
    increment(db)
    child.join()
    assert child.exitcode == 0 and quotas.get(db, 'p') == {'cores': 2 * WRITES}


def test_what_fails_in_a_transaction_has_no_effect(db):
    def write(connection):
        connection.execute(sa.insert(models.quotas).values(project_id='p', resource='cores', hard_limit=1))
        raise KeyError('x')
    with pytest.raises(KeyError):
        db.write(write)
    assert quotas.get(db, 'p') == {}


def test_the_clock_is_utc(db):
    assert abs(db.read(db.clock).timestamp() - time.mktime(time.gmtime())) < 5


# ---- SQLite --------------------------------------------------------------------------------------------------

def test_sqlite_files_are_private(db, tmp_path, sqlite_only):
    db.write(lambda connection: None)
    files = sorted(tmp_path.glob('nova.sqlite*'))
    fresh = engine.Database('sqlite:///%s' % (tmp_path / 'sub' / 'new.sqlite'))
    quotas_file = tmp_path / 'sub' / 'new.sqlite'
    fresh.write(lambda connection: connection.execute(sa.text('CREATE TABLE t (i INTEGER)')))
    files += sorted(quotas_file.parent.glob('new.sqlite*'))
    assert len(files) >= 4
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in files if path.name.startswith('new')}
    assert set(modes.values()) == {0o600}, modes
    fresh.close()


def test_a_lock_that_passes_is_waited_for(url, tmp_path, sqlite_only):
    db = engine.Database(url)
    rival = sqlite3.connect(tmp_path / 'nova.sqlite', isolation_level=None, check_same_thread=False)
    rival.execute('BEGIN IMMEDIATE')
    threading.Timer(0.3, rival.execute, ['COMMIT']).start()
    started = time.monotonic()
    quotas.set_(db, 'p', {'cores': 1})
    assert 0.25 < time.monotonic() - started < 3
    db.close()
    rival.close()


def test_a_lock_that_stays_ends_in_unavailable(url, tmp_path, sqlite_only):
    db = engine.Database(url, max_retries=3)
    rival = sqlite3.connect(tmp_path / 'nova.sqlite', isolation_level=None)
    rival.execute('BEGIN IMMEDIATE')
    with pytest.raises(exception.ServiceUnreachable):
        quotas.set_(db, 'p', {'cores': 1})
    assert quotas.get(db, 'p') == {}, 'readers go on'
    rival.close()
    db.close()


# ---- retries -------------------------------------------------------------------------------------------------

class Broken(Exception):
    pass


def failing(db, errors):
    """Let the next writes fail with these errors before they reach the database."""
    def write(connection):
        if errors:
            raise errors.pop(0)
        connection.execute(sa.insert(models.quotas).values(project_id='p', resource='cores', hard_limit=7))
    return write


def error(kind, *args):
    return kind('UPDATE', None, Broken(*args))


TRANSIENT = [
    error(exc.OperationalError, 1213, 'Deadlock found'), error(exc.OperationalError, 1205, 'Lock wait timeout'),
    error(exc.OperationalError, 2013, 'Lost connection'), error(exc.InterfaceError, 0, ''),
    error(exc.ProgrammingError, {'C': '40P01', 'M': 'deadlock detected'}),
    error(exc.ProgrammingError, {'C': '40001'}), error(exc.ProgrammingError, {'C': '57P01'}),
    error(exc.InterfaceError, 'network error'), error(exc.OperationalError, 'database is locked'),
    exc.TimeoutError('pool'), ConnectionResetError(104, 'reset')]
LASTING = [
    error(exc.OperationalError, 1045, 'Access denied'), error(exc.ProgrammingError, 1146, 'no such table'),
    error(exc.ProgrammingError, {'C': '42P01'}), error(exc.OperationalError, 'no such table: x'),
    error(exc.IntegrityError, 1062, 'Duplicate entry')]


@pytest.mark.parametrize('one', TRANSIENT, ids=str)
def test_what_passes_is_tried_again(db, one, monkeypatch):
    monkeypatch.setattr(retry, 'FIRST_DELAY', 0.0001)
    db.write(failing(db, [one, one, one]))
    assert quotas.get(db, 'p') == {'cores': 7}


@pytest.mark.parametrize('one', LASTING, ids=str)
def test_what_lasts_is_not(db, one):
    assert not retry.is_transient(one)
    with pytest.raises((exception.ServiceUnreachable, exc.DBAPIError)):
        db.write(failing(db, [one]))
    assert quotas.get(db, 'p') == {}


def test_retries_are_bounded(url, monkeypatch):
    monkeypatch.setattr(retry, 'FIRST_DELAY', 0.0001)
    db = engine.Database(url, max_retries=4)
    errors = [TRANSIENT[0]] * 10
    with pytest.raises(exception.ServiceUnreachable):
        db.write(failing(db, errors))
    assert len(errors) == 5, 'one try and four retries'
    db.close()


def test_waits_grow_and_are_bounded():
    assert retry.delay(0) <= retry.FIRST_DELAY
    assert all(retry.MAX_DELAY / 2 <= retry.delay(attempt) <= retry.MAX_DELAY for attempt in (10, 20, 100))


def test_wait_gives_up_after_so_many_tries(monkeypatch):
    slept = []
    monkeypatch.setattr(time, 'sleep', slept.append)
    db = engine.Database('mysql://u:p@127.0.0.1:1/nova', max_retries=0)
    with pytest.raises(exception.ServiceUnreachable):
        db.wait(2, 7)
    assert slept == [7, 7]
    db.close()


# ---- URLs ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('bad', ['', 'nonsense', 'oracle+nothing://x/y', 'sqlite://', 'sqlite:///:memory:',
                                 'sqlite:////proc/no/such/file'])
def test_a_bad_url_is_one_sentence(bad):
    with pytest.raises(exception.NovaException) as caught:
        engine.Database(bad)
    assert '\n' not in caught.value.message


@pytest.mark.parametrize('given, driver', [
    ('mysql://u@h/d', 'pymysql'), ('mariadb://u@h/d', 'pymysql'), ('postgresql://u@h/d', 'pg8000')])
def test_pure_python_drivers_are_the_default(given, driver):
    assert engine.Database(given).engine.driver == driver
