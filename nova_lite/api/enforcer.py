# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Policy decisions by oslo.policy: the rules of `policies.py`, overridden by the file that `[oslo_policy]` names."""

import dataclasses

from oslo_policy import policy

from nova_lite import exception
from nova_lite.api import policies


@dataclasses.dataclass(frozen=True)
class Owner:
    """Whose thing it is, for what is no object with these fields."""

    project_id: str | None = None
    user_id: str | None = None


class Enforcer:
    """Is whole before its first use: rules registered, files read. What it does not know it refuses."""

    def __init__(self, conf):
        rules = policies.list_rules()
        self.rules = {rule.name for rule in rules}
        self._enforcer = policy.Enforcer(conf)
        self._enforcer.suppress_default_change_warnings = True
        self._enforcer.register_defaults(rules)
        self._enforcer.load_rules()

    def authorize(self, rule, ctxt, owner=None):
        """:raises exception.PolicyNotAuthorized: `rule` forbids it to the caller."""
        if not self.allows(rule, ctxt, owner):
            raise exception.PolicyNotAuthorized(action=rule)

    def allows(self, rule, ctxt, owner=None):
        """Whether `rule` lets the caller act on what belongs to `owner` (an object with project_id and user_id); by
        default on the caller's own project. Nothing of a request's body ever comes into the decision."""
        if owner is None:
            target = {'project_id': ctxt.project_id, 'user_id': ctxt.user_id}
        else:
            target = {'project_id': getattr(owner, 'project_id', None), 'user_id': getattr(owner, 'user_id', None)}
        try:
            return self._enforcer.authorize(rule, target, ctxt, do_raise=False)
        except policy.InvalidScope:
            return False
