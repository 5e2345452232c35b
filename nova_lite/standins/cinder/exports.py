# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How hosts reach volumes: the file itself on this host, an NBD export of it on any other.

An export is a qemu-nbd of its own, apart from this process, so guests keep their disks while the stand-ins restart.
The records say which volumes need one; `settle` makes that so, as often as it is called.
"""

import contextlib
import dataclasses
import logging
import os
import signal
import threading
import time

from nova_lite.standins import rest
from nova_lite.standins.cinder import qemu

LOG = logging.getLogger(__name__)

STOP_SECONDS = 5
SETTLE_SECONDS = 10
_FOLDER = 'exports'


@dataclasses.dataclass(frozen=True)
class Where:
    """`host` is this one's name. `address` and `ports` are what exports listen on, None: every host opens the file."""

    host: str
    address: str | None
    ports: range


class Exports:
    """Connects hosts to volumes. Whoever changes a volume's connections holds its lock: `with exports.lock(id)`."""

    def __init__(self, records, files, where):
        self._records = records
        self._files = files
        self._where = where
        self._folder = os.path.join(files.directory, _FOLDER)
        self._guard = threading.Lock()
        self._locks = {}
        os.makedirs(self._folder, mode=0o700, exist_ok=True)

    @contextlib.contextmanager
    def lock(self, volume_id):
        """One at a time for each volume."""
        with self._guard:
            lock, users = self._locks.get(volume_id, (None, 0))
            lock = lock or threading.Lock()
            self._locks[volume_id] = lock, users + 1
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._locks[volume_id]
                if users == 1:
                    del self._locks[volume_id]
                else:
                    self._locks[volume_id] = lock, users - 1

    def connect(self, volume, connector):
        """(driver_volume_type, data) by which the connector's host reaches a volume. 503: it cannot be exported."""
        if not self._is_remote(connector.get('host')):
            return 'local', {'device_path': self._files.path('volume', volume['id']), 'format': 'raw',
                             'discard': True}
        port = self._open(volume['id'])
        return 'nbd', {'name': _name(volume['id']), 'hosts': [self._where.address], 'ports': [str(port)],
                       'format': 'raw', 'discard': True, 'auth_enabled': False}

    def _is_remote(self, host):
        return self._where.address is not None and host != self._where.host

    def _open(self, volume_id):
        """The port of a volume's export, started where it does not run."""
        volume = self._records.volumes.by_id[volume_id]
        if volume['export']:
            self.settle(volume_id, wanted=True)
            return volume['export']['port']
        tried = set()
        while True:
            port = self._choose(volume_id, tried)
            try:
                self.settle(volume_id, wanted=True)
                return port
            except rest.Fault as fault:
                self._forget(volume_id)
                if qemu.TAKEN not in str(fault.__cause__):
                    raise
                tried.add(port)

    def _choose(self, volume_id, tried):
        """Note a port for a volume that no other has and that was not tried in vain; 503 when there is none."""
        with self._records.change() as change:
            taken = {other['export']['port'] for other in self._records.volumes if other['export']} | tried
            port = next((port for port in self._where.ports if port not in taken), None)
            if port is None:
                raise rest.Fault(503, 'Every port for exported volumes is in use.')
            change.update(self._records.volumes, {**self._records.volumes.by_id[volume_id], 'export': {'port': port}})
        return port

    def _forget(self, volume_id):
        with self._records.change() as change:
            volume = self._records.volumes.by_id.get(volume_id)
            if volume is not None and volume['export']:
                change.update(self._records.volumes, {**volume, 'export': None})

    def settle(self, volume_id, wanted=None):
        """Let a volume's export run, or not, as its connections need (or as `wanted` says). 503: it does not start."""
        volume = self._records.volumes.by_id.get(volume_id)
        if wanted is None:
            wanted = volume is not None and volume['export'] is not None and self._connected(volume)
        process = self._process(volume_id)
        if wanted and process is None:
            try:
                qemu.serve(self._files.path('volume', volume_id), _name(volume_id), self._where.address,
                           volume['export']['port'], pid_file=self._pid_file(volume_id),
                           readonly=bool(volume['readonly']))
            except qemu.QemuError as error:
                raise rest.Fault(503, 'The volume cannot be exported: %s' % error) from error
        elif not wanted:
            if process is not None:
                self._end(volume_id, process)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._pid_file(volume_id))
            if volume is not None and volume['export']:
                self._forget(volume_id)

    def _connected(self, volume):
        """Whether a host that needs the export has the volume."""
        hosts = list(volume['connections'])
        hosts += [item['connector'].get('host') for item in self._records.attachments_of(volume['id'])
                  if item['connector']]
        return any(self._is_remote(host) for host in hosts)

    def settle_all(self):
        """Start what has ended by itself, and end what nobody needs."""
        named = {name.removesuffix('.pid') for name in os.listdir(self._folder)}
        named |= {volume['id'] for volume in self._records.volumes if volume['export']}
        for volume_id in named:
            try:
                with self.lock(volume_id):
                    self.settle(volume_id)
            except (rest.Fault, OSError) as error:
                LOG.error('The export of volume %s is not as it should be: %s', volume_id, error)

    def _pid_file(self, volume_id):
        return os.path.join(self._folder, volume_id + '.pid')

    def _process(self, volume_id):
        """The pid of a volume's qemu-nbd, None where none runs."""
        try:
            with open(self._pid_file(volume_id), encoding='ascii') as file:
                pid = int(file.read())
            with open('/proc/%d/cmdline' % pid, 'rb') as file:
                words = file.read().split(b'\0')
        except (OSError, ValueError):
            return None
        return pid if b'--export-name=' + _name(volume_id).encode() in words else None


    def _end(self, volume_id, pid):
        """End an export's process, by force where it takes its time."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            deadline = time.monotonic() + STOP_SECONDS
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
            while time.monotonic() < deadline:
                if self._process(volume_id) is None:
                    return
                time.sleep(0.02)
        LOG.error('The process %d that exports volume %s does not end', pid, volume_id)


def _name(volume_id):
    return 'volume-' + volume_id


def empty_connections():
    """The fields of a new volume that this module keeps."""
    return {'export': None, 'connections': {}}


class Watch:
    """Looks after the exports as long as the process lives."""

    def __init__(self, exports):
        self._exports = exports
        self._end = threading.Event()

    def run(self):
        while not self._end.is_set():
            try:
                self._exports.settle_all()
            except Exception:  # whatever it was, the next round may do better
                LOG.exception('The exports could not be looked after')
            self._end.wait(SETTLE_SECONDS)

    def stop(self):
        self._end.set()
