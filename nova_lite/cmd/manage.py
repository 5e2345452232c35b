# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-manage: what an administrator does to the cloud from within: database, Placement's records, left-overs.

The commands are in the tables of the modules `manage_*`. Each is a function of the configuration and of its own
arguments, and returns an exit code; None is 0. The codes are Nova's; 255 says that the command could not be run.
"""

import logging
import sys

from oslo_config import cfg

from nova_lite import exception
from nova_lite.cmd import launch
from nova_lite.cmd import manage_audit
from nova_lite.cmd import manage_db
from nova_lite.cmd import manage_services

NOUNS = {**manage_db.NOUNS, **manage_services.NOUNS, **manage_audit.NOUNS}
WITHOUT_VERB = manage_audit.AUDIT

FAILED = 255


def _add_commands(parsers):
    for noun, verbs in NOUNS.items():
        actions = parsers.add_parser(noun).add_subparsers(dest='verb', metavar='{%s}' % ','.join(verbs), required=True)
        for verb, command in verbs.items():
            _add_command(actions, verb, *command)
    for name, command in WITHOUT_VERB.items():
        _add_command(parsers, name, *command)


def _add_command(parsers, name, function, arguments):
    parser = parsers.add_parser(name, help=function.__doc__, description=function.__doc__)
    parser.set_defaults(function=function)
    for names, details in arguments:
        parser.add_argument(*names, **details)


def main(argv=None):
    """Run one command; exit with one line for what a user can mend."""
    cfg.CONF.register_cli_opt(cfg.SubCommandOpt('noun', title='commands', handler=_add_commands))
    conf = launch.prepare('nova-manage', argv)
    logging.getLogger('alembic').setLevel(logging.WARNING)
    try:
        sys.exit(conf.noun.function(conf, conf.noun))
    except exception.NovaException as exc:
        print('nova-manage: %s' % exc, file=sys.stderr)
        sys.exit(FAILED)


if __name__ == '__main__':
    main()
