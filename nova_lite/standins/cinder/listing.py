# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What every list request may ask for: filters, a sort order and a page."""

import ast
import dataclasses
import operator
from urllib import parse

from oslo_utils import timeutils

from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import records
from nova_lite.standins.cinder import schemas

MAX_LIMIT = 1000
_CONTROL = {'limit', 'marker', 'offset', 'sort', 'sort_key', 'sort_dir', 'with_count', 'all_tenants'}
_COMPARE = {'gt': operator.gt, 'gte': operator.ge, 'eq': operator.eq, 'neq': operator.ne, 'lt': operator.lt,
            'lte': operator.le}
_LIKE = 34  # microversion of filters that match a part: `name~`
_REFUSED = 31  # microversion from which an unknown filter is an error
_COUNTED = 45  # microversion of with_count
_TIMES = ('created_at', 'updated_at')


@dataclasses.dataclass(frozen=True)
class Kind:
    """What a list is of. `filters` are everybody's; administrators may filter by any field of a document."""

    name: str  # as in a fault: 'volume'
    plural: str  # the key of the list
    links: str  # the key of its links
    sort_keys: tuple
    filters: tuple
    renamed: tuple = (('display_name', 'name'), ('display_description', 'description'))


def select(request, kind, found, view):
    """The answer to a list request over the documents `found`, each shown by `view(document)`."""
    limit, offset = min(_number(request, 'limit', MAX_LIMIT), MAX_LIMIT), _number(request, 'offset', 0)
    tests = _tests(request, kind)
    found = [document for document in found if all(test(document) for test in tests)]
    _sort(request, kind, found)
    start = offset
    marker = request.argument('marker')
    if marker is not None:
        place = next((index for index, document in enumerate(found) if document['id'] == marker), None)
        if place is None:
            raise faults.missing(kind.name, marker)
        start += place + 1
    page = found[start:start + limit]
    answer = {kind.plural: [view(document) for document in page]}
    if page and len(page) == limit:  # clients go on until they get a page that is not full
        answer[kind.links] = [{'rel': 'next', 'href': _href(request, page[-1]['id'])}]
    if request.version >= _COUNTED and schemas.argument(request, 'with_count'):
        answer['count'] = len(found)
    return answer


def in_view(request, collection):
    """The documents of the caller's project, or of all of them when an administrator asks for that."""
    who = request.identity
    everywhere = schemas.argument(request, 'all_tenants')
    if not (who.is_admin and everywhere):
        return [document for document in collection if document['project_id'] == who.project_id]
    wanted = request.argument('project_id')
    return [document for document in collection if wanted in (None, document['project_id'])]


def _number(request, name, default):
    text = request.argument(name)
    if text is None:
        return default
    label = name + ' param' if name == 'limit' else name
    digits = text[1:] if text[:1] == '-' else text
    if not (digits.isascii() and digits.isdigit()):
        raise faults.bad('%s must be an integer' % label)
    if digits is not text:
        raise faults.bad('%s must be positive' % label)
    return min(int(digits[:18]), 2 ** 31 - 1)


def _tests(request, kind):
    """A function of a document for each filter of the request."""
    tests, unknown = [], []
    renamed = dict(kind.renamed)
    for asked, values in request.query.items():
        if asked in _CONTROL or (asked == 'project_id' and request.identity.is_admin):
            continue
        like = asked.endswith('~') and request.version >= _LIKE
        name = asked.rstrip('~')
        name = renamed.get(name, name)
        if name in kind.filters or request.identity.is_admin:
            tests.append(_test(name, values[-1], like))
        else:
            unknown.append(asked[:64])
    if unknown and request.version >= _REFUSED:
        raise faults.bad('Invalid filters %s are found in query options.' % ','.join(unknown))
    return tests


def _test(name, text, like):
    if name in _TIMES:
        return _time_test(name, text)
    if name in ('metadata', 'glance_metadata', 'extra_specs'):
        return _dictionary_test('image_metadata' if name == 'glance_metadata' else name, text)
    if name in ('bootable', 'consumes_quota', 'is_public'):
        if text.lower() not in [str(word).lower() for word in (*schemas.TRUE, *schemas.FALSE)]:
            raise faults.invalid_input("'%s = %s'" % (name, text[:64]))
        wanted = text.lower() in [str(word).lower() for word in schemas.TRUE]
        return lambda document: document.get(name, True) == wanted
    if like:
        return lambda document: text in str(document.get(name) or '')
    return lambda document: str(document.get(name)) == text


def _dictionary_test(name, text):
    """A filter like {'key': 'value'}, as Python or as JSON."""
    try:
        wanted = ast.literal_eval(text[:10000])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        wanted = None
    if not isinstance(wanted, dict):
        return lambda document: False
    return lambda document: wanted.items() <= (document.get(name) or {}).items()


def _time_test(name, text):
    """Comparisons `gt:2026-01-01T00:00:00`, all of those that commas divide."""
    tests = []
    for part in text.split(','):
        word, colon, moment = part.partition(':')
        compare = operator.eq
        if colon and not word.isdigit() and 'T' not in word:
            if word not in _COMPARE:
                raise faults.bad('Invalid %s operator' % word[:64])
            compare, part = _COMPARE[word], moment
        try:
            wanted = records.timestamp(timeutils.normalize_time(timeutils.parse_isotime(part)))
        except (ValueError, OverflowError):
            raise faults.bad('Invalid %s value' % part[:64]) from None
        tests.append((compare, wanted))
    return lambda document: document[name] is not None and all(
        compare(document[name], wanted) for compare, wanted in tests)


def _sort(request, kind, found):
    """Put documents in the order that is asked for; the newest comes first where nothing is said."""
    for key, descending in reversed((*_order(request), ('created_at', True), ('id', True))):
        key = dict(kind.renamed).get(key, key)
        if key not in (*kind.sort_keys, 'id', 'created_at'):
            raise faults.invalid_input('Invalid sort key')
        found.sort(key=lambda document, key=key: _comparable(document.get(key)), reverse=descending)


def _order(request):
    """[(key, descending)] from `sort=key:dir,…` or from `sort_key` and `sort_dir`."""
    text = request.argument('sort')
    key, direction = request.argument('sort_key'), request.argument('sort_dir')
    if text is None:
        pairs = [(key or 'created_at', direction or 'desc')] if key or direction else []
    elif key or direction:
        raise faults.bad("The 'sort_key' and 'sort_dir' parameters are deprecated and cannot be used with the 'sort' "
                         'parameter.')
    else:
        pairs = [(part.partition(':')[0].strip(), part.partition(':')[2].strip() or 'desc')
                 for part in text.split(',')[:32]]
    for _, direction in pairs:
        if direction not in ('asc', 'desc'):
            raise faults.invalid_input("Unknown sort direction, must be 'desc' or 'asc'.")
    return [(key, direction == 'desc') for key, direction in pairs]


def _comparable(value):
    """A sort key under which None comes first and numbers before texts."""
    return (value is not None, isinstance(value, str), value if value is not None else 0)


def _href(request, marker):
    query = {name: values for name, values in request.query.items() if name not in ('marker', 'offset')}
    query['marker'] = [marker]
    return '%s%s?%s' % (request.host_url, request.path, parse.urlencode(query, doseq=True))
