# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Tells the compute service of servers whose floating addresses have changed, by its external events."""

import logging
import queue
import threading
import time

import requests

LOG = logging.getLogger(__name__)

PATH = '/v2.1/os-server-external-events'
ATTEMPTS = 5
PAUSE = 3       # seconds between attempts
TIMEOUT = 20    # seconds for one


class Notifier:
    """`url`: the compute service; `service_token()`: a token that it takes such events from."""

    def __init__(self, records, url, service_token, session=None):
        self._records = records
        self._url = url + PATH
        self._service_token = service_token
        self._session = session or requests.Session()
        self._lock = threading.Lock()
        self._told = {}     # {server id: its floating addresses} as the compute service knows them
        self._waiting = queue.Queue()
        self._thread = None

    def start(self):
        """Begin, with the servers that have addresses: what was told before may not have been heard."""
        self._thread = threading.Thread(target=self._work, name='notifier', daemon=True)
        self._thread.start()
        self.look()

    def stop(self):
        self._waiting.put(None)

    def look(self):
        """Find out which servers' addresses have changed; they are told in the background."""
        with self._lock:
            found = self._addresses()
            changed = sorted(server for server in {*found, *self._told} if found.get(server) != self._told.get(server))
            self._told = found
        if changed:
            self._waiting.put(changed)

    def _addresses(self):
        found = {}
        for floating in self._records.all('floatingip'):
            port = self._records.get('port', floating['port_id'])
            if port and port['device_owner'].startswith('compute:'):
                found.setdefault(port['device_id'], set()).add(
                    (port['id'], floating['fixed_ip_address'], floating['floating_ip_address']))
        return found

    def _work(self):
        while (servers := self._waiting.get()) is not None:
            self._tell(servers)

    def _tell(self, servers):
        body = {'events': [{'name': 'network-changed', 'server_uuid': server} for server in servers]}
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(PAUSE)
            try:
                answer = self._session.post(self._url, json=body, timeout=TIMEOUT,
                                            headers={'X-Auth-Token': self._service_token()})
            except requests.RequestException as error:
                problem = error
                continue
            if answer.status_code < 500:        # that a server is gone, or still being built, is no trouble
                return
            problem = 'HTTP %d' % answer.status_code
        LOG.warning('The compute service was not told of the addresses of %s: %s', ', '.join(servers), problem)
