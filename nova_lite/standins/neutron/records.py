# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Every resource of the network service: kept in memory, with indexes, and written to the database with each change.

The service is the only one that writes its table, so memory and database agree, and reading costs no query. A record
is a dict that is never changed in place: an update puts a new one, and whoever reads keeps a consistent old one.
"""

import contextlib
import json
import threading

import sqlalchemy
from sqlalchemy.dialects import mysql

from nova_lite.standins.neutron import allocator

_METADATA = sqlalchemy.MetaData()
_TABLE = sqlalchemy.Table(
    'neutron_records', _METADATA,
    sqlalchemy.Column('kind', sqlalchemy.String(32), primary_key=True),
    sqlalchemy.Column('id', sqlalchemy.String(255), primary_key=True),
    sqlalchemy.Column('position', sqlalchemy.BigInteger, nullable=False),  # order of creation
    sqlalchemy.Column('data', sqlalchemy.Text().with_variant(mysql.MEDIUMTEXT(), 'mysql', 'mariadb'),
                      nullable=False))  # the record as JSON
_INSERT = _TABLE.insert()
_UPDATE = _TABLE.update().where(
    _TABLE.c.kind == sqlalchemy.bindparam('its_kind'), _TABLE.c.id == sqlalchemy.bindparam('its_id')).values(
        data=sqlalchemy.bindparam('new_data'))
_DELETE = _TABLE.delete().where(
    _TABLE.c.kind == sqlalchemy.bindparam('its_kind'), _TABLE.c.id == sqlalchemy.bindparam('its_id'))

# In the order in which they are read at start: a port's addresses need its subnets.
KINDS = ('quota', 'seed', 'address_scope', 'subnetpool', 'network', 'subnet', 'security_group', 'security_group_rule',
         'port', 'router', 'floatingip', 'rbac_policy', 'topology')


def _addresses(port):
    return [(fixed['subnet_id'], fixed['ip_address']) for fixed in port['fixed_ips']]


# kind: {name of the index: the keys under which a record is found}
_INDEXES = {
    'network': {'project_id': lambda network: [network['project_id']]},
    'subnet': {'project_id': lambda subnet: [subnet['project_id']],
               'network_id': lambda subnet: [subnet['network_id']],
               'subnetpool_id': lambda subnet: [subnet['subnetpool_id']]},
    'security_group': {'project_id': lambda group: [group['project_id']]},
    'security_group_rule': {'project_id': lambda rule: [rule['project_id']],
                            'security_group_id': lambda rule: [rule['security_group_id']],
                            'remote_group_id': lambda rule: [rule['remote_group_id']]},
    'port': {'project_id': lambda port: [port['project_id']],
             'network_id': lambda port: [port['network_id']],
             'device_id': lambda port: [port['device_id']],
             'mac': lambda port: [(port['network_id'], port['mac_address'])],
             'address': _addresses,
             'subnet_id': lambda port: [fixed['subnet_id'] for fixed in port['fixed_ips']],
             'security_group_id': lambda port: port['security_groups']},
    'router': {'project_id': lambda router: [router['project_id']]},
    'floatingip': {'project_id': lambda floating: [floating['project_id']],
                   'port_id': lambda floating: [floating['port_id']],
                   'floating_network_id': lambda floating: [floating['floating_network_id']],
                   'router_id': lambda floating: [floating['router_id']]},
    'subnetpool': {'project_id': lambda pool: [pool['project_id']]},
    'address_scope': {'project_id': lambda scope: [scope['project_id']]},
    'rbac_policy': {'project_id': lambda policy: [policy['project_id']],
                    'object_id': lambda policy: [policy['object_id']]},
}


class Records:
    """All records by kind and id. Changes are made in a `change` block; reading needs none."""

    def __init__(self, store):
        self._store = store
        self._lock = threading.RLock()
        self._tables = {kind: {} for kind in KINDS}
        self._indexes = {kind: {name: {} for name in _INDEXES.get(kind, ())} for kind in KINDS}
        self._pending = None  # changes of the block that is open
        self._position = 0
        self.allocators = {}  # subnet id: Allocator
        store.create(_METADATA)
        self._load()

    def _load(self):
        rows = self._store.rows(sqlalchemy.select(_TABLE).order_by(_TABLE.c.position))
        for kind in KINDS:
            for row in rows:
                if row.kind == kind:
                    self._set(kind, row.id, json.loads(row.data))
        self._position = rows[-1].position if rows else 0

    def get(self, kind, identifier):
        """The record, or None."""
        return self._tables[kind].get(identifier)

    def all(self, kind):
        """Every record of the kind, oldest first."""
        return list(self._tables[kind].values())

    def find(self, kind, index, key):
        """The records that the index has under `key`, in the order in which they came there."""
        table = self._tables[kind]
        return [table[identifier] for identifier in list(self._indexes[kind][index].get(key, ()))
                if identifier in table]

    def count(self, kind, index, key):
        return len(self._indexes[kind][index].get(key, ()))

    @contextlib.contextmanager
    def change(self):
        """A block that changes records, alone: written as one transaction at its end, undone on an exception.

        A block inside a block is part of the outer one.
        """
        with self._lock:
            if self._pending is not None:
                yield
                return
            self._pending = []
            try:
                yield
                if self._pending:
                    self._write()
            except BaseException:
                for kind, identifier, old, _new in reversed(self._pending):
                    self._set(kind, identifier, old)
                raise
            finally:
                self._pending = None

    def put(self, kind, record):
        """Add the record, or replace the one with its id. Only inside `change`."""
        self._note(kind, record['id'], record)

    def delete(self, kind, identifier):
        """Remove a record. Only inside `change`."""
        self._note(kind, identifier, None)

    def _note(self, kind, identifier, new):
        if self._pending is None:
            raise RuntimeError('records change only inside a change block')
        self._pending.append((kind, identifier, self.get(kind, identifier), new))
        self._set(kind, identifier, new)

    def _write(self):
        with self._store.begin() as connection:
            for kind, identifier, old, new in self._pending:
                if new is None:
                    connection.execute(_DELETE, {'its_kind': kind, 'its_id': identifier})
                elif old is None:
                    self._position += 1
                    connection.execute(_INSERT, {'kind': kind, 'id': identifier, 'position': self._position,
                                                 'data': json.dumps(new)})
                else:
                    connection.execute(_UPDATE, {'its_kind': kind, 'its_id': identifier,
                                                 'new_data': json.dumps(new)})

    def _set(self, kind, identifier, new):
        """Make memory say `new` (None: gone) for a record, indexes and address allocators too."""
        table = self._tables[kind]
        old = table.get(identifier)
        for name, keys in _INDEXES.get(kind, {}).items():
            index = self._indexes[kind][name]
            if old and new and keys(old) == keys(new):
                continue
            for key in keys(old) if old else ():
                entries = index.get(key, {})
                entries.pop(identifier, None)
                if not entries:
                    index.pop(key, None)
            for key in keys(new) if new else ():
                index.setdefault(key, {})[identifier] = None
        if new is None:
            table.pop(identifier, None)
        else:
            table[identifier] = new
        if kind == 'subnet':
            self._set_allocator(identifier, new)
        elif kind == 'port':
            self._count_addresses(old, new)

    def _set_allocator(self, subnet_id, subnet):
        if subnet is None:
            self.allocators.pop(subnet_id, None)
        elif subnet_id in self.allocators:
            self.allocators[subnet_id].set_pools(subnet)
        else:
            self.allocators[subnet_id] = allocator.Allocator(subnet)

    def _count_addresses(self, old, new):
        if old and new and old['fixed_ips'] == new['fixed_ips']:
            return
        for subnet_id, address in _addresses(old) if old else ():
            if subnet_id in self.allocators:
                self.allocators[subnet_id].discard(address)
        for subnet_id, address in _addresses(new) if new else ():
            self.allocators[subnet_id].add(address)
