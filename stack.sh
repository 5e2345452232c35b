#!/bin/sh
# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
#
# Starts a whole nova_lite cloud on this machine and boots a first server: ./stack.sh --help
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for python in python3 python3.13 python3.12 python3.11; do
    if command -v "$python" >/dev/null && "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        PYTHONPATH=$here exec "$python" -P -m nova_lite.lab stack "$@"
    fi
done
echo "stack.sh: Python 3.11 or newer is needed: apt-get install python3" >&2
exit 1
