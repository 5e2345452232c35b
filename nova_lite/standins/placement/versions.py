# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Placement's microversions, media types and errors: what holds for every one of its requests."""

import email.utils

from nova_lite.standins import identity
from nova_lite.standins import rest

MINIMUM, MAXIMUM = 0, 39  # of 1.x
HEADER = 'HTTP_OPENSTACK_API_VERSION'
EXPLANATIONS = {  # what `detail` begins with
    400: 'The server could not comply with the request since it is either malformed or otherwise incorrect.',
    401: 'The request you have made requires authentication.',
    403: 'Access was denied to this resource.',
    404: 'The resource could not be found.',
    405: 'The method specified is not allowed for this resource.',
    406: 'The resource could not be generated in a form that the caller accepts.',
    409: 'There was a conflict when trying to complete your request.',
    413: 'The body of your request was too large for this server.',
    415: 'The request media type is not supported by this server.',
    500: 'The server met an unexpected condition.',
    503: 'The server is currently unavailable.',
}


def before(request):
    """Settle the microversion of a request and check its media types."""
    request.version = MINIMUM
    request.version = _version(request.environ.get(HEADER))
    request.reply_headers += [('OpenStack-API-Version', 'placement 1.%d' % request.version),
                              ('Vary', 'openstack-api-version')]
    try:
        length = request.content_length
    except rest.Fault:
        raise rest.Fault(400, 'content-length header must be an integer') from None
    if length and not request.content_type:
        raise rest.Fault(400, 'content-type header required when content-length > 0')


def require_json(request):
    """415 unless the body is declared to be JSON."""
    kind = request.content_type
    if kind is None or kind.split(';')[0].strip().lower() != 'application/json':
        raise rest.Fault(415, 'The media type %s is not supported, use application/json' % kind)


def _version(header):
    """The x of the 1.x that a header asks for; it may speak of several services."""
    if not header:
        return MINIMUM
    text = None
    for part in header.split(','):
        service, _, value = part.strip().partition(' ')
        if service.lower() == 'placement':
            text = value.strip()
    if text is None:
        return MINIMUM
    if text == 'latest':
        return MAXIMUM
    major, _, minor = text.partition('.')
    if not (major.isascii() and major.isdigit() and minor.isascii() and minor.isdigit() and len(text) < 16):
        raise rest.Fault(400, 'invalid version string: %s' % text[:64])
    if int(major) != 1 or not MINIMUM <= int(minor) <= MAXIMUM:
        raise rest.Fault(406, 'Unacceptable version header: %s' % text)
    return int(minor)


def since(minimum, maximum=MAXIMUM):
    """Decorate a handler of a route that exists from microversion 1.`minimum` to 1.`maximum` on: 404 before."""
    def decorate(handler):
        def check(self, request, **values):
            if not minimum <= request.version <= maximum:
                raise rest.Fault(404, 'The resource could not be found.')
            return handler(self, request, **values)
        return check
    return decorate


def reply(request, body, status=200, updated=None, headers=()):
    """A Reply with a body, with the caching headers that 1.15 brought. `updated`: seconds since the epoch."""
    accept = request.environ.get('HTTP_ACCEPT')
    if accept and request.method == 'GET' and not any(
            kind in accept for kind in ('*/*', 'application/json', 'application/*')):
        raise rest.Fault(406, 'Only application/json is provided')
    fields = list(headers)
    if request.version >= 15:
        fields += [('Last-Modified', email.utils.formatdate(updated, usegmt=True)),
                   ('Cache-Control', 'no-cache')]
    return rest.Reply(status, body, fields)


def require_operator(request):
    """403 but for administrators and services."""
    who = request.identity
    identity.require(who.is_admin or who.is_service, 'Access was denied to this resource.')


def render(request, fault):
    """The body of an error. Clients take the last line of `detail` as the message."""
    detail = EXPLANATIONS.get(fault.status, '')
    if fault.message != detail:
        detail = '%s\n\n %s  ' % (detail, fault.message)
    error = {'status': fault.status, 'request_id': request.id, 'title': fault.title, 'detail': detail}
    if request.version is not None and request.version >= 23:
        error['code'] = fault.kind or 'placement.undefined_code'
    if fault.status == 406:
        error.update(min_version='1.%d' % MINIMUM, max_version='1.%d' % MAXIMUM)
    return {'errors': [error]}


def show(request):
    """The version document at `/`."""
    return reply(request, {'versions': [{
        'id': 'v1.0', 'status': 'CURRENT', 'min_version': '1.%d' % MINIMUM, 'max_version': '1.%d' % MAXIMUM,
        'links': [{'rel': 'self', 'href': ''}]}]})
