# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions that start a server from another image: rescue, unrescue, rebuild."""

from nova_lite.api import policies
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import servers
from nova_lite.api.openstack.compute import servers_request


class Controller(servers.Controller):
    def __init__(self, services):
        super().__init__(services)
        self._remaking = services.compute_api.remaking

    def rescue(self, req, id, body):
        instance = self._get(req, id)
        wanted = body['rescue'] or {}
        password = wanted.get('adminPass') or servers_request.generate_password(self._password_length)
        self._remaking.rescue(req.context, instance, password, wanted.get('rescue_image_ref'),
                              volume_backed=req.version >= (2, 87))
        return {'adminPass': password} if self._shows_password else {}

    def unrescue(self, req, id, body):
        self._remaking.unrescue(req.context, self._get(req, id))

    def rebuild(self, req, id, body):
        instance = self._get(req, id)
        order = servers_request.rebuild_order(body['rebuild'], self._password_length)
        if order.trusted_certificates:
            req.authorize(instance, policies.SERVERS % 'rebuild:trusted_certs')
        instance = self._remaking.rebuild(req.context, instance, order)
        shown = self._detail(req, instance).updated(instance)
        if req.version >= (2, 54):
            shown['key_name'] = instance.key_name
        if req.version >= (2, 57):
            shown['user_data'] = instance.user_data
        if self._shows_password:
            shown['adminPass'] = order.admin_password
        return wsgi.Reply({'server': shown}, headers=[('Location', shown['links'][0]['href'])])
