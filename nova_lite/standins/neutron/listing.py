# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What every list request may ask for: filters, a sort order, a page, and only some fields."""

from urllib import parse

from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults

_CONTROL = {'fields', 'limit', 'marker', 'sort_key', 'sort_dir', 'page_reverse'}
_TAG_FILTERS = {'tags': (all, False), 'tags-any': (any, False), 'not-tags': (all, True), 'not-tags-any': (any, True)}
MAX_PAGE = 10000


def select(request, names, plural, views):
    """The answer to a list request over `views`, the JSON objects that the caller may see.

    `names` are the attributes that can be filtered and sorted by.
    """
    filters = {name: values for name, values in request.query.items() if name not in _CONTROL}
    unknown = sorted(name for name in filters if name not in names and name not in _TAG_FILTERS)
    if unknown:
        raise faults.bad('%s is invalid attribute for filtering' % [name[:100] for name in unknown])
    tests = [_test(name, values) for name, values in filters.items()]
    found = [view for view in views if all(test(view) for test in tests)]
    _sort(request, names, found)
    page, links = _page(request, plural, found)
    answer = {plural: [pick(request, view) for view in page]}
    if links:
        answer[plural + '_links'] = links
    return answer


def pick(request, view):
    """The view, cut down to the fields that the request asks for."""
    wanted = {name for name in request.query.get('fields', ()) if name}
    return {name: value for name, value in view.items() if name in wanted} if wanted else view


def _test(name, values):
    """A function that tells whether a view passes one filter; several values mean any of them."""
    if name in _TAG_FILTERS:
        how, negated = _TAG_FILTERS[name]
        tags = [tag for value in values for tag in value.split(',')]
        return lambda view: how(tag in view.get('tags', ()) for tag in tags) != negated
    if name == 'fixed_ips':
        return _fixed_ips_test(values)
    wanted = set(values)

    def passes(view):
        value = view.get(name)
        if isinstance(value, bool):
            return any(_boolean(text) == value for text in wanted)
        if isinstance(value, list):
            return any(str(entry) in wanted for entry in value)
        return ('' if value is None else str(value)) in wanted
    return passes


def _boolean(text):
    try:
        return attributes.boolean(text)
    except ValueError:
        return None


def _fixed_ips_test(values):
    """`fixed_ips=ip_address=10.0.0.5`, `subnet_id=…`, `ip_address_substr=…`: one of each kind that is named."""
    wanted = {}
    for value in values:
        key, equals, text = value.partition('=')
        if key not in ('ip_address', 'subnet_id', 'ip_address_substr') or not equals:
            raise faults.bad('Invalid value for the filter fixed_ips: %r' % value[:100])
        wanted.setdefault(key, []).append(text)
    substrings = wanted.pop('ip_address_substr', None)

    def passes(view):
        return any(all(fixed[key] in texts for key, texts in wanted.items())
                   and (substrings is None or any(text in fixed['ip_address'] for text in substrings))
                   for fixed in view['fixed_ips'])
    return passes


def _sort(request, names, views):
    keys = request.query.get('sort_key', [])
    directions = request.query.get('sort_dir', [])
    if len(directions) not in (0, len(keys)):
        raise faults.bad('The number of sort_keys and sort_dirs must be same')
    directions = directions or ['asc'] * len(keys)
    for key, direction in reversed(list(zip(keys, directions, strict=True))):
        if key not in names or any(isinstance(view.get(key), (list, dict)) for view in views):
            raise faults.bad('%s is invalid attribute for sort_key' % [key[:100]])
        if direction not in ('asc', 'desc'):
            raise faults.bad('%r is invalid value for sort_dir' % direction[:100])
        views.sort(key=lambda view: _sort_value(view.get(key)), reverse=direction == 'desc')


def _sort_value(value):
    """Something that compares with the same attribute of any other record; None comes first."""
    return (value is not None, isinstance(value, str), value if value is not None else 0)


def _page(request, plural, views):
    """The part of the list that the request asks for, and the links to its neighbours."""
    limit = _limit(request)
    marker = request.argument('marker')
    reverse = _boolean(request.argument('page_reverse', 'false')) is True
    if marker:
        place = next((index for index, view in enumerate(views) if view.get('id') == marker), None)
        if place is None:
            raise faults.invalid('the marker %s could not be found' % marker[:100])
        rest = views[:place] if reverse else views[place + 1:]
    else:
        rest = views
    if limit is None:
        return rest, []
    page = rest[-limit:] if reverse else rest[:limit]
    links = []
    if page and page[-1] is not views[-1]:
        links.append({'rel': 'next', 'href': _href(request, page[-1]['id'], reverse=False)})
    if page and page[0] is not views[0]:
        links.append({'rel': 'previous', 'href': _href(request, page[0]['id'], reverse=True)})
    return page, links


def _limit(request):
    text = request.argument('limit')
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 10:
        raise faults.bad("Limit must be an integer 0 or greater and not '%s'" % text[:100], 'BadRequest')
    return min(int(text), MAX_PAGE) or None


def _href(request, marker, reverse):
    query = {name: values for name, values in request.query.items() if name not in ('marker', 'page_reverse')}
    query['marker'] = [marker]
    if reverse:
        query['page_reverse'] = ['True']
    return '%s%s?%s' % (request.host_url, request.path, parse.urlencode(query, doseq=True))
