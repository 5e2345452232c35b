# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests to the network service: lists by ids or filters, writes, and its errors as ours."""

import http.client
import time

from nova_lite import exception
from nova_lite import http as services

SERVICE = 'network'
IDS_PER_REQUEST = 100       # so that the URL stays shorter than what servers accept


_FAMILIES = {http.client.BAD_REQUEST: exception.Invalid, http.client.FORBIDDEN: exception.Forbidden,
             http.client.NOT_FOUND: exception.NotFound, http.client.CONFLICT: exception.Conflict}


def project(resource):
    return resource.get('project_id') or resource.get('tenant_id')


class Cache:
    """Values that may be used again for some seconds."""

    def __init__(self, seconds):
        self._seconds = seconds
        self._values = {}

    def get(self, key):
        """The value kept for the key, or None."""
        value, until = self._values.get(key, (None, 0))
        return value if time.monotonic() < until else None

    def put(self, key, value):
        now = time.monotonic()
        self._values = {other: kept for other, kept in self._values.items() if kept[1] > now}
        self._values[key] = (value, now + self._seconds)

    def drop(self, key):
        self._values.pop(key, None)


class Client:
    """`adapter`: a keystoneauth Adapter. With the caller's token where its context has one, unless `as_service`."""

    def __init__(self, adapter):
        self._adapter = adapter

    def list(self, collection, ctxt, filters=(), fields=(), as_service=False):
        """The resources of a collection that match [(name, value)…], several values of a name being alternatives."""
        params = [*filters, *(('fields', name) for name in fields)]
        path = collection.replace('_', '-')
        response = self._request('GET', path, ctxt, as_service, params=params)
        if response.status_code != http.client.OK:
            raise _unexpected(response)
        return services.body(response, SERVICE)[collection]

    def by_ids(self, collection, ctxt, ids, fields=()):
        """Those of a collection with the given ids, in any order; no request for no ids."""
        ids = sorted(set(ids))
        return [resource for start in range(0, len(ids), IDS_PER_REQUEST)
                for resource in self.list(collection, ctxt,
                                          [('id', item) for item in ids[start:start + IDS_PER_REQUEST]], fields)]

    def get(self, path, ctxt, otherwise, as_service=False, params=()):
        """The body of one resource. :raises: the exception `otherwise` when the service refuses with a 4xx."""
        response = self._request('GET', path, ctxt, as_service, params=params)
        if http.client.BAD_REQUEST <= response.status_code < http.client.INTERNAL_SERVER_ERROR:
            raise otherwise
        if response.status_code != http.client.OK:
            raise _unexpected(response)
        return services.body(response, SERVICE)

    def send(self, method, path, ctxt, body, request, headers=None):
        """POST or PUT for a port; refusals are told in terms of the NetworkRequest that it is done for."""
        response = self._request(method, path, ctxt, json=body, headers=headers)
        if response.status_code not in (http.client.OK, http.client.CREATED):
            raise _refusal(response, request)
        return services.body(response, SERVICE)

    def call(self, method, path, ctxt, body=None):
        """What a user asks for by way of us: the body of the answer, or a refusal in the service's own words.

        :raises Invalid, Forbidden, NotFound, Conflict, ServiceUnreachable:
        """
        response = self._request(method, path, ctxt, **({} if body is None else {'json': body}))
        if response.status_code == http.client.NO_CONTENT:
            return None
        if response.status_code in (http.client.OK, http.client.CREATED):
            return services.body(response, SERVICE)
        kind, message = _error(response)
        family = exception.Forbidden if kind == 'OverQuota' else _FAMILIES.get(response.status_code)
        raise family(message or 'The network service refuses this.') if family else _unexpected(response)

    def delete(self, path, ctxt):
        """DELETE; that it is gone already is fine."""
        response = self._request('DELETE', path, ctxt)
        if response.status_code not in (http.client.NO_CONTENT, http.client.OK, http.client.NOT_FOUND):
            raise _unexpected(response)

    def _request(self, method, path, ctxt, as_service=False, headers=None, **kwargs):
        caller = {} if as_service else services.on_behalf_of(ctxt)
        caller['headers'] = {**caller.get('headers', {}), **(headers or {})}
        return services.request(self._adapter, method, '/v2.0/' + path, SERVICE, **caller, **kwargs)


def _error(response):
    """(type, message) of an error body of the network service; empty strings where it has none."""
    try:
        error = response.json()['NeutronError']
        return error.get('type', ''), error.get('message', '')
    except (ValueError, KeyError, TypeError, AttributeError):
        return '', ''


def _unexpected(response):
    kind = _error(response)[0]
    return exception.ServiceUnreachable(service=SERVICE, reason='HTTP %d %s' % (response.status_code, kind))


def _refusal(response, request):
    """Our exception for a refused write of a port."""
    kind, message = _error(response)
    if response.status_code == http.client.PRECONDITION_FAILED or kind in ('MacAddressInUse', 'PortInUse'):
        return exception.PortInUse(port_id=request.port_id)
    if kind in ('IpAddressInUse', 'IpAddressAlreadyAllocated'):
        return exception.FixedIpAlreadyInUse(address=request.address)
    if kind in ('InvalidIpForNetwork', 'InvalidIpForSubnet'):
        return exception.FixedIpInvalid(address=request.address)
    if kind.startswith('IpAddressGenerationFailure') or kind == 'ExternalIpAddressExhausted':
        return exception.NoMoreFixedIps(net=request.network_id)
    if kind == 'OverQuota':
        return exception.PortLimitExceeded()
    if kind == 'SecurityGroupNotFound':
        return exception.SecurityGroupNotFound(message or 'Security group not found.')
    if kind == 'NetworkNotFound':
        return exception.NetworkNotFound(network_id=request.network_id)
    if kind == 'PortNotFound':
        return exception.PortNotFound(port_id=request.port_id)
    return _unexpected(response)
