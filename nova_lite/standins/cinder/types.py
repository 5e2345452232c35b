# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`types`: kinds of volumes with their extra specs and the projects that may use a private one; default types."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import listing
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import schemas

LIST = listing.Kind('type', 'volume_types', 'volume_type_links',
                    sort_keys=('name', 'description', 'updated_at', 'is_public'),
                    filters=('name', 'description', 'extra_specs'))
USER_VISIBLE = ('multiattach', 'RESKEY:availability_zones', 'replication_enabled')  # extra specs that all may read
_PUBLIC = 'os-volume-type-access:is_public'
_CREATE = schemas.wrapped('volume_type', {
    'name': schemas.NAME, 'description': schemas.TEXT, 'extra_specs': schemas.SPECS, _PUBLIC: schemas.BOOLEAN},
    required=['name'])
_UPDATE = schemas.wrapped('volume_type', {
    'name': {**schemas.NAME, 'type': ['string', 'null']}, 'description': schemas.TEXT, 'is_public': schemas.BOOLEAN})
_SPECS = rest.schema({'type': 'object', 'required': ['extra_specs'], 'additionalProperties': False,
                      'properties': {'extra_specs': {**schemas.SPECS, 'minProperties': 1}}})
_SPEC = rest.schema({**schemas.SPECS, 'minProperties': 1, 'maxProperties': 1})
_ACCESS = {'type': 'object', 'required': ['project'], 'additionalProperties': False,
           'properties': {'project': schemas.NAME}}
_ACTIONS = rest.schema({
    'type': 'object', 'minProperties': 1, 'maxProperties': 1, 'additionalProperties': False,
    'properties': {'addProjectAccess': _ACCESS, 'removeProjectAccess': _ACCESS}})
_DEFAULT = schemas.wrapped('default_type', {'volume_type': schemas.NAME}, required=['volume_type'])


