#!/bin/sh
# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the tests need and runs them through tox: ./run_tests.sh [ENVIRONMENT…]
# Without a name all tests; else lint, unit, functional, system or perf. As root, or with sudo, where packages are missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case "${1-}" in
-h | --help)
    sed -n '5,6s/^# //p' "$0"
    exit 0
    ;;
esac

python=
for candidate in python3 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "run_tests.sh: Python 3.11 or newer is needed: apt-get install python3" >&2
    exit 1
fi

sudo=
if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then
    sudo=sudo
fi
# The virtual machines of the system tests, the broker of the functional ones, the build of libvirt-python of all.
$sudo env PYTHONPATH="$here" "$(command -v "$python")" -P -m nova_lite.lab.packages "$here/.tox/packages.log"

cd "$here"
if ! [ -x .tox/runner/bin/tox ]; then
    echo "  ..  installing tox"
    mkdir -p .tox
    rm -rf .tox/runner
    "$python" -m venv .tox/runner
    .tox/runner/bin/pip install --quiet --disable-pip-version-check 'tox>=4.11'
fi
if [ $# = 0 ]; then
    set -- all
fi
failed=
for environment in "$@"; do
    echo "== $environment"
    .tox/runner/bin/tox run -e "$environment" || failed="$failed $environment"
done
if [ -n "$failed" ]; then
    echo "run_tests.sh: failed:$failed" >&2
    exit 1
fi
echo "run_tests.sh: passed: $*"
