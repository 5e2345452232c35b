# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""From what went wrong on a host to the fault that the server shows, and whether another host may do better."""

import traceback

from nova_lite import exception
from nova_lite.objects import base
from nova_lite.objects import instance as instance_obj

CODE = 500
MESSAGE_LENGTH = 255                            # characters, as clients know it
DETAILS_LENGTH, SUMMARY_LENGTH = 8192, 1024     # of a longer text the end stays, where the reason is

# The request itself cannot be met, wherever it is tried. Everything else may be this host's own trouble.
_FINAL = (exception.Invalid, exception.Forbidden, exception.NotFound, exception.Conflict, exception.BuildAbort,
          exception.ImageUnacceptable, exception.ImageChecksumMismatch, exception.NoMoreFixedIps,
          exception.VirtualInterfaceCreateException, exception.VolumeNotCreated, exception.VolumeUnsupported)


def may_reschedule(exc):
    """Whether another host may succeed where this one failed with `exc`."""
    return not isinstance(exc, _FINAL)


def message(exc):
    """What the owner may read: our own sentences, and of anything else only what kind of error it was."""
    return (exc.message if isinstance(exc, exception.NovaException) else type(exc).__name__)[:MESSAGE_LENGTH]


def details(exc, host, step):
    """What an admin reads: the step, the host, the text and the traceback."""
    text = 'Step %s on host %s: %s: %s\n' % (step, host, type(exc).__name__, str(exc)[-SUMMARY_LENGTH:])
    return text + ''.join(traceback.format_exception(exc))[len(text) - DETAILS_LENGTH:]


def from_exception(exc, host, step):
    """The InstanceFault of an exception that `step` on `host` ended with."""
    return instance_obj.InstanceFault(code=CODE, message=message(exc), details=details(exc, host, step), host=host,
                                      created_at=base.utcnow())
