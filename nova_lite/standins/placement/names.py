# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`/traits` and `/resource_classes`: the standard names and the custom ones that callers add."""

import re

from nova_lite.standins import rest
from nova_lite.standins.placement import queries
from nova_lite.standins.placement import schemas
from nova_lite.standins.placement import tables
from nova_lite.standins.placement import versions

CUSTOM = re.compile(r'CUSTOM_[A-Z0-9_]{1,248}\Z')


class Traits:
    def __init__(self, ledger):
        self._ledger = ledger

    def routes(self):
        return [rest.Route('GET', '/traits', self.list), rest.Route('GET', '/traits/{name}', self.show),
                rest.Route('PUT', '/traits/{name}', self.create),
                rest.Route('DELETE', '/traits/{name}', self.delete)]

    @versions.since(6)
    def list(self, request):
        versions.require_operator(request)
        queries.check_names(request, {'name', 'associated'})
        names = [*sorted(self._ledger.standard_traits), *self._ledger.custom_traits]
        wanted, associated = queries.single(request, 'name'), queries.single(request, 'associated')
        if wanted is not None:
            if wanted.startswith('in:'):
                some = set(wanted[3:].split(','))
                names = [name for name in names if name in some]
            elif wanted.startswith('startswith:'):
                names = [name for name in names if name.startswith(wanted[11:])]
            else:
                raise queries.bad('Badly formatted name parameter. Expected name query string parameter in form: '
                                  '?name=[in|startswith]:[name1,name2|prefix]. Got: "%s"' % wanted[:255])
        if associated is not None:
            if associated.lower() not in ('true', 'false'):
                raise queries.bad('The query parameter "associated" only accepts "true" or "false"')
            used = frozenset().union(*(item.traits for item in self._ledger.providers.values()))
            names = [name for name in names if (name in used) == (associated.lower() == 'true')]
        return versions.reply(request, {'traits': names})

    @versions.since(6)
    def show(self, request, name):
        versions.require_operator(request)
        self._require(name)
        return _bare(request, 204)

    @versions.since(6)
    def create(self, request, name):
        versions.require_operator(request)
        if not CUSTOM.match(name):
            raise rest.Fault(400, 'The trait is invalid. A valid trait must be no longer than 255 characters, '
                                  'start with the prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" '
                                  'and "_"')
        new = self._ledger.add_name(tables.traits, self._ledger.custom_traits, name)
        return _bare(request, 201 if new else 204, '/traits/' + name)

    @versions.since(6)
    def delete(self, request, name):
        versions.require_operator(request)
        self._require(name)
        if name in self._ledger.standard_traits:
            raise rest.Fault(400, 'Cannot delete standard trait %s.' % name)
        self._ledger.remove_name(tables.traits, self._ledger.custom_traits, name)

    def _require(self, name):
        if not self._ledger.knows_trait(name):
            raise rest.Fault(404, 'No such trait(s): %s.' % name[:255])


class Classes:
    def __init__(self, ledger):
        self._ledger = ledger

    def routes(self):
        base, one = '/resource_classes', '/resource_classes/{name}'
        return [rest.Route('GET', base, self.list), rest.Route('POST', base, self.create),
                rest.Route('GET', one, self.show), rest.Route('PUT', one, self.update),
                rest.Route('DELETE', one, self.delete)]

    @versions.since(2)
    def list(self, request):
        versions.require_operator(request)
        return versions.reply(request, {'resource_classes': [_class(name) for name in self._ledger.classes()]})

    @versions.since(2)
    def create(self, request):
        versions.require_operator(request)
        name = schemas.body(request, schemas.NEW_CLASS)['name']
        if not self._ledger.add_name(tables.classes, self._ledger.custom_classes, name):
            raise rest.Fault(409, 'Conflicting resource class already exists: %s' % name)
        return rest.Reply(201, None, [('Location', request.host_url + '/resource_classes/' + name)])

    @versions.since(2)
    def show(self, request, name):
        versions.require_operator(request)
        self._require(name)
        return versions.reply(request, _class(name))

    @versions.since(2)
    def update(self, request, name):
        """Up to 1.6: give a class another name. From 1.7 on: see that a class is there."""
        versions.require_operator(request)
        if request.version < 7:
            new = schemas.body(request, schemas.NEW_CLASS)['name']
            self._rename(name, new)
            return versions.reply(request, _class(new))
        schemas.check(schemas.CLASS_NAME, name, 'JSON does not validate')
        if request.read():
            raise rest.Fault(400, 'The request body must be empty.')
        new = self._ledger.add_name(tables.classes, self._ledger.custom_classes, name)
        place = request.host_url + '/resource_classes/' + name
        return rest.Reply(201 if new else 204, None, [('Location', place)])

    def _rename(self, old, new):
        self._require(old)
        if old not in self._ledger.custom_classes:
            raise rest.Fault(400, 'Cannot update standard resource class %s' % old)
        if not self._ledger.add_name(tables.classes, self._ledger.custom_classes, new):
            raise rest.Fault(409, 'Resource class already exists: %s' % new)
        self._ledger.remove_name(tables.classes, self._ledger.custom_classes, old)

    @versions.since(2)
    def delete(self, request, name):
        versions.require_operator(request)
        self._require(name)
        if name not in self._ledger.custom_classes:
            raise rest.Fault(400, 'Cannot delete standard resource class %s' % name)
        self._ledger.remove_name(tables.classes, self._ledger.custom_classes, name)

    def _require(self, name):
        if not self._ledger.knows_class(name):
            raise rest.Fault(404, 'No such resource class %s.' % name[:255])


def _class(name):
    return {'name': name, 'links': [{'rel': 'self', 'href': '/resource_classes/' + name}]}


def _bare(request, status, place=None):
    """An answer without a body; `place` is the path that Location names."""
    headers = [('Location', request.host_url + place)] if place else []
    return versions.reply(request, None, status, headers=headers)
