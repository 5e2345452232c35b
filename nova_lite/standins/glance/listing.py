# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which images a list shows, in which order, and page by page."""

import csv
import dataclasses
import operator

from oslo_utils import timeutils

from nova_lite.standins import rest
from nova_lite.standins.glance import library

DEFAULT_LIMIT, MAX_LIMIT = 25, 1000
SORT_KEYS = ('name', 'status', 'container_format', 'disk_format', 'size', 'id', 'created_at', 'updated_at',
             'min_disk', 'min_ram', 'owner', 'protected', 'visibility')
COMPARE = {'gt': operator.gt, 'gte': operator.ge, 'lt': operator.lt, 'lte': operator.le, 'eq': operator.eq,
           'neq': operator.ne}
LISTS = ('id', 'name', 'status', 'disk_format', 'container_format')  # fields whose filter may be `in:a,b`
SPECIAL = ('limit', 'marker', 'sort', 'sort_key', 'sort_dir', 'visibility', 'member_status', 'tag', 'os_hidden')


@dataclasses.dataclass(slots=True)
class Query:
    """`filters`: functions of an image; `visibility` and `member_status` as asked for; `sort`: [(key, descending)]."""

    filters: list
    visibility: str | None
    member_status: str
    hidden: bool
    sort: list
    limit: int
    marker: str | None


def parse(request):
    """The Query of a request; 400 for what makes no sense."""
    visibility = request.argument('visibility')
    if visibility not in (None, 'all', *library.VISIBILITIES):
        raise rest.Fault(400, 'Invalid visibility value: %s' % visibility[:64])
    status = request.argument('member_status', 'accepted')
    if status not in ('pending', 'accepted', 'rejected', 'all'):
        raise rest.Fault(400, 'Invalid member status: %s' % status[:64])
    filters = [_tagged(tag) for tag in request.query.get('tag', ())]
    for name, values in request.query.items():
        if name not in SPECIAL:
            filters += [_filter(name, value) for value in values]
    return Query(filters, visibility, status, _flag('os_hidden', request.argument('os_hidden', 'false')),
                 _sort(request), _limit(request.argument('limit')), request.argument('marker'))


def listed(who, image, query):
    """Whether a list that the caller asked for shows an image."""
    return (_in_view(who, image, query) and image['os_hidden'] == query.hidden
            and all(matches(image) for matches in query.filters))


def _in_view(who, image, query):
    visibility = image['visibility']
    if query.visibility not in (None, 'all', visibility):
        return False
    if image['owner'] is not None and image['owner'] == who.project_id:
        return True
    if visibility == 'community':
        return query.visibility in ('community', 'all')
    if visibility == 'public' or who.is_admin:
        return True
    member = image['members'].get(who.project_id) if visibility == 'shared' else None
    return member is not None and query.member_status in ('all', member['status'])


def page(images, query):
    """(the images of one page in order, the id to go on after or None)."""
    for key, descending in reversed((*query.sort, ('created_at', True), ('id', True))):
        images.sort(key=lambda image, key=key: _order(image[key]), reverse=descending)
    start = 0
    if query.marker is not None:
        start = next((index + 1 for index, image in enumerate(images) if image['id'] == query.marker), None)
        if start is None:
            raise rest.Fault(400, 'Invalid marker: image %s was not found.' % query.marker[:64])
    found = images[start:start + query.limit]
    more = start + query.limit < len(images) and found
    return found, found[-1]['id'] if more else None


def _order(value):
    """A sort key under which None comes first."""
    return (value is not None, value if value is not None else 0)


def _sort(request):
    """[(key, descending)] from `sort=key:dir,…` or from `sort_key` and `sort_dir`."""
    text = request.argument('sort')
    if text is not None:
        pairs = [(part.partition(':')[0], part.partition(':')[2] or 'desc') for part in text.split(',')]
    else:
        keys, directions = request.query.get('sort_key', []), request.query.get('sort_dir', [])
        if len(directions) not in (0, 1, len(keys)) and keys:
            raise rest.Fault(400, 'Number of sort dirs does not match the number of sort keys')
        if not keys and directions:
            keys = ['created_at']
        directions = directions * len(keys) if len(directions) == 1 else directions or ['desc'] * len(keys)
        pairs = list(zip(keys, directions, strict=True))
    for key, direction in pairs:
        if key not in SORT_KEYS or direction not in ('asc', 'desc'):
            raise rest.Fault(400, 'Invalid sort: %s:%s' % (key[:64], direction[:64]))
    return [(key, direction == 'desc') for key, direction in pairs]


def _limit(text):
    if text is None:
        return DEFAULT_LIMIT
    return min(_number('limit', text), MAX_LIMIT)


def _number(name, text):
    if not (text.isascii() and text.isdigit()):
        raise rest.Fault(400, '%s is not a number: %s' % (name, text[:64]))
    return int(text[:18])


def _flag(name, text):
    if text.lower() not in ('true', 'false'):
        raise rest.Fault(400, '%s is neither true nor false: %s' % (name, text[:64]))
    return text.lower() == 'true'


def _tagged(tag):
    return lambda image: tag in image['tags']


def _filter(name, text):
    """A function that says whether an image's field or property is what the filter asks for."""
    if name in ('size_min', 'size_max'):
        number = _number(name, text)
        compare = operator.ge if name == 'size_min' else operator.le
        return lambda image: image['size'] is not None and compare(image['size'], number)
    if name in ('created_at', 'updated_at'):
        prefix, colon, rest_of_text = text.partition(':')
        compare = COMPARE.get(prefix, operator.eq) if colon else operator.eq
        moment = _moment(rest_of_text if prefix in COMPARE else text)
        return lambda image: compare(image[name], moment)
    if name in ('protected',):
        flag = _flag(name, text)
        return lambda image: image[name] == flag
    if name in ('size', 'min_disk', 'min_ram', 'virtual_size'):
        number = _number(name, text)
        return lambda image: image[name] == number
    if name in LISTS and text.startswith('in:'):
        wanted = set(next(csv.reader([text[3:]]), ()))
        return lambda image: image[name] in wanted
    if name in library.SETTABLE or name in library.READ_ONLY:
        return lambda image: image.get(name) == text
    return lambda image: image['properties'].get(name) == text


def _moment(text):
    try:
        return timeutils.normalize_time(timeutils.parse_isotime(text)).strftime('%Y-%m-%dT%H:%M:%SZ')
    except ValueError:
        raise rest.Fault(400, 'Not a time: %s' % text[:64]) from None
