# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The migrations lead to the tables of models.py, also when several run at once."""

import multiprocessing

import pytest
import sqlalchemy as sa
from alembic import autogenerate
from alembic.runtime import migration as alembic_migration

from nova_lite import exception
from nova_lite.db import engine
from nova_lite.db import flavors
from nova_lite.db import migration
from nova_lite.db import models

SEEDS = {'42': ('m1.nano', 128, 1, 1), '84': ('m1.micro', 192, 1, 1), '1': ('m1.tiny', 512, 1, 1),
         '2': ('m1.small', 2048, 1, 20), '3': ('m1.medium', 4096, 2, 40), '4': ('m1.large', 8192, 4, 80),
         '5': ('m1.xlarge', 16384, 8, 160)}


@pytest.fixture
def empty(url):
    """A Database without any table."""
    db = engine.Database(url)

    def drop(connection):
        found = sa.MetaData()
        found.reflect(connection)
        found.drop_all(connection)
    db.write(drop)
    yield db
    migration.sync(db)
    db.close()


def sync(url):
    db = engine.Database(url)
    migration.sync(db)
    db.close()


def test_migrations_lead_to_the_models(db):
    def differences(connection):
        context = alembic_migration.MigrationContext.configure(connection, opts={'compare_type': True})
        return autogenerate.compare_metadata(context, models.metadata)
    assert db.read(differences) == []


def test_an_empty_database_is_told_from_a_current_one(empty):
    assert migration.version(empty) is None
    with pytest.raises(exception.NovaException, match='nova-manage db sync'):
        migration.check(empty)
    assert migration.sync(empty) == migration.head()
    migration.check(empty)


def test_the_flavors_are_there_and_a_second_sync_changes_nothing(db):
    for _ in range(2):
        found = {flavor.flavorid: (flavor.name, flavor.memory_mb, flavor.vcpus, flavor.root_gb)
                 for flavor in flavors.list_(db)}
        assert found == SEEDS
        assert migration.sync(db) == migration.head()


def test_parallel_upgrades_do_the_work_once(empty, url):
    workers = [multiprocessing.get_context('fork').Process(target=sync, args=[url]) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(flavors.list_(empty)) == len(SEEDS)
