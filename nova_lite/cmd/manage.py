# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-manage: what an administrator does to the database directly."""

import logging
import sys

from oslo_config import cfg

from nova_lite import exception
from nova_lite.cmd import launch
from nova_lite.db import engine
from nova_lite.db import migration
from nova_lite.db import services


def sync(conf):
    """Bring the schema to the version of this program."""
    migration.sync(engine.from_conf(conf))


def version(conf):
    """Print the version of the schema."""
    print(migration.version(engine.from_conf(conf)) or 'none')


def service_list(conf):
    """Print the services and whether they are up."""
    lines = [('Binary', 'Host', 'Status', 'State', 'Last seen')]
    for service in services.list_(engine.from_conf(conf)):
        lines.append((service.binary, service.host, 'disabled' if service.disabled else 'enabled',
                      'up' if service.up else 'down', str(service.last_seen_up or '').partition('.')[0]))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print('  '.join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


COMMANDS = {'db': {'sync': sync, 'version': version}, 'service': {'list': service_list}}


def _add_commands(parsers):
    for noun, verbs in COMMANDS.items():
        actions = parsers.add_parser(noun).add_subparsers(dest='verb', metavar='{%s}' % ','.join(verbs), required=True)
        for verb, function in verbs.items():
            actions.add_parser(verb, help=function.__doc__, description=function.__doc__)


def main(argv=None):
    """Run one command; exit with one line for what a user can mend."""
    cfg.CONF.register_cli_opt(cfg.SubCommandOpt('noun', title='commands', handler=_add_commands))
    conf = launch.prepare('nova-manage', argv)
    logging.getLogger('alembic').setLevel(logging.WARNING)
    try:
        COMMANDS[conf.noun.name][conf.noun.verb](conf)
    except exception.NovaException as exc:
        sys.exit('nova-manage: %s' % exc)


if __name__ == '__main__':
    main()
