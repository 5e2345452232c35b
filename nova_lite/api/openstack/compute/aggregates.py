# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Host aggregates: administrators group hosts by them, and make availability zones of the groups."""

from nova_lite import exception
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import formats
from nova_lite.db import aggregates as aggregates_db
from nova_lite.db import services as services_db
from nova_lite.objects import aggregate as aggregate_obj

ZONE = aggregate_obj.ZONE
LONGEST_ID = 9      # digits: more than any database counts to


class Controller:
    def __init__(self, services):
        self._db = services.db

    def index(self, req):
        return {'aggregates': [_view(req, aggregate) for aggregate in aggregates_db.list_(self._db)]}

    def show(self, req, id):
        return _answer(req, aggregates_db.get(self._db, _number(id)))

    def create(self, req, body):
        """The answer has neither hosts nor metadata, as those of old did."""
        zone = _stripped(body['aggregate'].get(ZONE))
        aggregate = aggregates_db.create(self._db, body['aggregate']['name'].strip(), {ZONE: zone} if zone else {})
        view = _view(req, aggregate)
        del view['hosts'], view['metadata']
        return {'aggregate': view}

    def update(self, req, id, body):
        values = body['aggregate']
        metadata = {ZONE: _stripped(values[ZONE])} if ZONE in values else {}
        return _answer(req, self._change(id, name=_stripped(values.get('name')), metadata=metadata))

    def set_metadata(self, req, id, body):
        metadata = dict(body['set_metadata']['metadata'])
        if metadata.get(ZONE) == '':
            raise faults.HTTPError(400, 'Aggregate %s does not support empty named availability zone' % id[:LONGEST_ID])
        return _answer(req, self._change(id, metadata=metadata))

    def _change(self, id_, **values):
        try:
            return aggregates_db.change(self._db, _number(id_), **values)
        except exception.AggregateExists:
            raise
        except exception.Conflict as exc:       # this call has always told of hosts that cannot move so
            raise exception.Invalid(exc.message) from exc

    def delete(self, req, id):
        aggregates_db.delete(self._db, _number(id))

    def add_host(self, req, id, body):
        host = body['add_host']['host']
        if not services_db.list_(self._db, binary='nova-compute', host=host):
            raise exception.ComputeHostNotFound(host=host)
        return _answer(req, aggregates_db.add_host(self._db, _number(id), host))

    def remove_host(self, req, id, body):
        return _answer(req, aggregates_db.remove_host(self._db, _number(id), body['remove_host']['host']))


def _number(id_):
    """The number that an id in a URL stands for."""
    if not id_.isascii() or not id_.removeprefix('-').isdigit():
        raise faults.HTTPError(400, 'Invalid input received: id must be an integer')
    if len(id_) > LONGEST_ID:
        raise exception.AggregateNotFound(aggregate_id=id_[:64])
    return int(id_)


def _stripped(text):
    return text and text.strip()


def _answer(req, aggregate):
    return {'aggregate': _view(req, aggregate)}


def _view(req, aggregate):
    view = {'id': aggregate.id, 'name': aggregate.name, 'hosts': aggregate.hosts, 'metadata': aggregate.metadata,
            'availability_zone': aggregate.availability_zone, 'created_at': formats.iso_micro(aggregate.created_at),
            'updated_at': formats.iso_micro(aggregate.updated_at), 'deleted': False, 'deleted_at': None}
    if req.version >= (2, 41):
        view['uuid'] = aggregate.uuid
    return view
