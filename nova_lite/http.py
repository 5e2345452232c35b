# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Sessions to the services around Nova (image, network, volume, placement), by the configuration of each.

Each group (`[glance]`, `[neutron]`, `[placement]`, …) has keystoneauth's auth, session and adapter options, so a real
service takes a stand-in's place by configuration alone. A request with a user's token also carries one of
`[service_user]` where `send_service_user_token` is set: by it the other service knows that Nova sends the request.
"""

import http.client

import requests
from keystoneauth1 import exceptions as ks_exc
from keystoneauth1 import loading
from keystoneauth1 import session as ks_session

from nova_lite import exception

CONNECT_RETRIES = 3
CONNECTIONS = 100       # kept open to one service; green threads that find none free would each open one anew


def adapter(conf, group, **kwargs):
    """A keystoneauth Adapter for the service of a group: relative URLs, the service user's token, bounded retries.

    Answers of 4xx and 5xx come back as responses: each client reads the status that its service documents.
    """
    made = loading.load_adapter_from_conf_options(
        conf, group, session=_session(conf, group), raise_exc=False,
        **{'connect_retries': CONNECT_RETRIES, **kwargs})
    if conf.service_user.send_service_user_token:
        return Vouching(made, _session(conf, 'service_user'))
    return made


def _session(conf, group):
    auth = loading.load_auth_from_conf_options(conf, group)
    return loading.load_session_from_conf_options(conf, group, auth=auth, session=_connections())


class Vouching:
    """An Adapter that sends a service's token (`X-Service-Token`) along with each user's; `session` gives it."""

    def __init__(self, made, session):
        self._adapter = made
        self._session = session

    def __getattr__(self, name):
        return getattr(self._adapter, name)

    def request(self, url, method, **kwargs):
        if kwargs.get('authenticated', True):       # the service itself asks
            return self._adapter.request(url, method, **kwargs)
        response = self._vouched(url, method, kwargs)
        if response.status_code == http.client.UNAUTHORIZED and self._session.invalidate():
            response = self._vouched(url, method, kwargs)       # whose token was no good cannot be told from here
        return response

    def _vouched(self, url, method, kwargs):
        headers = {**kwargs.get('headers', {}), 'X-Service-Token': self._session.get_token()}
        return self._adapter.request(url, method, **{**kwargs, 'headers': headers})


def _connections():
    pool = requests.Session()
    for scheme in ('http://', 'https://'):
        pool.mount(scheme, ks_session.TCPKeepAliveAdapter(pool_maxsize=CONNECTIONS))
    return pool


def on_behalf_of(ctxt):
    """Arguments of :func:`request` that let the other service see the caller: its request id, and its own token where
    the context has one (a context that came over RPC has none: then the service user asks)."""
    headers = {'X-OpenStack-Request-ID': ctxt.global_id} if ctxt.global_id else {}
    if not ctxt.auth_token:
        return {'headers': headers}
    return {'headers': {**headers, 'X-Auth-Token': ctxt.auth_token}, 'authenticated': False}


def request(client, method, url, service, **kwargs):
    """One request through an adapter. :raises ServiceUnreachable: no connection, no token, or a 503."""
    try:
        response = client.request(url, method, **kwargs)
    except ks_exc.ClientException as exc:
        raise exception.ServiceUnreachable(service=service, reason=type(exc).__name__) from exc
    if response.status_code in (502, 503, 504):
        raise exception.ServiceUnreachable(service=service, reason='HTTP %d' % response.status_code)
    return response


def endpoint(client, service):
    """(URL of the service without a slash at its end, the project id of the service user or None).

    :raises ServiceUnreachable: no token, or the catalog does not have it
    """
    try:
        own, url = client.get_project_id(), client.endpoint_override or client.get_endpoint()
    except ks_exc.ClientException as exc:
        raise exception.ServiceUnreachable(service=service, reason=type(exc).__name__) from exc
    if not url:
        raise exception.ServiceUnreachable(service=service, reason='the catalog does not have it')
    for name in ('project_id', 'tenant_id'):
        url = url.replace('%%(%s)s' % name, own or '')
    return url.rstrip('/'), own


def body(response, service):
    """The JSON of a response. :raises ServiceUnreachable: it is none (a proxy's page, say)."""
    try:
        return response.json()
    except ValueError as exc:
        raise exception.ServiceUnreachable(service=service, reason='the answer is not JSON') from exc
