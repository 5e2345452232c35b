# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a guest printed on its serial console."""

from nova_lite import exception
from nova_lite.virt import abilities


def get_console_output(tools, ctxt, instance, tail_length=None):
    """The console log as text, newest last; `tail_length`: only that many last lines.

    :raises ConsoleLogNotFound: there is none, or the driver keeps none; InstanceNotReady: the guest is not there (yet)
    """
    if not isinstance(tools.driver, abilities.ConsoleLog):
        raise exception.ConsoleLogNotFound(instance_id=instance.uuid)
    try:
        output = tools.driver.get_console_output(ctxt, instance)
    except exception.InstanceNotFound as exc:
        raise exception.InstanceNotReady(instance_id=instance.uuid) from exc
    text = output.decode('utf-8', 'replace')
    if tail_length is None or tail_length < 0:
        return text
    return ''.join(text.splitlines(keepends=True)[-tail_length:]) if tail_length else ''
