# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The options of stack.sh and unstack.sh, and the record of how a cloud was made.

What is not said on the command line is as it was the last time, so `stack.sh --data-dir DIR` starts again
whatever cloud is in DIR.
"""

import argparse
import dataclasses
import json
import os
import re
import urllib.parse

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts

# The services that may be real, with the version that their URLs may end in.
REAL = {"identity": "/v3", "image": "/v2", "network": "/v2.0", "volume": "/v3", "placement": ""}
DEFAULTS = {"virt": "libvirt", "hosts": 1, "database": None, "consoles": False, "port_offset": 0, **dict.fromkeys(REAL),
            "cloud": None, "login": None}


@dataclasses.dataclass(frozen=True)
class Options:
    """How a cloud is made; `said` names the options that the command line gave."""

    virt: str = "libvirt"
    hosts: int = 1
    database: str | None = None
    consoles: bool = False
    port_offset: int = 0
    identity: str | None = None     # URLs, without version, of real services; None or "" for the stand-in
    image: str | None = None
    network: str | None = None
    volume: str | None = None
    placement: str | None = None
    cloud: str | None = None        # where in a clouds.yaml the login is
    login: dict | None = None       # at the real Keystone: see login.resolve
    boot: bool = True
    said: frozenset = frozenset()


def parse_stack(argv):
    """(Options, Layout) of a stack.sh command line; exits with a usage message on a wrong one."""
    parser = argparse.ArgumentParser(
        prog="stack.sh", allow_abbrev=False,
        description="Starts a whole nova_lite cloud on this machine and boots a first server in it.")
    parser.add_argument("--virt", choices=["libvirt", "fake"],
                        help="libvirt (the default): real virtual machines, needs root. fake: none, needs neither "
                             "root nor libvirt.")
    parser.add_argument("--hosts", type=_count, metavar="N", help="with --virt fake: number of compute hosts")
    parser.add_argument("--database", metavar="URL",
                        help="SQLAlchemy URL of an empty or earlier database of Nova's; without it SQLite")
    parser.add_argument("--consoles", action=argparse.BooleanOptionalAction,
                        help="screens and serial lines of servers, with proxies that users open them by")
    parser.add_argument("--no-boot", action="store_true", help="start the services only, boot no first server")
    for name in REAL:
        parser.add_argument(f"--{name}", type=_url, metavar="URL",
                            help=f"a real {name} service in place of the stand-in; `standin` goes back to that")
    parser.add_argument("--cloud", metavar="NAME",
                        help="with --identity: the cloud in a clouds.yaml whose login Nova uses; without it the "
                             "environment's OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME and so on")
    _add_places(parser)
    given = parser.parse_args(argv)
    layout, recorded = _place(parser, given)
    said = {name: getattr(given, name) for name in ("virt", "hosts", "database", "consoles", "cloud")
            if getattr(given, name) is not None}
    said |= {name: _without_version(getattr(given, name), REAL[name]) for name in REAL
             if getattr(given, name) is not None}
    merged = DEFAULTS | recorded | said | {"port_offset": layout.offset}
    if merged["virt"] != "fake" and merged["hosts"] != 1:
        if "hosts" in said:
            parser.error("--hosts goes with --virt fake")
        merged["hosts"] = 1
    if given.cloud and not merged["identity"]:
        parser.error("--cloud goes with --identity")
    return Options(**merged, boot=not given.no_boot, said=frozenset(said)), layout


def parse_unstack(argv):
    """(Layout, purge) of an unstack.sh command line."""
    parser = argparse.ArgumentParser(prog="unstack.sh", allow_abbrev=False,
                                     description="Stops a cloud that stack.sh started and takes away what it made.")
    parser.add_argument("--purge", action="store_true",
                        help="remove its configuration, state (disks and database too) and logs as well")
    _add_places(parser)
    given = parser.parse_args(argv)
    layout, _ = _place(parser, given)
    return layout, given.purge


def write_record(layout, options):
    """Remember `options` for later runs; the file may hold a database password, so only its owner reads it."""
    values = {name: getattr(options, name) for name in DEFAULTS}
    temporary = layout.record.with_suffix(".new")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
        json.dump(values, handle, indent=1)
    temporary.replace(layout.record)


def read_record(layout):
    """The recorded options, {} when there is no record."""
    try:
        values = json.loads(layout.record.read_text())
        return {name: values[name] for name in DEFAULTS if name in values}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as exc:
        raise errors.LabError(f"{layout.record} cannot be read ({exc}): mend or remove it") from exc


def _add_places(parser):
    parser.add_argument("--data-dir", metavar="DIR",
                        help="keep configuration, state and logs in DIR/etc, DIR/state and DIR/log instead of "
                             "/etc/nova, /var/lib/nova and /var/log/nova")
    parser.add_argument("--port-offset", type=_offset, metavar="N",
                        help="add N to every port: a second cloud beside the first (without --data-dir its places "
                             "are /etc/nova-N, /var/lib/nova-N and /var/log/nova-N)")


def _place(parser, given):
    """The layout that the options name, and the record found there."""
    if given.data_dir is None:
        layout = layouts.default(given.port_offset or 0)
        return layout, read_record(layout)
    layout = layouts.under(given.data_dir, given.port_offset or 0)
    if re.search(r"[^A-Za-z0-9/._+@,=~-]", str(layout.data_dir)):
        parser.error(f"the path {layout.data_dir} has characters that not every service's configuration can hold: "
                     "use letters, digits and . _ + @ , = ~ - only")
    recorded = read_record(layout)
    before = recorded.get("port_offset", layout.offset)
    if given.port_offset is not None and given.port_offset != before:
        parser.error(f"the cloud in {layout.data_dir} has port offset {before}; unstack.sh --purge it first")
    return dataclasses.replace(layout, offset=before), recorded


def _url(text):
    """A URL, or "" for the word standin."""
    if text == "standin":
        return ""
    parts = urllib.parse.urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or re.search(r"\s", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no URL of a service, like http://HOST:PORT")
    return text


def _without_version(url, version):
    url = url.rstrip("/")
    return url.removesuffix(version).rstrip("/")


def _count(text):
    number = int(text)
    if not 1 <= number <= 1000:
        raise argparse.ArgumentTypeError("a number from 1 to 1000")
    return number


def _offset(text):
    number = int(text)
    if not 0 <= number <= layouts.MAX_OFFSET:
        raise argparse.ArgumentTypeError(f"a number from 0 to {layouts.MAX_OFFSET}")
    return number
