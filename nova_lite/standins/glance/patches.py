# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Changes to an image as a JSON patch (RFC 6902: add, replace, remove; or its draft of old), held to what callers may
change."""

from nova_lite.standins import rest
from nova_lite.standins.glance import library

OPERATIONS = ['add', 'replace', 'remove']
MEDIA_TYPE = 'application/openstack-images-v2.1-json-patch'
BODY = rest.schema({'type': 'array', 'maxItems': 1000, 'items': {
    'type': 'object', 'required': ['op', 'path'], 'properties': {
        'op': {'enum': OPERATIONS}, 'path': {'type': 'string', 'pattern': '^/'}}}})
OLD_MEDIA_TYPE = 'application/openstack-images-v2.0-json-patch'
OLD_BODY = rest.schema({'type': 'array', 'maxItems': 1000, 'items': {
    'type': 'object', 'additionalProperties': False, 'oneOf': [{'required': [name]} for name in OPERATIONS],
    'properties': {'value': {}, **{name: {'type': 'string', 'pattern': '^/'} for name in OPERATIONS}}}})
SET_ONCE = ('disk_format', 'container_format')


def from_old(body):
    """A patch of version 2.0, `{"add": "/name", "value": …}`, in the form of 2.1; 400 for what is none."""
    rest.check(OLD_BODY, body)
    return [{'op': name, 'path': item[name], **{key: item[key] for key in item if key == 'value'}}
            for item in body for name in item if name != 'value']


def parse(body):
    """[(operation, name of the field or property, value)] of a patch; 400, 403 for what no image allows."""
    rest.check(BODY, body)
    steps = []
    for item in body:
        name = item['path'][1:]
        if '/' in name:
            raise rest.Fault(400, 'Invalid JSON pointer for this resource: \'%s\'' % item['path'][:255])
        name = name.replace('~1', '/').replace('~0', '~')
        library.check_writable(name)
        if item['op'] == 'remove':
            if name in library.SETTABLE:
                raise rest.Fault(403, 'Property %s may not be removed.' % name)
        elif 'value' not in item:
            raise rest.Fault(400, 'Operation "%s" requires a member named "value".' % item['op'])
        elif name in library.SETTABLE:
            rest.check(library.FIELDS_VALIDATOR, {name: item['value']})
        else:
            library.check_property(name, item['value'])
        steps.append((item['op'], name, item.get('value')))
    return steps


def apply(image, steps):
    """A new document: `image` with the steps taken."""
    image = {**image, 'properties': dict(image['properties'])}
    for operation, name, value in steps:
        if name in library.SETTABLE:
            if name in SET_ONCE and value != image[name] and image['status'] != library.QUEUED:
                raise rest.Fault(403, 'Attribute %s can be only replaced for a queued image.' % name)
            image[name] = list(dict.fromkeys(value)) if name == 'tags' else value
            continue
        if operation != 'add' and name not in image['properties']:
            raise rest.Fault(409, 'Property %s does not exist.' % name[:255])
        if operation == 'remove':
            del image['properties'][name]
        else:
            image['properties'][name] = value
    return image