class Types:
    """`default` is the name of the type of volumes that name none."""

    def __init__(self, records, default):
        self._records = records
        self._default = default

    def routes(self):
        one, specs, defaults = '/types/{identifier}', '/types/{identifier}/extra_specs', '/default-types'
        return [
            ('GET', '/types', self.list), ('POST', '/types', self.create), ('GET', one, self.show),
            ('PUT', one, self.update), ('DELETE', one, self.delete), ('POST', one + '/action', self.act),
            ('GET', one + '/os-volume-type-access', self.projects), ('GET', specs, self.list_specs),
            ('POST', specs, self.add_specs), ('GET', specs + '/{key}', self.show_spec),
            ('PUT', specs + '/{key}', self.set_spec), ('DELETE', specs + '/{key}', self.remove_spec),
            ('GET', one + '/encryption', self.encryption), ('POST', one + '/encryption', self.encrypt),
            ('GET', defaults, self.list_defaults, 62),
            ('GET', defaults + '/{target}', self.show_default, 62),
            ('PUT', defaults + '/{target}', self.set_default, 62),
            ('DELETE', defaults + '/{target}', self.unset_default, 62)]

    def find(self, who, identifier):
        """The type, if the caller may use it; else 404."""
        kind = self._records.types.by_id.get(identifier)
        if kind is None or not _may_use(who, kind):
            raise faults.missing('type', identifier)
        return kind

    def named(self, who, text):
        """The type of that id or name."""
        kind = self._records.types.by_id.get(text) or self._records.types.find(text)
        if kind is None or not _may_use(who, kind):
            raise faults.missing('type', text) if rest.is_uuid(text) else rest.Fault(
                404, 'Volume type with name %s could not be found.' % text[:255])
        return kind

    def default(self, who):
        """The type of the caller's volumes that name none."""
        own = self._records.default_types.by_id.get(who.project_id or '')
        kind = self._records.types.by_id.get(own['type_id']) if own else None
        kind = kind or self._records.types.find(self._default) or self._records.types.find(
            record_module.DEFAULT_TYPE)
        if kind is None:
            raise rest.Fault(404, 'Default volume type can not be found.')
        return kind

    def list(self, request):
        who = request.identity
        asked = request.argument('is_public')
        public = True
        if who.is_admin and asked is not None:
            if asked.lower() not in ('none', 'true', 'false', '1', '0', 't', 'f', 'yes', 'no'):
                raise faults.bad('Invalid is_public filter [%s]' % asked[:64])
            public = None if asked.lower() == 'none' else asked.lower() in ('true', '1', 't', 'yes')
        request.query.pop('is_public', None)
        found = [kind for kind in self._records.types
                 if (public in (None, kind['is_public']) if who.is_admin else _may_use(who, kind))]
        return listing.select(request, LIST, found, lambda kind: _view(request, kind))

    def show(self, request, identifier):
        kind = self.default(request.identity) if identifier == 'default' else self.find(request.identity, identifier)
        return {'volume_type': _view(request, kind)}

    def create(self, request):
        access.require_admin(request.identity, 'volume_extension:type_create')
        body = schemas.read(request, _CREATE)['volume_type']
        kind = {'id': record_module.new_id(), 'name': body['name'], 'description': body.get('description'),
                'is_public': schemas.flag(body.get(_PUBLIC, True)), 'extra_specs': body.get('extra_specs') or {},
                'projects': [], 'created_at': record_module.now(), 'updated_at': None}
        with self._records.change() as change:
            self._require_free(kind['name'])
            change.insert(self._records.types, kind)
        return {'volume_type': {**_written(kind), _PUBLIC: kind['is_public']}}

    def update(self, request, identifier):
        access.require_admin(request.identity, 'volume_extension:type_update')
        body = schemas.read(request, _UPDATE)['volume_type']
        if not {name for name, value in body.items() if value is not None}:
            raise faults.bad('Specify volume type name, description, is_public or a combination thereof.')
        if 'is_public' in body:
            body['is_public'] = schemas.flag(body['is_public'])
        with self._records.change() as change:
            old = self.find(request.identity, identifier)
            fields = {name: value for name, value in body.items() if value is not None or name == 'description'}
            if fields.get('name', old['name']) != old['name']:
                self._require_free(fields['name'])
                if old['name'] in (self._default, record_module.DEFAULT_TYPE):
                    raise faults.bad('The default volume type cannot be renamed.')
            kind = record_module.changed(old, **fields)
            change.update(self._records.types, kind)
        return {'volume_type': _written(kind)}

    def _require_free(self, name):
        if self._records.types.find(name) is not None:
            raise rest.Fault(409, 'Volume Type %s already exists.' % name)

    def delete(self, request, identifier):
        access.require_admin(request.identity, 'volume_extension:type_delete')
        with self._records.change() as change:
            kind = self.find(request.identity, identifier)
            defaults = {item['type_id'] for item in self._records.default_types}
            if kind['name'] in (self._default, record_module.DEFAULT_TYPE) or kind['id'] in defaults:
                raise faults.bad('The volume type %s is a default volume type and cannot be deleted.' % kind['id'])
            if any(item['type_id'] == kind['id'] for collection in (self._records.volumes, self._records.snapshots)
                   for item in collection):
                raise faults.bad('Target volume type is still in use.')
            change.delete(self._records.types, kind)
        return rest.Reply(202)

    def _change(self, request, identifier, rule, **fields):
        """Change a type: `fields` are functions of the old one."""
        access.require_admin(request.identity, rule)
        with self._records.change() as change:
            kind = self.find(request.identity, identifier)
            kind = record_module.changed(kind, **{name: function(kind) for name, function in fields.items()})
            change.update(self._records.types, kind)

    def list_specs(self, request, identifier):
        return {'extra_specs': _specs(request, self.find(request.identity, identifier))}

    def add_specs(self, request, identifier):
        specs = schemas.read(request, _SPECS)['extra_specs']
        self._change(request, identifier, 'volume_extension:types_extra_specs:create',
                     extra_specs=lambda kind: {**kind['extra_specs'], **specs})
        return {'extra_specs': specs}

    def show_spec(self, request, identifier, key):
        specs = _specs(request, self.find(request.identity, identifier))
        if key not in specs:
            raise _no_spec(identifier, key)
        return {key: specs[key]}

    def set_spec(self, request, identifier, key):
        specs = schemas.read(request, _SPEC)
        if key not in specs:
            raise faults.bad('Request body and URI mismatch')
        self._change(request, identifier, 'volume_extension:types_extra_specs:update',
                     extra_specs=lambda kind: {**kind['extra_specs'], **specs})
        return specs

    def remove_spec(self, request, identifier, key):
        def without(kind):
            if key not in kind['extra_specs']:
                raise _no_spec(identifier, key)
            return {name: value for name, value in kind['extra_specs'].items() if name != key}
        self._change(request, identifier, 'volume_extension:types_extra_specs:delete', extra_specs=without)
        return rest.Reply(202)

    def encryption(self, request, identifier):
        """Volumes are never encrypted."""
        access.require_admin(request.identity, 'volume_extension:volume_type_encryption:get')
        self.find(request.identity, identifier)
        return {}

    def encrypt(self, request, identifier):
        access.require_admin(request.identity, 'volume_extension:volume_type_encryption:create')
        self.find(request.identity, identifier)
        raise faults.bad('Volumes here are not encrypted.')

    def projects(self, request, identifier):
        access.require_admin(request.identity, 'volume_extension:volume_type_access')
        kind = self.find(request.identity, identifier)
        if kind['is_public']:
            raise rest.Fault(404, 'Access list not available for public volume types.')
        return {'volume_type_access': [{'volume_type_id': kind['id'], 'project_id': project}
                                       for project in kind['projects']]}

    def act(self, request, identifier):
        """Give a project a private type, or take it away."""
        (name, body), = schemas.read(request, _ACTIONS).items()
        project, adding = body['project'], name == 'addProjectAccess'

        def projects(kind):
            if kind['is_public']:
                raise faults.bad('Invalid volume type: Type access modification is not applicable to public volume '
                                 'type.')
            if adding and project in kind['projects']:
                raise rest.Fault(409, 'Volume type access for %s / %s combination already exists.'
                                 % (identifier, project))
            if not adding and project not in kind['projects']:
                raise rest.Fault(404, 'Volume type access not found for %s / %s combination.'
                                 % (identifier, project))
            others = [other for other in kind['projects'] if other != project]
            return [*others, project] if adding else others
        self._change(request, identifier, 'volume_extension:volume_type_access:' + name, projects=projects)
        return rest.Reply(202)

    def list_defaults(self, request):
        access.require_admin(request.identity, 'volume_extension:default_get_all')
        return {'default_types': [_default_view(item) for item in self._records.default_types]}

    def show_default(self, request, target):
        access.require_admin(request.identity, 'volume_extension:default_get')
        return {'default_type': _default_view(self._default_of(target))}

    def set_default(self, request, target):
        access.require_admin(request.identity, 'volume_extension:default_set_or_update')
        text = schemas.read(request, _DEFAULT)['default_type']['volume_type']
        with self._records.change() as change:
            item = {'id': target, 'type_id': self.named(request.identity, text)['id']}
            if target in self._records.default_types.by_id:
                change.update(self._records.default_types, item)
            else:
                change.insert(self._records.default_types, item)
        return {'default_type': _default_view(item)}

    def unset_default(self, request, target):
        access.require_admin(request.identity, 'volume_extension:default_unset')
        with self._records.change() as change:
            change.delete(self._records.default_types, self._default_of(target))

    def _default_of(self, target):
        item = self._records.default_types.by_id.get(target)
        if item is None:
            raise rest.Fault(404, 'Default type for project %s not found.' % target[:255])
        return item


def multiattach(kind):
    """Whether volumes of a type may be attached to several servers at once."""
    return kind['extra_specs'].get('multiattach') == '<is> True'


def _may_use(who, kind):
    return kind['is_public'] or who.is_admin or who.project_id in kind['projects']


def _specs(request, kind):
    """The extra specs of a type that the caller may read."""
    specs = kind['extra_specs']
    return specs if request.identity.is_admin else {name: specs[name] for name in USER_VISIBLE if name in specs}


def _written(kind):
    """A type as the answer to what made or changed it."""
    return {name: kind[name] for name in ('id', 'name', 'is_public', 'description', 'extra_specs')}


def _view(request, kind):
    shown = {name: kind[name] for name in ('id', 'name', 'is_public', 'description')}
    shown.update({'extra_specs': _specs(request, kind), _PUBLIC: kind['is_public']})
    if request.identity.is_admin:
        shown['qos_specs_id'] = None
    return shown


def _default_view(item):
    return {'project_id': item['id'], 'volume_type_id': item['type_id']}


def _no_spec(identifier, key):
    return rest.Fault(404, 'Volume Type %s has no extra specs with key %s.' % (identifier[:64], key[:255]))
