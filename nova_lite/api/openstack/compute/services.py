# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The services of the cloud: seen, taken out of use, declared dead and forgotten by administrators."""

from oslo_utils import strutils
from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import formats
from nova_lite.db import instances as instances_db
from nova_lite.db import services as services_db

COMPUTE = 'nova-compute'
BY_UUID = (2, 53)       # from here on services are named by uuid


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._internal_zone = services.conf.internal_service_availability_zone
        self._default_zone = services.conf.default_availability_zone

    def index(self, req):
        found = services_db.list_(self._db, binary=req.param('binary'), host=req.param('host'))
        return {'services': [self._view(req, service) for service in found]}

    def _view(self, req, service):
        view = {'binary': service.binary, 'host': service.host,
                'id': service.uuid if req.version >= BY_UUID else service.id,
                'zone': self._zone(service), 'status': 'disabled' if service.disabled else 'enabled',
                'state': 'up' if service.up else 'down', 'disabled_reason': service.disabled_reason,
                'updated_at': formats.iso_micro(service.last_seen_up or service.updated_at)}
        if req.version >= (2, 11):
            view['forced_down'] = service.forced_down
        return view

    def _zone(self, service):
        if service.binary != COMPUTE:
            return self._internal_zone
        return service.availability_zone or self._default_zone

    def update(self, req, id, body):
        """From 2.53 on: change the compute service of a uuid."""
        service = self._by_uuid(id)
        if service.binary != COMPUTE:
            raise faults.HTTPError(400, 'Updating a %s service is not supported. Only nova-compute services can be '
                                        'updated.' % service.binary)
        values = {}
        if 'status' in body:
            values = {'disabled': body['status'] == 'disabled', 'disabled_reason': body.get('disabled_reason')}
        if 'disabled_reason' in body and not values.get('disabled'):
            raise faults.HTTPError(400, "Specifying 'disabled_reason' is only allowed when status is 'disabled'.")
        if 'forced_down' in body:
            values['forced_down'] = strutils.bool_from_string(body['forced_down'])
        if not values:
            raise faults.HTTPError(400, "No updates were requested. Fields 'status' or 'forced_down' should be "
                                        'specified.')
        return {'service': self._view(req, services_db.update(self._db, service.host, service.binary, values))}

    def act(self, req, id, body):
        """Up to 2.52: `id` is the verb, the body names the service."""
        host, binary, reason = body['host'], body['binary'], body.get('disabled_reason')
        answer = {'host': host, 'binary': binary}
        if id == 'enable':
            values = {'disabled': False, 'disabled_reason': None}
            answer['status'] = 'enabled'
        elif id == 'disable':
            values = {'disabled': True, 'disabled_reason': None}
            answer['status'] = 'disabled'
        elif id == 'disable-log-reason':
            if not reason or not reason.strip():
                raise faults.HTTPError(400, 'Missing disabled reason field')
            values = {'disabled': True, 'disabled_reason': reason}
            answer |= {'status': 'disabled', 'disabled_reason': reason}
        elif id == 'force-down' and req.version >= (2, 11):
            if 'forced_down' not in body:
                raise faults.HTTPError(400, 'Missing forced_down field')
            values = {'forced_down': strutils.bool_from_string(body['forced_down'])}
            answer |= values
        else:
            raise faults.HTTPError(404, 'Unknown action')
        services_db.update(self._db, host, binary, values)
        return {'service': answer}

    def delete(self, req, id):
        if req.version >= BY_UUID:
            service = self._by_uuid(id)
        else:
            if not id.isascii() or not id.isdigit():
                raise faults.HTTPError(400, 'Invalid service id %s' % id[:64])
            service = _only([service for service in services_db.list_(self._db) if service.id == int(id)], id)
        if service.binary == COMPUTE and instances_db.list_(self._db, {'host': service.host}, limit=1):
            raise exception.Conflict('Unable to delete compute service that is hosting instances. Migrate or delete '
                                     'the instances first.')
        services_db.delete(self._db, service.host, service.binary)

    def _by_uuid(self, id_):
        if not uuidutils.is_uuid_like(id_):
            raise faults.HTTPError(400, 'Invalid uuid %s' % id_[:64])
        return _only([service for service in services_db.list_(self._db) if service.uuid == id_], id_)


def _only(found, id_):
    if not found:
        raise exception.ServiceNotFound(service_id=id_)
    return found[0]
