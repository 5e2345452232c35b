# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions about its security groups and addresses, which the network service keeps."""

import uuid


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api
        self._interfaces = services.compute_api.interfaces

    def add_security_group(self, req, id, body):
        name = body['addSecurityGroup']['name'].strip()
        self._interfaces.add_security_group(req.context, self._get(req, id), name)

    def remove_security_group(self, req, id, body):
        name = body['removeSecurityGroup']['name'].strip()
        self._interfaces.remove_security_group(req.context, self._get(req, id), name)

    def add_fixed_ip(self, req, id, body):
        network_id = str(uuid.UUID(body['addFixedIp']['networkId']))
        self._interfaces.add_fixed_ip(req.context, self._get(req, id), network_id)

    def remove_fixed_ip(self, req, id, body):
        self._interfaces.remove_fixed_ip(req.context, self._get(req, id), body['removeFixedIp']['address'])

    def add_floating_ip(self, req, id, body):
        wanted = body['addFloatingIp']
        self._interfaces.associate_floating_ip(req.context, self._get(req, id), wanted['address'],
                                               wanted.get('fixed_address'))

    def remove_floating_ip(self, req, id, body):
        self._interfaces.disassociate_floating_ip(req.context, self._get(req, id), body['removeFloatingIp']['address'])

    def _get(self, req, server_id):
        instance = self._compute.get(req.context, server_id)
        req.authorize(instance)
        return instance
