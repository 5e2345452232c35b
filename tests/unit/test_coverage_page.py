# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""doc/coverage.md names tests: each of them has to be there."""

import pathlib
import re

TESTS = pathlib.Path(__file__).parents[1]
PAGE = TESTS.parent / 'doc' / 'coverage.md'


def test_every_test_that_the_page_names_is_there():
    named = re.findall(r'`([\w/]+\.py)::(\w+)`', PAGE.read_text())
    missing = [name for path, name in named if not (TESTS / path).exists()
               or not re.search(r'^def %s\(' % name, (TESTS / path).read_text(), re.MULTILINE)]
    assert len(named) > 50 and missing == []


def test_every_case_has_a_test():
    cases = PAGE.read_text().partition('## Known trouble')[2].splitlines()
    rows = [line for line in cases if line.startswith('|') and not re.match(r'\|(-|\s*(advisory|trouble)\s*\|)', line)]
    assert len(rows) > 30
    assert [row for row in rows if '::test_' not in row] == []
