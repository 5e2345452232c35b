# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The actions by which volumes were attached before there were attachments: os-reserve, os-attach and their kin."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import attachments as attachment_module
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas

_CONNECTOR = schemas.action({'connector': {
    **schemas.CONNECTOR, 'required': ['host'], 'properties': {'host': schemas.NAME}}}, required=['connector'])
_FORCE = schemas.action({'attachment_id': schemas.OPTIONAL_UUID, 'connector': {'type': ['object', 'null']}})
_DETACH = schemas.action({'attachment_id': schemas.OPTIONAL_UUID})
_ATTACH = rest.schema({
    'type': 'object', 'required': ['mountpoint'], 'properties': {
        'instance_uuid': schemas.OPTIONAL_UUID, 'host_name': schemas.TEXT, 'mountpoint': schemas.NAME,
        'mode': {'enum': ['rw', 'ro']}},
    'anyOf': [{'required': ['instance_uuid'], 'properties': {'instance_uuid': schemas.UUID}},
              {'required': ['host_name'], 'properties': {'host_name': schemas.NAME}}]})
_NONE = schemas.action()
_NOT_DETACHABLE = ("Unable to detach volume. Volume status must be 'in-use' and attach_status must be 'attached' to "
                   'detach.')


class Connections:
    """Handlers of actions; each is called with the request, the volume's id and the checked content of the body."""

    def __init__(self, records, exports, attachments):
        self._records = records
        self._exports = exports
        self._attachments = attachments

    def actions(self):
        """{name of the action: (handler, schema, for administrators only)}"""
        return {
            'os-reserve': (self.reserve, _NONE, False), 'os-unreserve': (self.unreserve, _NONE, False),
            'os-begin_detaching': (self.begin_detaching, _NONE, False),
            'os-roll_detaching': (self.roll_detaching, _NONE, False),
            'os-attach': (self.attach, _ATTACH, False), 'os-detach': (self.detach, _DETACH, False),
            'os-initialize_connection': (self.initialize, _CONNECTOR, False),
            'os-terminate_connection': (self.terminate, _CONNECTOR, False),
            'os-force_detach': (self.force_detach, _FORCE, True)}

    def reserve(self, request, volume_id, body):
        def reserved(volume):
            if volume['status'] != 'available' and not (volume['multiattach'] and volume['status'] == 'in-use'):
                raise faults.invalid_volume('Volume status must be available to reserve, but the status is %s.'
                                            % volume['status'])
            return 'attaching'
        return self._set_status(request, volume_id, reserved)

    def unreserve(self, request, volume_id, body):
        return self._set_status(request, volume_id, lambda volume: attachment_module.status_by(
            self._records.attachments_of(volume_id)) if volume['status'] == 'attaching' else volume['status'])

    def begin_detaching(self, request, volume_id, body):
        def detaching(volume):
            attached = any(item['status'] == 'attached' for item in self._records.attachments_of(volume_id))
            if volume['status'] != 'in-use' or not attached:
                raise faults.invalid_volume(_NOT_DETACHABLE)
            return 'detaching'
        return self._set_status(request, volume_id, detaching)

    def roll_detaching(self, request, volume_id, body):
        return self._set_status(request, volume_id, lambda volume: (
            'in-use' if volume['status'] == 'detaching' else volume['status']))

    def _set_status(self, request, volume_id, function):
        with self._records.change() as change:
            volume = self._records.volume(request.identity, volume_id)
            status = function(volume)
            if status != volume['status']:
                change.update(self._records.volumes, record_module.changed(volume, status=status))
        return rest.Reply(202)

    def attach(self, request, volume_id, body):
        """Note that a server or a host has the volume."""
        by_service = self._attachments.sent_by_service(request)
        with self._exports.lock(volume_id), self._records.change() as change:
            volume = self._records.volume(request.identity, volume_id)
            taken = volume['status'] in ('in-use', 'detaching') and not volume['multiattach']
            if taken or volume['status'] not in attachment_module.IN_USE:
                raise faults.invalid_volume('Volume %s status must be available or attaching to attach, but the '
                                            'status is %s.' % (volume_id, volume['status']))
            item = self._attachments.new(
                volume, instance_uuid=body.get('instance_uuid'), attached_host=body.get('host_name'),
                status='attached', attached_at=record_module.now(), mountpoint=body['mountpoint'],
                attach_mode=self._attachments.mode(volume, body.get('mode')),
                by_service=by_service or bool(volume['connections']))
            change.insert(self._records.attachments, item)
            change.update(self._records.volumes, record_module.changed(
                volume, status='in-use', readonly=bool(volume['readonly'])))
        return rest.Reply(202)

    def detach(self, request, volume_id, body):
        """Note that a server or a host has the volume no longer."""
        with self._exports.lock(volume_id):
            self._records.volume(request.identity, volume_id)
            items = self._chosen(volume_id, body.get('attachment_id'))
            self._attachments.require_release(request, items)
            self._attachments.remove(volume_id, [item['id'] for item in items] or [None])
        return rest.Reply(202)

    def _chosen(self, volume_id, identifier):
        """The attachments that a detach is about; 400 where it could be several, 404 for one that is not there."""
        items = self._records.attachments_of(volume_id)
        if identifier is not None:
            items = [item for item in items if item['id'] == identifier]
            if not items:
                raise faults.missing('attachment', identifier)
        elif len(items) > 1:
            raise faults.invalid_volume('Detach volume failed: More than one attachment, but no attachment_id '
                                        'provided.')
        return items

    def initialize(self, request, volume_id, body):
        """Let a host reach the volume and tell how."""
        connector = body['connector']
        with self._exports.lock(volume_id):
            volume = self._records.volume(request.identity, volume_id)
            if volume['status'] not in attachment_module.IN_USE:
                raise faults.invalid_volume('Volume %s is %s.' % (volume_id, volume['status']))
            kind, data = self._exports.connect(volume, connector)
            with self._records.change() as change:
                volume = self._records.volumes.by_id[volume_id]
                change.update(self._records.volumes, record_module.changed(
                    volume, connections={**volume['connections'], connector['host']: True}))
        mode = self._attachments.mode(volume, None)
        return {'connection_info': {'driver_volume_type': kind,
                                    'data': {**data, **attachment_module.connection(mode)}}}

    def terminate(self, request, volume_id, body):
        """End what a host has by initialize."""
        with self._exports.lock(volume_id):
            self._records.volume(request.identity, volume_id)
            self._attachments.require_release(request, self._records.attachments_of(volume_id))
            self._attachments.remove(volume_id, [], body['connector']['host'])
        return rest.Reply(202)

    def force_detach(self, request, volume_id, body):
        """Let go of an attachment and of the connection of its host, whatever the status."""
        with self._exports.lock(volume_id):
            self._records.volume(request.identity, volume_id)
            items = self._chosen(volume_id, body.get('attachment_id'))
            self._attachments.require_release(request, items)
            host = (body.get('connector') or {}).get('host')
            self._attachments.remove(volume_id, [item['id'] for item in items], host, force=True)
        return rest.Reply(202)
