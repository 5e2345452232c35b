# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Security groups of the network service, for the calls of the compute API that pass them on."""


class Groups:
    """`client`: a neutron_client.Client, which works with the caller's token. Groups and rules are as the service has
    them.

    :raises NotFound, Forbidden, Conflict, Invalid: each may, with the service's words; ServiceUnreachable:
    """

    def __init__(self, client):
        self._client = client

    def list(self, ctxt, project_id=None):
        """[group…] of a project, or all that the caller may see."""
        return self._client.list('security_groups', ctxt, [('project_id', project_id)] if project_id else ())

    def get(self, ctxt, group_id):
        return self._client.call('GET', 'security-groups/%s' % group_id, ctxt)['security_group']

    def create(self, ctxt, values):
        body = {'security_group': _owned(ctxt, values)}
        return self._client.call('POST', 'security-groups', ctxt, body)['security_group']

    def update(self, ctxt, group_id, values):
        return self._client.call('PUT', 'security-groups/%s' % group_id, ctxt, {'security_group': values})[
            'security_group']

    def delete(self, ctxt, group_id):
        self._client.call('DELETE', 'security-groups/%s' % group_id, ctxt)

    def get_rule(self, ctxt, rule_id):
        return self._client.call('GET', 'security-group-rules/%s' % rule_id, ctxt)['security_group_rule']

    def create_rule(self, ctxt, values):
        body = {'security_group_rule': _owned(ctxt, values)}
        return self._client.call('POST', 'security-group-rules', ctxt, body)['security_group_rule']

    def delete_rule(self, ctxt, rule_id):
        self._client.call('DELETE', 'security-group-rules/%s' % rule_id, ctxt)


def _owned(ctxt, values):
    """For a caller without a token of its own the service user asks, so the service has to be told whose it is."""
    return values if ctxt.auth_token else {**values, 'project_id': ctxt.project_id}
