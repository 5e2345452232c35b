# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What stack.sh and unstack.sh run: `python3 -m nova_lite.lab stack|unstack OPTIONS`.

It runs on a bare Python. For `stack` it brings packages and a virtualenv, whose Python then runs `start.py`.
"""

import os
import subprocess
import sys

from nova_lite.lab import errors
from nova_lite.lab import options as lab_options
from nova_lite.lab import packages
from nova_lite.lab import preflight
from nova_lite.lab import teardown
from nova_lite.lab import virtualenv

PACKAGES_MIB = 2000


def main():
    """Exit code 0, or 1 with one line on standard error."""
    command, *arguments = sys.argv[1:] or [""]
    # libvirtd, nft and others live where not everybody's path leads.
    os.environ["PATH"] = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
    if command not in ("stack", "unstack"):
        sys.exit("usage: python3 -m nova_lite.lab stack|unstack [OPTIONS]")
    try:
        if command == "stack":
            stack(arguments)
        else:
            teardown.run(*lab_options.parse_unstack(arguments))
    except (errors.LabError, OSError, subprocess.SubprocessError) as exc:
        sys.exit(f"{command}.sh: {exc}")
    except KeyboardInterrupt:
        sys.exit(f"\n{command}.sh: interrupted; run it again, it goes on from here")


def stack(arguments):
    """Bring what is missing, then go on in the virtualenv."""
    options, layout = lab_options.parse_stack(arguments)
    # What is made here is open to read for the users that QEMU and RabbitMQ run as; secrets set their own mode.
    os.umask(0o022)
    preflight.check_user(options, layout)
    preflight.check_machine(options)
    missing = packages.needed(options.virt)
    preflight.check_disk(options, layout, extra_mib=PACKAGES_MIB if missing else 0)
    preflight.check_memory(options)
    preflight.check_ours(layout)
    preflight.check_reach(options, layout)
    preflight.make_directories(layout)
    if not layout.record.exists():
        lab_options.write_record(layout, options)
    packages.install(missing, layout.main_log)
    python = str(virtualenv.python(layout, virtualenv.extras(options), layout.main_log))
    sys.stdout.flush()
    os.environ.pop("PYTHONPATH", None)
    os.execv(python, [python, "-P", "-m", "nova_lite.lab.start", *arguments])


if __name__ == "__main__":
    main()
