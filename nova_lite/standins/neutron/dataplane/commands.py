# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one place that starts system commands (ip, nft, dnsmasq): argument lists, never a shell, always a time limit."""

import os
import subprocess

SECONDS = 10
SYSTEM_PATH = '/usr/local/sbin:/usr/sbin:/sbin'  # a supervisor's PATH often lacks these


class CommandError(OSError):
    """A command was not there, took too long or failed. The text is one line for the log."""


def run(*arguments, stdin=None, seconds=SECONDS):
    """Run a command and return what it printed. `stdin` is a text for its standard input, or a socket that is it.

    Raises CommandError.
    """
    environment = dict(os.environ, LC_ALL='C', PATH=os.environ.get('PATH', os.defpath) + ':' + SYSTEM_PATH)
    source = {'stdin': subprocess.DEVNULL} if stdin is None else (
        {'input': stdin} if isinstance(stdin, str) else {'stdin': stdin})
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=seconds, env=environment,
                              check=False, **source)
    except FileNotFoundError:
        raise CommandError('%s is not installed' % arguments[0]) from None
    except subprocess.TimeoutExpired:
        raise CommandError('"%s" took longer than %d s' % (' '.join(arguments), seconds)) from None
    if done.returncode:
        reason = ' '.join(done.stderr.split())[:300] or 'exit status %d' % done.returncode
        raise CommandError('"%s" failed: %s' % (' '.join(arguments), reason))
    return done.stdout
