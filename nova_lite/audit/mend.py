# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How each kind of finding is mended. What would have to be guessed, and what only the owner of a server may decide, is
left to people: a guest that is lost, a host that does not answer.
"""

from nova_lite import exception
from nova_lite.audit import findings
from nova_lite.db import instances
from nova_lite.db import leftovers
from nova_lite.objects import network


class CannotMend(exception.NovaException):
    """A finding that is left as it is; the message says why."""


def mend(tools, ctxt, view, finding):
    """Mend one Finding of a View; guests and files go a moment later.

    :raises CannotMend: and the Unavailable family
    """
    way = _WAYS.get((finding.kind, finding.problem))
    if way is None:
        raise CannotMend(_ADVICE.get((finding.kind, finding.problem), 'it needs a person'))
    way(tools, ctxt, view, finding)


def _remove_guest(tools, ctxt, view, finding):
    tools.compute.remove_stray_guest(ctxt, finding.host, finding.instance_uuid)


def _release_ports(tools, ctxt, view, finding):
    """Delete the port if the record of its server says that it was made for that; else it may be a user's own, and is
    only taken from the server."""
    try:
        known = instances.get(tools.db, finding.instance_uuid, read_deleted=True).network_info
    except exception.InstanceNotFound:
        known = []
    made = {vif.id for vif in known if not vif.preserve_on_delete}
    kept = [network.NetworkRequest(port_id=port['id']) for port in view.ports
            if port['device_id'] == finding.instance_uuid and port['id'] not in made]
    tools.network.deallocate_for_instance(ctxt, finding.instance_uuid, known, kept)


def _refresh_network(tools, ctxt, view, finding):
    instance = view.instances[finding.instance_uuid]
    vifs = tools.network.get_instance_nw_info(ctxt, instance)
    there = {vif.id for vif in vifs}
    instances.modify(tools.db, instance.uuid, 'network_info', lambda current: [
        vif for vif in current.network_info if vif.id in there])


def _delete_attachment(tools, ctxt, view, finding):
    tools.volume.attachment_delete(ctxt, finding.subject)


def delete_allocation(tools, ctxt, view, finding):
    tools.placement.delete_allocation_for_instance(ctxt, finding.instance_uuid)


def heal_allocation(tools, ctxt, view, finding):
    """Allocate what a server takes of its node. :raises CannotMend: Placement has no room for it there"""
    instance = view.instances[finding.instance_uuid]
    request = {'allocations': {finding.subject: {'resources': findings.wanted_resources(instance)}}}
    if not tools.placement.claim_resources(ctxt, instance.uuid, request, instance.project_id, instance.user_id):
        raise CannotMend('Placement has no room for it on its host')


def _delete_rows(tools, ctxt, view, finding):
    leftovers.delete(tools.db, finding.subject, finding.instance_uuid)


_WAYS = {
    (findings.GUEST, findings.ORPHAN): _remove_guest,
    (findings.FILES, findings.ORPHAN): _remove_guest,
    (findings.PORT, findings.ORPHAN): _release_ports,
    (findings.PORT, findings.MISSING): _refresh_network,
    (findings.ATTACHMENT, findings.ORPHAN): _delete_attachment,
    (findings.ALLOCATION, findings.ORPHAN): delete_allocation,
    (findings.ALLOCATION, findings.MISSING): heal_allocation,
    (findings.ALLOCATION, findings.WRONG): heal_allocation,
    (findings.ROW, findings.ORPHAN): _delete_rows,
}
_ADVICE = {
    (findings.GUEST, findings.MISSING): 'reboot the server hard, or delete it',
    (findings.FILES, findings.MISSING): 'its disk is lost: rebuild or delete the server',
    (findings.ATTACHMENT, findings.MISSING): 'detach the volume from the server',
    (findings.ATTACHMENT, findings.WRONG): 'detach the volume in the volume service, unless it is being attached now',
    (findings.HOST, findings.UNSEEN): 'start its nova-compute, or delete the service',
}
