# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a guest printed on its serial console, and where its consoles can be reached."""

from nova_lite import exception
from nova_lite.objects import console
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


def get_console(tools, instance, kind, console_type):
    """Where a guest's console of a kind (see objects/console.py) is, and the URL by which users reach its proxy.

    :raises ConsoleTypeInvalid: that kind has no such type; ConsoleTypeUnavailable: guests here have none of that kind;
        InstanceNotReady: the guest does not run
    """
    base = tools.settings.console_urls.get(kind)
    if base is None or not isinstance(tools.driver, abilities.Consoles):
        raise exception.ConsoleTypeUnavailable(console_type=console_type)
    if console_type != console.TYPES[kind]:
        raise exception.ConsoleTypeInvalid(console_type=console_type)
    try:
        host, port = tools.driver.get_console(instance, kind)
    except (exception.InstanceNotFound, exception.InstanceNotRunning) as exc:
        raise exception.InstanceNotReady(instance_id=instance.uuid) from exc
    return {'host': host, 'port': port, 'internal_access_path': None, 'access_url_base': base}


def has_port(tools, instance, port, console_type):
    """Whether a port is that of a guest's console of a type now: another guest may have got it meanwhile."""
    for kind, name in console.TYPES.items():
        if name == console_type:
            try:
                return get_console(tools, instance, kind, console_type)['port'] == port
            except (exception.Conflict, exception.Invalid):
                return False
    return False
