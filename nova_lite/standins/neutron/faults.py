# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The errors of the network API, with the types and texts that Neutron's clients match."""

from nova_lite.standins import rest

_MISSING = {
    'network': ('NetworkNotFound', 'Network %s could not be found.'),
    'subnet': ('SubnetNotFound', 'Subnet %s could not be found.'),
    'port': ('PortNotFound', 'Port %s could not be found.'),
    'router': ('RouterNotFound', 'Router %s could not be found'),
    'floatingip': ('FloatingIPNotFound', 'Floating IP %s could not be found'),
    'subnetpool': ('SubnetPoolNotFound', 'Subnet pool %s could not be found.'),
    'address_scope': ('AddressScopeNotFound', 'Address scope %s could not be found.'),
    'rbac_policy': ('RbacPolicyNotFound', 'RBAC policy of type unknown with ID %s not found'),
    'security_group': ('SecurityGroupNotFound', 'Security group %s does not exist'),
    'security_group_rule': ('SecurityGroupRuleNotFound', 'Security group rule %s does not exist'),
}


def render(request, fault):
    """The JSON body of an error."""
    kind = fault.kind or 'HTTP' + fault.title.replace(' ', '')
    return {'NeutronError': {'type': kind, 'message': fault.message, 'detail': ''}}


def missing(kind, identifier):
    """404 for a resource that is not there, or not there for this caller."""
    name, text = _MISSING[kind]
    return rest.Fault(404, text % identifier[:255], name)


def invalid(reason):
    """400 for a request that is well-formed but makes no sense."""
    return rest.Fault(400, 'Invalid input for operation: %s.' % reason.rstrip('.'), 'InvalidInput')


def bad(text, kind='HTTPBadRequest'):
    """400 for a request that is not well-formed."""
    return rest.Fault(400, text, kind)


def conflict(kind, text):
    """409 of the given type."""
    return rest.Fault(409, text, kind)


def forbidden(rule):
    """403 for what the policy rule of that name does not allow."""
    return rest.Fault(403, 'rule:%s is disallowed by policy' % rule, 'PolicyNotAuthorized')


def malformed(resource, reason):
    """400 for a request that does not fit what is there."""
    return rest.Fault(400, 'Bad %s request: %s.' % (resource, reason), 'BadRequest')


def port_in_use(port):
    return conflict('PortInUse', 'Unable to complete operation on port %s for network %s. Port already has an attached '
                    'device %s.' % (port['id'], port['network_id'], port['device_id']))


def over_quota(resource):
    return conflict('OverQuota', "Quota exceeded for resources: ['%s']." % resource)
