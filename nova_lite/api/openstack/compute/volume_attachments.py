# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The volumes of a server: list, show, attach, exchange, change and detach them."""

from oslo_utils import strutils

from nova_lite import exception
from nova_lite.api import policies
from nova_lite.api.openstack import wsgi
from nova_lite.compute import api_attachments

ACCEPTED = 202


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api
        self._attachments = services.compute_api.attachments

    def index(self, req, server_id):
        found = self._attachments.list(self._instance(req, server_id))
        offset, limit = int(req.param('offset', 0)), int(req.param('limit', len(found)))
        return {'volumeAttachments': [_view(req, device) for device in found[offset:offset + limit]]}

    def show(self, req, server_id, id):
        return {'volumeAttachment': _view(req, self._attachments.get(self._instance(req, server_id), id))}

    def create(self, req, server_id, body):
        asked = body['volumeAttachment']
        device = self._attachments.attach(req.context, self._instance(req, server_id), api_attachments.wanted(
            asked['volumeId'], device=asked.get('device'), tag=asked.get('tag'),
            delete_on_termination=strutils.bool_from_string(asked.get('delete_on_termination', False)),
        ), multiattach=req.version >= (2, 60))
        if req.version >= (2, 101):
            return wsgi.Reply(status=ACCEPTED)
        return {'volumeAttachment': _view(req, device)}

    def swap(self, req, server_id, id, body):
        """Another volume in the place of this one."""
        self._swap(req, self._instance(req, server_id), id, body['volumeAttachment']['volumeId'])

    def update(self, req, server_id, id, body):
        """The same, or whether the volume goes with the server."""
        instance, asked = self._instance(req, server_id), body['volumeAttachment']
        if asked['volumeId'] != id:
            req.authorize(instance, policies.ATTACHMENTS % 'swap')
            self._swap(req, instance, id, asked['volumeId'])
        elif 'delete_on_termination' in asked:
            self._attachments.update(instance, id, strutils.bool_from_string(asked['delete_on_termination']))

    def _swap(self, req, instance, volume_id, new_volume_id):
        try:
            self._attachments.swap(req.context, instance, volume_id, new_volume_id,
                                   multiattach=req.version >= (2, 60))
        except exception.VolumeNotFound as exc:
            if exc.kwargs.get('volume_id') == new_volume_id:        # what the body names, not what the URL does
                raise exception.Invalid(exc.message) from exc
            raise

    def delete(self, req, server_id, id):
        self._attachments.detach(req.context, self._instance(req, server_id), id)

    def _instance(self, req, server_id):
        instance = self._compute.get(req.context, server_id)
        req.authorize(instance)
        return instance


def _view(req, device):
    view = {'serverId': device.instance_uuid, 'volumeId': device.volume_id}
    if req.version < (2, 89):
        view['id'] = device.volume_id
    if device.device_name:
        view['device'] = device.device_name
    if req.version >= (2, 70):
        view['tag'] = device.tag
    if req.version >= (2, 79):
        view['delete_on_termination'] = device.delete_on_termination
    if req.version >= (2, 89):
        view |= {'attachment_id': device.attachment_id, 'bdm_uuid': device.uuid}
    return view
