# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where everything of one cloud is: its directories, ports and the names it gives to things of the machine."""

import dataclasses
import pathlib
import sys

PORTS = {
    "identity": 5000, "compute": 8774, "metadata": 8775, "volume": 8776, "placement": 8778,
    "image": 9292, "network": 9696, "amqp": 5682, "amqp-distribution": 25682, "novnc": 6080, "serial": 6083,
}
CONSOLES = {"nova-novncproxy": "novnc", "nova-serialproxy": "serial"}   # proxies, and the names of their ports
MAX_OFFSET = 65535 - max(PORTS.values())
CLONE = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Layout:
    """The places of one cloud. `offset` is added to every port and tells its names from another cloud's."""

    etc: pathlib.Path
    state: pathlib.Path
    log: pathlib.Path
    offset: int = 0
    data_dir: pathlib.Path | None = None

    def port(self, name):
        return PORTS[name] + self.offset

    def url(self, name, path=""):
        return f"http://127.0.0.1:{self.port(name)}{path}"

    @property
    def suffix(self):
        """What distinguishes this cloud's names on the machine: nothing, or `-N` for port offset N."""
        return f"-{self.offset}" if self.offset else ""

    @property
    def rabbit_node(self):
        return f"nova_lite{self.suffix.replace('-', '_')}@localhost"

    @property
    def unit_prefix(self):
        return f"nova-lite{self.suffix}-"

    @property
    def record(self):
        """The file that says how this cloud was made, for later runs of stack.sh and unstack.sh."""
        return self.state / "cloud.json"

    @property
    def instances(self):
        return self.state / "instances"

    @property
    def run(self):
        return self.state / "run"

    @property
    def nova_conf(self):
        return self.etc / "nova.conf"

    @property
    def nova_conf_d(self):
        """Where a person keeps options of one's own, in files that end in .conf."""
        return self.etc / "nova.conf.d"

    @property
    def standins_conf(self):
        return self.etc / "standins.conf"

    @property
    def novnc(self):
        """Where the files of noVNC are, unless the machine has them."""
        return self.state / "novnc"

    @property
    def main_log(self):
        return self.log / "stack.log"


def default(offset=0):
    """The fixed places; a second cloud (offset N) has `-N` behind each."""
    tail = f"-{offset}" if offset else ""
    return Layout(etc=pathlib.Path(f"/etc/nova{tail}"), state=pathlib.Path(f"/var/lib/nova{tail}"),
                  log=pathlib.Path(f"/var/log/nova{tail}"), offset=offset)


def under(data_dir, offset=0):
    """The places of a cloud that lives in one directory."""
    top = pathlib.Path(data_dir).expanduser().resolve()
    return Layout(etc=top / "etc", state=top / "state", log=top / "log", offset=offset, data_dir=top)


def script(name):
    """Path of a program of the virtualenv that runs this code."""
    return str(pathlib.Path(sys.prefix) / "bin" / name)
