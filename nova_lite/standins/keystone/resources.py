# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the administration resources of Keystone share: list, show, create, update and delete of documents."""

from nova_lite.standins import identity
from nova_lite.standins import rest
from nova_lite.standins.keystone import directory as directories

NAME = {'type': 'string', 'minLength': 1, 'maxLength': 255, 'pattern': r'\S'}
SHORT_NAME = {**NAME, 'maxLength': 64}
TEXT = {'type': ['string', 'null'], 'maxLength': 65535}
FLAG = {'type': 'boolean'}
REFERENCE = {'type': 'string', 'minLength': 1, 'maxLength': 255}
OPTIONAL_REFERENCE = {**REFERENCE, 'type': ['string', 'null']}
MAX_BODY = 114688


def forbidden(action):
    return rest.Fault(403, 'You are not authorized to perform the requested action: identity:%s.' % action)


class Resource:
    """One kind of document under `/v3/<plural>`. A subclass names it and says what is special about it."""

    singular = plural = ''
    properties = {}  # JSON schema of each property that is checked; others are kept as they come
    required = ('name',)
    filters = ('name',)
    hidden = ()  # properties of the document that no answer shows
    open_to_all = False  # whether anybody with a token may read it

    def __init__(self, directory, collection):
        self.directory = directory
        self.collection = collection
        entity = {'type': 'object', 'properties': self.properties, 'maxProperties': 64}
        self._create = self._wrap({**entity, 'required': list(self.required)})
        self._update = self._wrap({**entity, 'minProperties': 1})

    def _wrap(self, entity):
        return rest.schema({'type': 'object', 'required': [self.singular],
                            'properties': {self.singular: entity}})

    def routes(self):
        route = rest.Route
        base, one = '/v3/' + self.plural, '/v3/%s/{id}' % self.plural
        return [route('GET', base, self.list), route('POST', base, self.create), route('GET', one, self.show),
                route('PATCH', one, self.update), route('DELETE', one, self.delete)]

    # What a subclass may say.

    def fill(self, document):
        """Complete a document before it is stored first; raise what speaks against it."""

    def amend(self, old, document):
        """Look at `document`, about to replace `old`; raise what speaks against it."""

    def follow(self, change, document):
        """Delete what depends on `document`, which is about to be deleted; raise what speaks against it."""

    def may_read(self, caller, document):
        """Whether `caller`, no administrator, may see `document`."""
        return self.open_to_all

    # Handlers.

    def list(self, request):
        caller = request.identity
        if not (reads_all(caller) or self.open_to_all):
            raise forbidden('list_' + self.plural)
        found = [document for document in self.collection if self._matches(document, request)]
        return listing(request, self.plural, [self.view(request, document) for document in found])

    def show(self, request, id):
        document = self.collection.by_id.get(id)
        caller = request.identity
        if not (reads_all(caller) or (document is not None and self.may_read(caller, document))):
            raise forbidden('get_' + self.singular)
        return {self.singular: self.view(request, self.collection.get(id))}

    def create(self, request):
        self.require_admin(request, 'create_' + self.singular)
        document = self._clean(request.json(self._create, MAX_BODY)[self.singular])
        document['id'] = directories.new_id()
        document.setdefault('enabled', True)
        with self.directory.change() as change:
            self.fill(document)
            change.insert(self.collection, document)
        return rest.Reply(201, {self.singular: self.view(request, document)})

    def update(self, request, id):
        self.require_admin(request, 'update_' + self.singular)
        self.collection.get(id)
        changes = self._clean(request.json(self._update, MAX_BODY)[self.singular])
        with self.directory.change() as change:
            old = self.collection.get(id)
            document = {**old, **changes, 'id': id}
            self.amend(old, document)
            change.update(self.collection, document)
        return {self.singular: self.view(request, document)}

    def delete(self, request, id):
        self.require_admin(request, 'delete_' + self.singular)
        with self.directory.change() as change:
            document = self.collection.get(id)
            self.follow(change, document)
            change.delete(self.collection, document)

    # Parts of the handlers.

    def require_admin(self, request, action):
        identity.require(request.identity.is_admin, forbidden(action).message)

    def _clean(self, document):
        """What of a caller's document may be stored."""
        return {name: value for name, value in document.items()
                if name not in ('id', 'links') and name not in self.hidden}

    def _matches(self, document, request):
        for name in self.filters:
            wanted = request.argument(name)
            if wanted is not None and not same(document.get(name), wanted):
                return False
        return True

    def view(self, request, document):
        """A document as answers show it."""
        shown = {name: value for name, value in document.items() if name not in self.hidden}
        shown['links'] = {'self': '%s/v3/%s/%s' % (request.host_url, self.plural, document['id'])}
        return shown


def reads_all(caller):
    """Whether a caller may read everything: an administrator, or a reader of the whole system."""
    return caller.is_admin or (caller.system and 'reader' in caller.roles)


def listing(request, plural, documents):
    """The body of a list."""
    url = request.host_url + request.path
    if request.environ.get('QUERY_STRING'):
        url += '?' + request.environ['QUERY_STRING']
    return {plural: documents, 'links': {'self': url, 'next': None, 'previous': None}}


def same(value, wanted):
    """Whether a document's value is what a query parameter asks for."""
    if isinstance(value, bool):
        return value == (wanted.lower() not in ('false', '0', 'no', 'off'))
    return (value or '') == wanted
