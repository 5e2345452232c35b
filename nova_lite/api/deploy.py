# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Puts the API together: the factories that `api-paste.ini` names, and what they hand to the controllers.

`load()` is the one door. paste.deploy calls the factories with strings only, so while it loads a file the objects that
they need are kept here.
"""

import contextvars
import dataclasses
import functools

from paste import deploy

from nova_lite.api import enforcer as enforcer_module
from nova_lite.api.metadata import handler as metadata_handler
from nova_lite.api.openstack import application
from nova_lite.api.openstack import auth
from nova_lite.api.openstack import frame
from nova_lite.api.openstack import versions
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import routes


@dataclasses.dataclass
class Services:
    """What controllers work with: each takes this one object and keeps what it needs."""

    conf: object
    db: object                      # db.engine.Database
    enforcer: enforcer_module.Enforcer
    compute_api: object = None      # compute.api.API: what acts on servers
    network: object = None          # network.neutron.API


class _Loading:
    """What the factories need while a paste file is loaded; the two URL trees (/v2, /v2.1) share one application."""

    def __init__(self, services):
        self.services = services

    @functools.cached_property
    def compute_app(self):
        return build_application(routes.TABLE, self.services)

    @functools.cached_property
    def token_cache(self):
        return auth.TokenCache()


_LOADING = contextvars.ContextVar('loading')


def load(path, name, services):
    """The WSGI application `name` of a paste file, with its filters.

    :raises OSError: the file cannot be read
    :raises LookupError: it has no such application
    """
    with open(path):        # paste's own message for a missing file is no sentence
        pass
    token = _LOADING.set(_Loading(services))
    try:
        return deploy.loadapp('config:%s' % path, name=name)
    finally:
        _LOADING.reset(token)


def pipeline_factory(loader, global_conf, **local_conf):
    """The pipeline of the configured `[api] auth_strategy`: its filters, then the application."""
    names = local_conf[_LOADING.get().services.conf.api.auth_strategy].split()
    app = loader.get_app(names.pop(), global_conf=global_conf)
    for name in reversed(names):
        app = loader.get_filter(name, global_conf=global_conf)(app)
    return app


def compute_app_factory(global_conf, **local_conf):
    return _LOADING.get().compute_app


def build_application(table, services):
    """The Application of a table of operations. :raises LookupError: it names a policy rule that does not exist"""
    router = wsgi.Router(table, _Controllers(services))
    if unknown := router.rules - services.enforcer.rules:
        raise LookupError('no such policy rule: %s' % ', '.join(sorted(unknown)))
    prefix = services.conf.api.compute_link_prefix
    return application.Application(router, services.enforcer, prefix, versions.project_document(prefix))


class _Controllers(dict):
    """One controller of each class, made when its first operation is compiled."""

    def __init__(self, services):
        super().__init__()
        self._services = services

    def __missing__(self, cls):
        self[cls] = cls(self._services)
        return self[cls]


def versions_factory(global_conf, **local_conf):
    return versions.Versions(_LOADING.get().services.conf.api.compute_link_prefix)


def version_factory(global_conf, version='v2.1', **local_conf):
    return versions.Version(version, _LOADING.get().services.conf.api.compute_link_prefix)


def metadata_factory(global_conf, **local_conf):
    return metadata_handler.create(_LOADING.get().services)


def compute_req_id_factory(global_conf, **local_conf):
    return frame.ComputeReqId


def request_log_factory(global_conf, **local_conf):
    return frame.RequestLog


def faultwrap_factory(global_conf, **local_conf):
    return frame.FaultWrapper


def keystonecontext_factory(global_conf, **local_conf):
    return auth.KeystoneContext


def tokencache_factory(global_conf, **local_conf):
    return functools.partial(auth.CachedTokens, cache=_LOADING.get().token_cache)


def noauth2_factory(global_conf, **local_conf):
    return auth.NoAuth2
