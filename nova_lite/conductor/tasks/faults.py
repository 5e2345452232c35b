# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""From what went wrong in a conductor to the fault that the server shows."""

import traceback

from nova_lite import exception
from nova_lite.objects import instance as instance_obj

CODE = 500
DETAILS_LENGTH = 8192       # characters; of a longer text the end stays, where the reason is
_REMOTE = '_Remote'         # oslo.messaging's ending for the class of an exception that came over RPC


def from_exception(exc, host):
    """The InstanceFault of an exception: our own sentences for the owner, of others only the kind; all for admins."""
    ours = isinstance(exc, exception.NovaException)
    details = exc.kwargs.get('details') if ours else ''.join(traceback.format_exception(exc))[-DETAILS_LENGTH:]
    message = exc.message if ours else type(exc).__name__.removesuffix(_REMOTE)
    return instance_obj.InstanceFault(code=CODE, message=message, details=details, host=host)


def exhausted(last):
    """The fault of a build for which no host is left; `last` is the one of the host that failed last."""
    error = exception.MaxRetriesExceeded(reason=last.message)
    return instance_obj.InstanceFault(code=CODE, message=error.message, details=last.details, host=last.host)
