# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Events by which the network service tells that a server's ports or their addresses have changed."""

import http.client

from nova_lite import exception
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import wsgi

PORT_DELETED = 'network-vif-deleted'
MULTI_STATUS = 207      # some of the events were of no use


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api

    def create(self, req, body):
        """Each event is answered with a code of its own: 200, 404 without such a server, 422 while it has no host."""
        codes = {}
        for event in body['events']:
            uuid = event['server_uuid']
            if event['name'] == PORT_DELETED and event.get('tag'):
                self._detach(req, uuid, event['tag'])
            if uuid not in codes:
                codes[uuid] = self._refresh(req, uuid)
        if set(codes.values()) == {http.client.NOT_FOUND}:
            raise faults.HTTPError(http.client.NOT_FOUND, 'No instances found for any event')
        answers = [_answer(event, codes[event['server_uuid']]) for event in body['events']]
        every = set(codes.values()) == {http.client.OK}
        return wsgi.Reply({'events': answers}, http.client.OK if every else MULTI_STATUS)

    def _detach(self, req, uuid, port_id):
        """The port of an interface is gone, and so shall be the interface."""
        try:
            instance = self._compute.get(req.context, uuid)
        except exception.InstanceNotFound:
            return
        self._compute.interfaces.port_deleted(req.context, instance, port_id)

    def _refresh(self, req, uuid):
        try:
            instance = self._compute.get(req.context, uuid)
            return http.client.OK if self._compute.refresh_network_info(req.context, instance) else (
                http.client.UNPROCESSABLE_ENTITY)
        except exception.InstanceNotFound:
            return http.client.NOT_FOUND


def _answer(event, code):
    failed = {} if code == http.client.OK else {'status': 'failed'}
    return {'status': 'completed', **event, 'code': int(code), **failed}
