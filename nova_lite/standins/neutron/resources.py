# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What networks, subnets, ports, security groups and their rules have in common: the five calls on each, and tags.

A kind of resource is a subclass that says which attributes it has and what creating, changing and deleting one means.
"""

import datetime
import re
import uuid

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import listing
from nova_lite.standins.neutron import quotas

MAX_BULK = 1000


def now():
    return datetime.datetime.now(datetime.UTC).strftime('%Y-%m-%dT%H:%M:%SZ')


def standard(project_id):
    """The attributes that every new record has."""
    time = now()
    return {'id': str(uuid.uuid4()), 'project_id': project_id, 'tenant_id': project_id, 'created_at': time,
            'updated_at': time, 'revision_number': 1}


def revised(record):
    """A changed record with its new revision."""
    return {**record, 'updated_at': now(), 'revision_number': record['revision_number'] + 1}


class Resource:
    """The REST calls on one kind of resource. Subclasses fill in the names, the attributes and the steps."""

    kind = ''  # 'network'
    plural = ''  # 'networks', also the key of the list
    path = ''  # 'networks', the segment of the URL
    attributes = {}
    taggable = True
    updatable = True
    indexed = ('id',)  # filters that an index of the records serves

    def __init__(self, records):
        self.records = records
        self._names = set(self.attributes)
        self._shown = {name for name, attribute in self.attributes.items() if not attribute.hidden}

    def routes(self):
        one, many = '/v2.0/%s/{identifier}' % self.path, '/v2.0/' + self.path
        routes = [rest.Route('GET', many, self.list), rest.Route('POST', many, self.create),
                  rest.Route('GET', one, self.show), rest.Route('DELETE', one, self.delete)]
        if self.updatable:
            routes.append(rest.Route('PUT', one, self.update))
        if self.taggable:
            routes += [
                rest.Route('GET', one + '/tags', self.list_tags), rest.Route('PUT', one + '/tags', self.set_tags),
                rest.Route('POST', one + '/tags', self.add_tags), rest.Route('DELETE', one + '/tags', self.clear_tags),
                rest.Route('GET', one + '/tags/{tag}', self.has_tag),
                rest.Route('PUT', one + '/tags/{tag}', self.add_tag),
                rest.Route('DELETE', one + '/tags/{tag}', self.remove_tag)]
        return routes

    # What subclasses say.

    def visible(self, identity, record):
        return access.owns(identity, record)

    def render(self, record):
        """The JSON object of a record, all attributes; what is no attribute is left out of answers."""
        return record

    def build(self, identity, record):
        """Complete and check a new record, whose given values and standard attributes are set; returns it.

        Runs inside a change block, before the record is put.
        """
        return record

    def built(self, record):
        """What follows from a new record, inside the change block."""

    def revise(self, identity, record, values):
        """The record with the checked new values; inside a change block."""
        return {**record, **values}

    def remove(self, identity, record):
        """Check that a record may go and remove what goes with it; inside a change block."""

    def changed(self, record):
        """Tell others, after the change is in the database; returns the record if that changed it further."""

    # The calls.

    def view(self, identity, record):
        """The JSON object of a record as the caller may see it."""
        shown = self._names if access.privileged(identity) else self._shown
        return {name: value for name, value in self.render(record).items() if name in shown}

    def find(self, identity, identifier):
        """The record, or a 404 fault when it is not there for this caller."""
        record = self.records.get(self.kind, identifier)
        if record is None or not self.visible(identity, record):
            raise faults.missing(self.kind, identifier)
        return record

    def find_own(self, identity, identifier, rule):
        """The record for a caller who wants to change it: 404 if not visible, 403 if it is another's."""
        record = self.find(identity, identifier)
        access.require_writer(identity, rule)
        if not access.owns(identity, record):
            raise faults.forbidden(rule)
        return record

    def list(self, request):
        identity = request.identity
        views = [self.view(identity, record) for record in self._candidates(request)
                 if self.visible(identity, record)]
        return listing.select(request, self._names, self.plural, views)

    def _candidates(self, request):
        """The records that can pass the request's filters, by the best index there is."""
        for name in self.indexed:
            values = request.query.get(name)
            if values and name == 'id':
                found = (self.records.get(self.kind, value) for value in dict.fromkeys(values))
                return [record for record in found if record is not None]
            if values:
                return [record for value in dict.fromkeys(values)
                        for record in self.records.find(self.kind, name, value)]
        return self.records.all(self.kind)

    def show(self, request, identifier):
        record = self.find(request.identity, identifier)
        return {self.kind: listing.pick(request, self.view(request.identity, record))}

    def create(self, request):
        identity, body = request.identity, request.json()
        rule = 'create_' + self.kind
        access.require_writer(identity, rule)
        if not isinstance(body, dict) or len(body) != 1 or not {self.kind, self.plural} & set(body):
            raise faults.bad("Unable to find '%s' in request body" % self.kind)
        bulk = self.plural in body
        documents = body[self.plural] if bulk else [body[self.kind]]
        if not isinstance(documents, list) or not 0 < len(documents) <= MAX_BULK:
            raise faults.bad('The request needs a list of 1 to %d resources' % MAX_BULK)
        records = []
        with self.records.change():
            for document in documents:
                records.append(self._create_one(identity, document, rule))
        views = [self.view(identity, self.changed(record) or record) for record in records]
        return rest.Reply(201, {self.plural: views} if bulk else {self.kind: views[0]})

    def _create_one(self, identity, document, rule):
        values = attributes.parse(self.attributes, document)
        access.require_settable(identity, self.attributes, values, rule)
        return self.add(identity, values)

    def add(self, identity, values):
        """Make and put a record from checked values; returns it. Only inside a change block."""
        project_id = access.project(identity, values)
        self.before_create(project_id)
        quotas.require(self.records, self.kind, project_id)
        record = self.build(identity, {**values, **standard(project_id)})
        if self.taggable:
            record = {**record, 'tags': list(record.get('tags', ()))}
        self.records.put(self.kind, record)
        self.built(record)
        return record

    def before_create(self, project_id):
        """What a project needs before it gets its first resource; inside the change block."""

    def update(self, request, identifier):
        identity, body = request.identity, request.json()
        rule = 'update_' + self.kind
        if not isinstance(body, dict) or set(body) != {self.kind}:
            raise faults.bad("Unable to find '%s' in request body" % self.kind)
        with self.records.change():
            record = self.find_own(identity, identifier, rule)
            _require_revision(request, record)
            values = attributes.parse(self.attributes, body[self.kind], update=True)
            access.require_settable(identity, self.attributes, values, rule, update=True)
            record = self.save(self.revise(identity, record, values))
        return {self.kind: self.view(identity, self.changed(record) or record)}

    def save(self, record):
        """Put a changed record, with its new revision; returns it. Only inside a change block."""
        record = revised(record)
        self.records.put(self.kind, record)
        return record

    def delete(self, request, identifier):
        with self.records.change():
            record = self.find_own(request.identity, identifier, 'delete_' + self.kind)
            _require_revision(request, record)
            self.remove(request.identity, record)
            self.records.delete(self.kind, identifier)
        self.changed(record)

    # Tags.

    def list_tags(self, request, identifier):
        return {'tags': self.find(request.identity, identifier)['tags']}

    def has_tag(self, request, identifier, tag):
        if tag not in self.find(request.identity, identifier)['tags']:
            raise rest.Fault(404, 'Tag %s could not be found.' % tag[:255], 'TagNotFound')

    def set_tags(self, request, identifier):
        tags = _named_tags(request)
        return {'tags': self._retag(request, identifier, lambda _tags: tags)}

    def add_tags(self, request, identifier):
        tags = _named_tags(request)
        self._retag(request, identifier, lambda old: old + [tag for tag in tags if tag not in old])
        return {'tags': tags}

    def clear_tags(self, request, identifier):
        self._retag(request, identifier, lambda _tags: [])

    def add_tag(self, request, identifier, tag):
        if len(tag) > 255:
            raise faults.bad('Invalid input for tag. Reason: it exceeds maximum length of 255.')
        self._retag(request, identifier, lambda tags: tags if tag in tags else [*tags, tag])
        return rest.Reply(201)

    def remove_tag(self, request, identifier, tag):
        self.has_tag(request, identifier, tag)
        self._retag(request, identifier, lambda tags: [other for other in tags if other != tag])

    def _retag(self, request, identifier, change):
        with self.records.change():
            record = self.find_own(request.identity, identifier, 'update_%s:tags' % self.path)
            tags = sorted(change(record['tags']))
            if len(tags) > attributes.MAX_TAGS:
                raise faults.invalid('a resource has at most %d tags' % attributes.MAX_TAGS)
            self.save({**record, 'tags': tags})
        return tags


def _named_tags(request):
    """The tags in the body {'tags': [...]} of a request."""
    body = request.json()
    if not isinstance(body, dict) or set(body) != {'tags'}:
        raise faults.invalid('Invalid tags body')
    try:
        return attributes.tag_list(body['tags'])
    except ValueError as error:
        raise faults.invalid(str(error)) from None


def _require_revision(request, record):
    """Raise a 412 when the caller names a revision (`If-Match: revision_number=N`) that is not the present one."""
    condition = request.header('If-Match')
    if condition is None:
        return
    named = re.fullmatch(r'"?revision_number=([0-9]{1,15})"?', condition.strip())
    if named is None:
        raise faults.bad('If-Match has to be revision_number=N')
    if int(named[1]) != record['revision_number']:
        raise rest.Fault(412, 'Constrained to %s, but current revision is %d' % (named[1], record['revision_number']),
                         'RevisionNumberConstraintFailed')
