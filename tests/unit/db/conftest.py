# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A database for each test: a new SQLite file, or the one that NOVA_LITE_TEST_DATABASE names, emptied.

`tests/functional/test_databases.py` runs these tests with it on MariaDB and PostgreSQL.
"""

import os
import shutil

import pytest
import sqlalchemy as sa

from nova_lite.db import engine
from nova_lite.db import migration
from nova_lite.db import models
from tests.fixtures import records

URL = os.environ.get('NOVA_LITE_TEST_DATABASE')
SEEDED = ('1', '2', '3', '4', '5', '42', '84')


@pytest.fixture(scope='session')
def template(tmp_path_factory):
    """An SQLite file with the schema, to copy; None where another database is tested."""
    if URL:
        db = engine.Database(URL)
        migration.sync(db)
        db.close()
        return None
    directory = tmp_path_factory.mktemp('template')
    records.database(directory).close()     # closing writes the log back, so that the one file is all
    return directory / 'nova.sqlite'


@pytest.fixture
def url(template, tmp_path):
    """The URL of an empty database with the schema and the flavors."""
    if URL:
        db = engine.Database(URL)
        db.write(_empty)
        db.close()
        return URL
    shutil.copy(template, tmp_path / 'nova.sqlite')
    return 'sqlite:///%s' % (tmp_path / 'nova.sqlite')


def _empty(connection):
    for table in models.metadata.sorted_tables:
        keep = table.c.flavorid.not_in(SEEDED) if table is models.flavors else sa.true()
        connection.execute(sa.delete(table).where(keep))


@pytest.fixture
def db(url):
    database = engine.Database(url)
    yield database
    database.close()


@pytest.fixture
def clock():
    return records.Clock()


@pytest.fixture
def clocked(url, clock):
    """A Database whose clock the test turns."""
    database = engine.Database(url, clock=clock)
    yield database
    database.close()


@pytest.fixture
def sqlite_only():
    if URL:
        pytest.skip('about SQLite')


@pytest.fixture
def ctxt():
    return records.user_context()


@pytest.fixture
def instance(db, ctxt):
    """A new instance, building and scheduling."""
    return records.created(db, ctxt)


@pytest.fixture
def on_host(db, ctxt):
    """on_host(host) → a new instance that `host` has begun to build."""
    return lambda host='host1': records.building(db, ctxt, host)
