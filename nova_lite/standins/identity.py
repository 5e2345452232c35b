# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Who makes a request, as every stand-in service sees it once the token is verified."""

import dataclasses

from nova_lite.standins import rest


@dataclasses.dataclass(slots=True, frozen=True)
class Identity:
    """The verified content of a token. Scope is a project, a domain, the system, or nothing."""

    user_id: str
    user_name: str
    user_domain_id: str
    roles: frozenset  # names, implied roles included
    project_id: str | None = None
    project_name: str | None = None
    project_domain_id: str | None = None
    domain_id: str | None = None
    system: bool = False
    expires_at: float = 0.0  # seconds since the epoch
    methods: tuple = ()
    audit_ids: tuple = ()
    issued_at: float = 0.0
    application_credential_id: str | None = None
    restricted: bool = False  # the application credential makes no further secrets

    @property
    def is_admin(self):
        return 'admin' in self.roles

    @property
    def is_service(self):
        return 'service' in self.roles

    @property
    def label(self):
        """User and project for a log line."""
        return '%s %s' % (self.user_id, self.project_id or '-')


def require(allowed, message='You are not authorized to perform the requested action.'):
    """Raise a 403 unless `allowed`."""
    if not allowed:
        raise rest.Fault(403, message)
