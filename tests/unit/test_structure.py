# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The shape of the code: what a linter does not say. The limits are those of doc/architecture.md."""

import ast
import pathlib

import pytest

import nova_lite

ROOT = pathlib.Path(nova_lite.__path__[0])
FILES = sorted(ROOT.rglob('*.py'))
MODULES = [path for path in FILES if path.name != '__init__.py']
FILE_LINES = 600
FUNCTION_LINES = 60
STATES = ('task_state', 'vm_state')
GRAB_BAGS = {'utils.py', 'common.py', 'helpers.py', 'misc.py'}
HEADER = '# Copyright 2026 The nova_lite authors\n# SPDX-License-Identifier: Apache-2.0\n'


def name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize('path', MODULES, ids=name)
def test_module(path):
    text = path.read_text()
    tree = ast.parse(text)
    assert text.startswith(HEADER)
    assert ast.get_docstring(tree), 'a module says what it is for'
    assert len(text.splitlines()) <= FILE_LINES
    too_long = ['%s (%d lines)' % (node.name, node.end_lineno - node.lineno + 1) for node in ast.walk(tree)
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                and node.end_lineno - node.lineno + 1 > FUNCTION_LINES]
    assert not too_long


def test_packages_are_empty_and_there_are_no_grab_bags():
    assert [name(path) for path in FILES if path.name == '__init__.py' and path.read_text()] == []
    assert [name(path) for path in FILES if path.name in GRAB_BAGS] == []


def test_one_module_runs_qemu_img():
    callers = [name(path) for path in MODULES if "'qemu-img'" in path.read_text()]
    assert set(callers) <= {'virt/images.py', 'standins/cinder/qemu.py', 'lab/image.py', 'lab/packages.py'}


def test_no_shell():
    assert [name(path) for path in MODULES
            if 'shell=True' in path.read_text() or 'os.system(' in path.read_text()] == []


def test_task_state_is_assigned_through_the_transition_table_only():
    offenders = []
    for path in MODULES:
        if name(path).startswith(('standins/', 'db/', 'objects/', 'lab/')):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if any(isinstance(target, ast.Attribute) and target.attr in STATES for target in targets):
                offenders.append('%s:%d' % (name(path), node.lineno))
    assert offenders == []


def test_no_test_imports_a_command():
    """A command patches the standard library as it is imported, and the test runner with it: run it in a process."""
    unit = ROOT.parent / 'tests' / 'unit'
    importers = [str(path.relative_to(unit)) for path in unit.rglob('*.py') for node in ast.parse(
        path.read_text()).body if isinstance(node, (ast.Import, ast.ImportFrom))
        and 'nova_lite.cmd' in ast.unparse(node)]
    assert importers == []
