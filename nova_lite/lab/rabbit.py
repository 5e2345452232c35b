# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A RabbitMQ node of the cloud's own, beside whatever RabbitMQ the machine runs: own name, ports, data and user.

Everything it listens on is bound to the loopback interface. The first start makes the one user, so the well-known
user guest never exists.
"""

import os
import pathlib
import pwd
import shutil
import socket

from nova_lite.lab import errors
from nova_lite.lab import secrets

SCRIPTS = pathlib.Path("/usr/lib/rabbitmq/bin")
SYSTEM_COOKIE = pathlib.Path("/var/lib/rabbitmq/.erlang.cookie")
SYSTEM_USER = "rabbitmq"
EPMD_PORT = 4369
# Few schedulers that do not spin while idle: a lab's broker has little to do.
ERLANG_ARGUMENTS = "+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}"


def installed():
    return (SCRIPTS / "rabbitmq-server").exists()


def node_user(layout):
    """The user that the node runs as: RabbitMQ's own where we are root and it can reach the data, else ourselves."""
    own = pwd.getpwuid(os.getuid()).pw_name
    if os.getuid() or not _has_user(SYSTEM_USER):
        return own
    open_to_all = all(folder.stat().st_mode & 0o001 for folder in (layout.state, *layout.state.parents))
    return SYSTEM_USER if open_to_all else own


def environment(layout):
    """The environment of the node, and of rabbitmqctl when it is called by hand."""
    home = layout.state / "rabbitmq"
    return {
        "HOME": str(home), "LANG": "C.UTF-8",
        "RABBITMQ_NODENAME": layout.rabbit_node,
        "RABBITMQ_DIST_PORT": str(layout.port("amqp-distribution")),
        "RABBITMQ_MNESIA_BASE": str(home / "mnesia"),
        "RABBITMQ_LOG_BASE": str(home / "log"), "RABBITMQ_LOGS": "-",
        "RABBITMQ_CONFIG_FILE": str(layout.etc / "rabbitmq.conf"),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(home / "advanced.config"),
        "RABBITMQ_GENERATED_CONFIG_DIR": str(home / "generated"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "enabled_plugins"),
        "RABBITMQ_PID_FILE": str(home / "pid"),
        # The machine-wide settings are for the machine's own node.
        "RABBITMQ_CONF_ENV_FILE": str(home / "rabbitmq-env.conf"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": ERLANG_ARGUMENTS,
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }


def prepare(layout, keys):
    """Write what the node needs before it starts, owned by the user that it runs as."""
    user = node_user(layout)
    home = layout.state / "rabbitmq"
    for folder in (home, home / "mnesia", home / "log", home / "generated"):
        folder.mkdir(mode=0o750, exist_ok=True)
    (home / "enabled_plugins").write_text("[].\n")
    (home / "rabbitmq-env.conf").write_text("")
    secrets.write_private(home / ".erlang.cookie", _cookie(keys))
    (home / ".erlang.cookie").chmod(0o400)
    secrets.write_private(layout.etc / "rabbitmq.conf", _conf(layout, keys))
    _write_control(layout, user)
    if user != pwd.getpwuid(os.getuid()).pw_name:
        for path in (home, *home.rglob("*"), layout.etc / "rabbitmq.conf"):
            shutil.chown(path, user, user)


def answers(layout):
    """Whether the broker speaks AMQP: it answers the protocol header with a method frame on channel 0."""
    try:
        with socket.create_connection(("127.0.0.1", layout.port("amqp")), timeout=2) as connection:
            connection.sendall(b"AMQP\x00\x00\x09\x01")
            return connection.recv(3) == b"\x01\x00\x00"
    except OSError:
        return False


def _conf(layout, keys):
    return f"""# Written by stack.sh. The user below is made when the node starts with an empty database.
listeners.tcp.local = 127.0.0.1:{layout.port('amqp')}
default_user = nova_lite
default_pass = {keys['rabbit_password']}
default_user_tags.administrator = true
vm_memory_high_watermark.relative = 0.2
disk_free_limit.absolute = 100MB
log.console = true
log.console.level = info
"""


def _cookie(keys):
    """The cookie that rabbitmqctl of this machine's root uses, so that it may talk to this node too."""
    if os.getuid() == 0 and SYSTEM_COOKIE.exists():
        return SYSTEM_COOKIE.read_text().strip()
    return keys["rabbit_cookie"]


def _write_control(layout, user):
    """A rabbitmqctl for this node that works for whoever started the cloud: `<state>/rabbitmqctl list_queues`."""
    values = {name: value for name, value in environment(layout).items()
              if name in ("HOME", "LANG", "RABBITMQ_NODENAME", "RABBITMQ_CONF_ENV_FILE", "ERL_EPMD_ADDRESS")}
    settings = " ".join(f"'{name}={value}'" for name, value in values.items())
    become = f"runuser -u {user} -- " if user != pwd.getpwuid(os.getuid()).pw_name else ""
    path = layout.state / "rabbitmqctl"
    path.write_text(f"#!/bin/sh\n# rabbitmqctl for the node of this cloud.\ncd / && exec {become}env {settings} "
                    f"{SCRIPTS / 'rabbitmqctl'} \"$@\"\n")
    path.chmod(0o755)


def _has_user(user):
    try:
        pwd.getpwnam(user)
        return True
    except KeyError:
        return False


def check_installed():
    """Raise LabError when RabbitMQ is not there."""
    if not installed():
        raise errors.LabError("RabbitMQ is not installed: apt-get install rabbitmq-server (as root), then try again")
