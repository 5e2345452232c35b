# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The errors of the volume API, with the names and texts that Cinder's clients match."""

from nova_lite.standins import rest

NAMES = {400: 'badRequest', 401: 'unauthorized', 403: 'forbidden', 404: 'itemNotFound', 405: 'badMethod',
         409: 'conflictingRequest', 413: 'overLimit', 415: 'badMediaType', 501: 'notImplemented',
         503: 'serviceUnavailable'}
_MISSING = {
    'volume': 'Volume %s could not be found.', 'snapshot': 'Snapshot %s could not be found.',
    'attachment': 'Volume attachment could not be found with filter: attachment_id = %s.',
    'type': 'Volume type %s could not be found.', 'message': 'Message %s could not be found.',
    'transfer': 'Transfer %s could not be found.',
}
_OVER_QUOTA = 'over quota'


def render(request, fault):
    """The JSON body of an error."""
    if fault.status == 401:  # the answer of the middleware that checks tokens
        return {'error': {'code': 401, 'title': fault.title, 'message': fault.message}}
    body = {'code': fault.status, 'message': fault.message}
    if fault.kind == _OVER_QUOTA:
        body['retryAfter'] = '0'
    return {NAMES.get(fault.status, 'computeFault'): body}


def missing(kind, identifier):
    """404 for a resource that is not there, or not there for this caller."""
    return rest.Fault(404, _MISSING[kind] % str(identifier)[:255])


def bad(text):
    return rest.Fault(400, text)


def invalid_volume(reason):
    """400 for a volume that is not in a state for this."""
    return bad('Invalid volume: ' + reason)


def invalid_input(reason):
    return bad('Invalid input received: ' + reason)


def over_quota(text):
    return rest.Fault(413, text, _OVER_QUOTA, [('Retry-After', '0')])


def not_served():
    """404 for a path that the request's microversion does not have."""
    return rest.Fault(404, 'The resource could not be found.')
