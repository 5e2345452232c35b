# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Who may see and change what: administrators and services all, members their project's, readers only look."""

from nova_lite.standins.neutron import faults


def privileged(identity):
    """Whether the caller is an administrator or a service such as nova."""
    return identity.is_admin or identity.is_service


def owns(identity, record):
    """Whether the record is the caller's project's, or the caller stands above projects."""
    return privileged(identity) or (bool(identity.project_id) and record['project_id'] == identity.project_id)


def require_writer(identity, rule):
    """Raise a 403 unless the caller may change things at all."""
    if not (privileged(identity) or 'member' in identity.roles):
        raise faults.forbidden(rule)


def require_settable(identity, attributes, values, rule, update=False):
    """Raise a 403 when `values` sets what only privileged callers may; a new resource may have the default."""
    if not privileged(identity):
        for name, value in values.items():
            attribute = attributes[name]
            if attribute.privileged and (update or value != attribute.default):
                raise faults.forbidden('%s:%s' % (rule, name))


def project(identity, document):
    """The project that a new resource belongs to: the one asked for, else the caller's own."""
    named = {document[name] for name in ('project_id', 'tenant_id') if name in document}
    if len(named) > 1:
        raise faults.bad("'project_id' and 'tenant_id' do not match")
    wanted = named.pop() if named else identity.project_id or ''
    if wanted != (identity.project_id or '') and not privileged(identity):
        raise faults.bad("Specifying 'project_id' or 'tenant_id' other than the authenticated project in request "
                         'requires admin privileges')
    return wanted
