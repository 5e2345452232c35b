# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-manage db: the schema, and the rows of what was deleted."""

import sys

from nova_lite.cmd import manage_arguments as arguments
from nova_lite.db import archive
from nova_lite.db import engine
from nova_lite.db import migration

NOTHING_TO_DO, NOTHING_PURGED, NO_CHOICE = 0, 3, 1


def sync(conf, args):
    """Bring the schema to the version of this program."""
    migration.sync(engine.from_conf(conf))


def version(conf, args):
    """Print the version of the schema."""
    print(migration.version(engine.from_conf(conf)) or 'none')


def archive_deleted_rows(conf, args):
    """Move the rows of deleted servers to the shadow table. Exits with 1 when it moved some, with 0 when there were
    none."""
    db = _database(conf)
    moved, again = {}, True
    while again:
        batch = archive.archive(db, args.max_rows, args.before)
        for name, count in batch.items():
            moved[name] = moved.get(name, 0) + count
        again = args.until_complete and batch
    if args.verbose and moved:
        arguments.print_table(['Table', 'Number of Rows Archived'], sorted(moved.items()))
    elif args.verbose:
        print('Nothing was archived.')
    if args.purge and moved:
        _print_purged(archive.purge(db, args.before), args.verbose)
    return int(bool(moved))


def purge(conf, args):
    """Delete archived rows for good. Exits with 3 when there were none."""
    if args.before is None and not args.all:
        print('Either --before or --all must be provided', file=sys.stderr)
        return NO_CHOICE
    deleted = archive.purge(_database(conf), args.before)
    _print_purged(deleted, args.verbose)
    return None if deleted else NOTHING_PURGED


def _print_purged(deleted, verbose):
    if verbose and deleted:
        arguments.print_table(['Table', 'Number of Rows Deleted'], deleted.items())
    elif verbose:
        print('Nothing was purged.')


def _database(conf):
    """The Database, which has to have this program's schema."""
    db = engine.from_conf(conf)
    migration.check(db)
    return db


_BEFORE = arguments.argument(
    '--before', type=arguments.time, metavar='DATE',
    help='only of servers that were deleted before this time (UTC, like 2026-01-31 or 2026-01-31T12:00:00)')
_VERBOSE = arguments.switch('--verbose', help='print how many rows of each table it were')
_CELLS = arguments.switch('--all-cells', help='accepted for the sake of scripts: there is one database')
_SCHEMA = {'sync': (sync, ()), 'version': (version, ())}

NOUNS = {
    'db': {
        **_SCHEMA,
        'archive_deleted_rows': (archive_deleted_rows, (
            arguments.argument('--max_rows', type=arguments.positive, default=1000, metavar='NUMBER',
                               help='how many rows at once; 1000 unless said'),
            _BEFORE,
            arguments.switch('--until-complete', help='go on until nothing is left to archive'),
            arguments.switch('--purge', help='delete what is archived for good afterwards'),
            _VERBOSE, _CELLS)),
        'purge': (purge, (arguments.switch('--all', help='all archived rows'), _BEFORE, _VERBOSE, _CELLS)),
    },
    # Nova keeps some tables in a second database, which deployment scripts bring up to date too.
    'api_db': _SCHEMA,
}
