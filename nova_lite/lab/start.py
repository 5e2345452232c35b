# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Starts a cloud: configuration, message broker, database, services, first server. Runs in the virtualenv.

What does not depend on each other runs at the same time.
"""

import concurrent.futures
import fcntl
import shutil
import socket
import subprocess
import sys
import time

from nova_lite.lab import config
from nova_lite.lab import endpoints
from nova_lite.lab import errors
from nova_lite.lab import firstboot
from nova_lite.lab import image as images
from nova_lite.lab import kvm
from nova_lite.lab import layout as layouts
from nova_lite.lab import libvirtd
from nova_lite.lab import login
from nova_lite.lab import novnc
from nova_lite.lab import options as lab_options
from nova_lite.lab import preflight
from nova_lite.lab import processes
from nova_lite.lab import progress
from nova_lite.lab import rabbit
from nova_lite.lab import secrets
from nova_lite.lab import services
from nova_lite.lab import supervision
from nova_lite.lab import systemd
from nova_lite.lab import wait

SERVICES = ("rabbitmq", "nova-lite-standins", "nova-conductor", "nova-scheduler", "nova-api", "nova-compute")


def main():
    """Exit code 0, or 1 with one line on standard error."""
    try:
        options, layout = lab_options.parse_stack(sys.argv[1:])
        with open(layout.run / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as exc:
                raise errors.LabError("another stack.sh or unstack.sh works on this cloud") from exc
            Start(login.resolve(options), layout).run()
    except (errors.LabError, OSError, subprocess.SubprocessError) as exc:
        sys.exit(f"stack.sh: {exc}")
    except KeyboardInterrupt:
        sys.exit("\nstack.sh: interrupted; run it again, it goes on from here")


class Start:
    """One run of stack.sh on one cloud."""

    def __init__(self, options, layout):
        self._options = options
        self._layout = layout
        self._began = time.monotonic()
        self._real = options.virt == "libvirt"
        self._supervisor = supervisor(layout)
        self._keys = secrets.load(layout)
        host = socket.gethostname()
        hosts = [host] if options.hosts == 1 else [f"{host}-{number}" for number in range(1, options.hosts + 1)]
        self._endpoints = endpoints.Endpoints(layout, options, self._keys)
        self._services = [name for name in SERVICES if name != "nova-lite-standins" or self._endpoints.stand_ins]
        self._proxies = list(layouts.CONSOLES) if options.consoles else []
        self._services += self._proxies
        self._waiter = wait.Waiter(layout, self._keys, self._endpoints, hosts)

    def run(self):
        states = self._supervisor.status()
        if services.RUNNING in states.values():
            self._check_same()
            self._repair()
            return
        self._clear_leftovers()
        unused = self._endpoints.real.keys() | (set() if self._proxies else set(layouts.CONSOLES.values()))
        preflight.check_ports(self._layout, layouts.PORTS.keys() - unused)
        self._endpoints.check()
        rabbit.check_installed()
        lab_options.write_record(self._layout, self._options)
        image = self._prepare()
        self._start_nova()
        progress.say(f"\nAll services answer after {time.monotonic() - self._began:.1f} s.")
        boot = firstboot.boot(self._endpoints, image, real=self._real) if self._options.boot else None
        self._say_how_to_go_on(boot)

    def _check_same(self):
        """A running cloud stays what it is."""
        recorded = lab_options.DEFAULTS | lab_options.read_record(self._layout)
        for name in sorted(self._options.said):
            before = recorded[name] or None
            if (getattr(self._options, name) or None) != before:
                raise errors.LabError(f"this cloud runs with --{name} {before}: ./unstack.sh it first")

    def _repair(self):
        """Start what has died; change nothing else."""
        if self._real:
            libvirtd.ensure()
        dead = [name for name in self._services if not self._waiter.answers(name)]
        if not dead:
            progress.say("nova_lite is already running: all services answer, nothing was changed.")
        else:
            progress.say(f"nova_lite is already running, but for {', '.join(dead)}.")
            self._supervisor.start(dead)
            for name in dead:
                with progress.step(f"starting {name}"):
                    self._waiter.wait(name, self._supervisor)
        self._say_how_to_go_on(None)

    def _clear_leftovers(self):
        """End what an earlier life left, when somebody has killed its supervisor."""
        self._supervisor.stop()
        left = processes.of_cloud(self._layout)
        if left:
            with progress.step(f"ending {len(left)} processes of an earlier start"):
                if processes.end(left):
                    raise errors.LabError(f"processes of an earlier start do not end: {left}")

    def _prepare(self):
        """Everything up to the Nova services; returns the image to boot."""
        self._write_config("qemu")
        rabbit.prepare(self._layout, self._keys)
        if self._proxies:
            novnc.obtain(self._layout)
        self._supervisor.write(services.table(self._layout))
        self._supervisor.start([name for name in SERVICES[:2] if name in self._services])
        with concurrent.futures.ThreadPoolExecutor() as pool:
            jobs = [pool.submit(self._wait_broker), pool.submit(self._migrate)]
            if self._real:
                jobs += [pool.submit(self._libvirt), pool.submit(self._image)]
            results = [job.result() for job in jobs]
        if not self._real:
            return images.blank(self._layout)
        image, virt_type = results[-1]
        if virt_type == "qemu":
            progress.say("      KVM does not work here: guests run on QEMU's own CPU emulation (slower)")
        self._write_config(virt_type)
        return image

    def _write_config(self, virt_type):
        config.write_all(self._layout, self._options, self._keys, virt_type=virt_type)

    def _wait_broker(self):
        with progress.step(f"starting RabbitMQ (node {self._layout.rabbit_node})"):
            self._waiter.wait("rabbitmq", self._supervisor)

    def _migrate(self):
        log = self._layout.main_log
        with progress.step("bringing the database up to date"), open(log, "a") as output:
            done = subprocess.run(
                [*services.nova_program(self._layout, "nova-manage"), "db", "sync"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True)
            output.write(done.stderr)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise errors.LabError(f"nova-manage db sync: {lines[-1]} (see {log})")

    def _libvirt(self):
        with progress.step("libvirt"):
            libvirtd.ensure()

    def _image(self):
        """(image, virt_type)"""
        if images.cached(self._layout):
            image = images.obtain(self._layout)
        else:
            with progress.step("fetching or building the guest image"):
                image = images.obtain(self._layout)
        with progress.step("finding out whether KVM works"):
            return image, kvm.virt_type(self._layout, image.path)

    def _start_nova(self):
        self._layout.instances.mkdir(mode=0o755, exist_ok=True)
        with progress.step("starting the services"):
            # nova-compute's first words are for the conductor: said to nobody, they cost a time-out.
            self._supervisor.start(["nova-conductor", "nova-scheduler"])
            self._waiter.wait("nova-conductor", self._supervisor)
            self._supervisor.start(["nova-api", "nova-compute", *self._proxies])
            for name in self._services[1:]:
                self._waiter.wait(name, self._supervisor)

    def _say_how_to_go_on(self, boot):
        layout = self._layout
        where = f" --data-dir {layout.data_dir}" if layout.data_dir else ""
        where += f" --port-offset {layout.offset}" if layout.offset and not where else ""
        say = progress.say
        say(f"\nConfiguration and logins {layout.etc}, logs {layout.log}, guests' files {layout.instances}")
        say(f"  . {layout.etc}/openrc                         # user demo; openrc-admin for the admin")
        say(f"  export OS_CLIENT_CONFIG_FILE={layout.etc}/clouds.yaml   # clouds nova-lite, nova-lite-admin")
        if self._real:
            say("  virsh list --all")
        say(f"  {layout.state}/rabbitmqctl list_queues name messages consumers")
        say(f"  {self._supervisor.restart_hint('nova-compute')}")
        if boot:
            say("  # boot another server:")
            say(f"  curl -i {layout.url('compute', '/v2/' + boot['project'] + '/servers')} -X POST \\\n"
                '    -H "Accept: application/json" -H "Content-Type: application/json" \\\n'
                f'    -H "X-Auth-Token: {boot["token"]}" \\\n'
                f'    -d \'{{"server": {{"name": "second", "imageRef": "{boot["image"]}", "flavorRef": '
                f'"{boot["flavor"]}", "networks": [{{"uuid": "{boot["network"]}"}}]}}}}\'')
        say(f"  ./unstack.sh{where}                           # stop it all; --purge removes its files too")
        say(f"\nDone in {time.monotonic() - self._began:.1f} s.")


def supervisor(layout):
    """systemd where it is init and everything belongs to root, else a supervisord of our own."""
    if systemd.is_init() and not layout.data_dir and shutil.which("systemctl"):
        return systemd.Systemd(layout)
    return supervision.Supervisord(layout)


if __name__ == "__main__":
    main()
