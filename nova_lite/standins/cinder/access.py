# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Who may do what with volumes."""

from nova_lite.standins import rest


def owns(who, document):
    return who.is_admin or (document['project_id'] is not None and document['project_id'] == who.project_id)


def require_member(who, rule):
    """403 for a caller who may only read."""
    if not (who.is_admin or 'member' in who.roles):
        raise _forbidden(rule)


def require_admin(who, rule):
    if not who.is_admin:
        raise _forbidden(rule)


def require_project(who):
    """The project of the caller; 403 for a token without one."""
    if who.project_id is None:
        raise rest.Fault(403, 'This needs a token that is scoped to a project.')
    return who.project_id


def _forbidden(rule):
    return rest.Fault(403, "Policy doesn't allow %s to be performed." % rule)


class ServiceTokens:
    """Tells requests of services from those of users. `identify(token)` is the identity service's."""

    def __init__(self, identify):
        self._identify = identify

    def sent_with(self, request):
        """Whether a service sends the request, or vouches for a user's by a token beside; 401 when that is no good."""
        token = request.header('X-Service-Token')
        if not token:
            return request.identity.is_service
        service = self._identify(token)
        if service is None:
            raise rest.Fault(401, 'The service token is not valid.')
        return service.is_service
