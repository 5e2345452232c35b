# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the files that are generated from the code: `doc/states.md` and `etc/nova/nova.conf.sample`.

`python -m tests.generate` writes them; tests/unit/test_generated.py fails when they differ from the code.
"""

import io
import pathlib

from oslo_config import cfg
from oslo_config import generator

from nova_lite.compute import transitions

ROOT = pathlib.Path(__file__).parent.parent
STATES = ROOT / 'doc' / 'states.md'
SAMPLE = ROOT / 'etc' / 'nova' / 'nova.conf.sample'


def states():
    rows = ['| `%s` | %s |' % (event, row.why) for event, row in transitions.TRANSITIONS.items()]
    return '\n'.join([
        '# States of an instance', '',
        'Drawn from the table in `nova_lite/compute/transitions.py` by `tox -e generate`.', '',
        '```mermaid', transitions.diagram().rstrip(), '```', '',
        '| event | when |', '|---|---|', *rows, ''])


def sample():
    conf = cfg.ConfigOpts()
    generator.register_cli_opts(conf)
    conf(['--namespace', 'nova_lite'], default_config_files=[])
    text = io.StringIO()
    generator.generate(conf, output_file=text)
    return text.getvalue()


if __name__ == '__main__':
    STATES.write_text(states())
    SAMPLE.write_text(sample())
