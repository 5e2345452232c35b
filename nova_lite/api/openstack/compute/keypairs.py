# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Key pairs: the public keys that a user's servers are given. They belong to the user, not to a project."""

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.api import enforcer
from nova_lite.api import keys
from nova_lite.api.openstack import formats
from nova_lite.api.openstack import links
from nova_lite.compute import api_quota
from nova_lite.db import keypairs as keypairs_db
from nova_lite.objects import keypair as keypair_obj


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._quotas = api_quota.Quotas(services.db, services.conf.quota)
        self._max_limit = services.conf.api.max_limit

    @staticmethod
    def _user(req, user_id):
        """The user whose keys are meant: `user_id` (from 2.10 on, for administrators) or the caller."""
        user_id = user_id or req.context.user_id
        req.authorize(enforcer.Owner(user_id=user_id))
        return user_id

    def index(self, req):
        user_id = self._user(req, req.param('user_id'))
        limit, marker = links.page(req, self._max_limit)
        paged = req.version >= (2, 35)
        found = keypairs_db.list_(self._db, user_id, limit=limit if paged else None, marker=marker)
        answer = {'keypairs': [{'keypair': _basic(req, keypair)} for keypair in found]}
        if paged and found and len(found) == limit:
            answer['keypairs_links'] = req.urls.next_page('/os-keypairs', found[-1].name)
        return answer

    def show(self, req, id):
        keypair = keypairs_db.get(self._db, self._user(req, req.param('user_id')), id)
        return {'keypair': _basic(req, keypair) | {
            'user_id': keypair.user_id, 'id': keypair.id, 'created_at': formats.iso_micro(keypair.created_at),
            'updated_at': None, 'deleted_at': None, 'deleted': False}}

    def create(self, req, body):
        values = body['keypair']
        name, kind, public = values['name'].strip(), values.get('type', 'ssh'), values.get('public_key')
        user_id = self._user(req, values.get('user_id'))
        limit = self._quotas.limits(req.context.project_id)['key_pairs']
        if 0 <= limit <= keypairs_db.count(self._db, user_id):
            raise exception.Forbidden('Quota exceeded, too many key pairs.')
        private = None
        if public is None:
            private, public = self._make(kind, user_id)
        fingerprint = keys.ssh_fingerprint(public) if kind == 'ssh' else keys.x509_fingerprint(public)
        keypair = keypairs_db.create(self._db, keypair_obj.KeyPair(
            name=name, user_id=user_id, fingerprint=fingerprint, public_key=public, type=kind))
        view = _basic(req, keypair) | {'user_id': user_id}
        if private is not None:
            view['private_key'] = private
        return {'keypair': view}

    @staticmethod
    def _make(kind, user_id):
        if kind == 'ssh':
            return concurrency.run_native(keys.make_ssh)
        return concurrency.run_native(keys.make_x509, user_id)

    def delete(self, req, id):
        keypairs_db.delete(self._db, self._user(req, req.param('user_id')), id)


def _basic(req, keypair):
    view = {'name': keypair.name, 'public_key': keypair.public_key, 'fingerprint': keypair.fingerprint}
    if req.version >= (2, 2):
        view['type'] = keypair.type
    return view
