# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where the records and what is really there differ: a function of a View, which looks at nothing else.

An instance on which something is under way is left out: what it holds is changing.
"""

import dataclasses

from nova_lite.compute import resources
from nova_lite.compute import vm_states

ORPHAN, MISSING, WRONG, UNSEEN = 'orphan', 'missing', 'wrong', 'unseen'
GUEST, FILES, PORT, ATTACHMENT, ALLOCATION = 'guest', 'files', 'port', 'attachment', 'allocation'
ROW, HOST = 'row', 'host'

WITH_GUEST = (vm_states.ACTIVE, vm_states.PAUSED, vm_states.SUSPENDED, vm_states.STOPPED, vm_states.RESCUED)
ON_TWO_HOSTS = (vm_states.RESIZED,)     # until the resize is confirmed or reverted


@dataclasses.dataclass(frozen=True)
class Finding:
    """problem and kind: as above; subject: the id of the port, attachment or provider, or the table; instance_uuid:
    whose it is or was."""

    kind: str
    problem: str
    instance_uuid: str = ''
    host: str = ''
    subject: str = ''
    details: str = dataclasses.field(default='', compare=False)


def compare(view):
    """[Finding…] of a View, sorted."""
    found = [Finding(HOST, UNSEEN, host=host, details='it does not answer, so its guests are not looked at')
             for host in view.silent]
    found += _held(view, GUEST, view.guests) + _held(view, FILES, view.directories)
    found += _ports(view) + _attachments(view) + _allocations(view)
    found += [Finding(ROW, ORPHAN, uuid, subject=table) for table, uuid in view.rows]
    return sorted(found, key=lambda item: (item.kind, item.problem, item.host, item.instance_uuid, item.subject))


def _moving(instance):
    return (instance.task_state is not None or instance.vm_state == vm_states.BUILDING
            or instance.vm_state in ON_TWO_HOSTS)


def _held(view, kind, held):
    """Guests or directories; held: {host: {uuid…}}"""
    found = []
    for host, uuids in held.items():
        for uuid in uuids:
            instance = view.instances.get(uuid)
            if instance is None:
                found.append(Finding(kind, ORPHAN, uuid, host, details='there is no such server'))
            elif instance.host != host and not _moving(instance):
                found.append(Finding(kind, ORPHAN, uuid, host, details='the server is on %s'
                                     % (instance.host or 'no host')))
    for instance in view.instances.values():
        if (instance.vm_state in WITH_GUEST and not _moving(instance) and instance.host in held
                and instance.uuid not in held[instance.host]):
            found.append(Finding(kind, MISSING, instance.uuid, instance.host, details='the server is %s'
                                 % instance.vm_state))
    return found


def _ports(view):
    found = []
    for port in view.ports:
        instance = view.instances.get(port['device_id'])
        if instance is None:
            found.append(Finding(PORT, ORPHAN, port['device_id'], port.get('binding:host_id') or '', port['id'],
                                 'there is no such server'))
        elif instance.vm_state == vm_states.ERROR and not instance.host and not _moving(instance):
            found.append(Finding(PORT, ORPHAN, instance.uuid, port.get('binding:host_id') or '', port['id'],
                                 'the server was never built'))
    bound = {(port['device_id'], port['id']) for port in view.ports}
    for instance in view.instances.values():
        if not _moving(instance):
            found += [Finding(PORT, MISSING, instance.uuid, instance.host or '', vif.id)
                      for vif in instance.network_info if (instance.uuid, vif.id) not in bound]
    return found


def _attachments(view):
    """A device may have an attachment that its record does not name yet, so such a one is not called an orphan."""
    if view.attachments is None:
        return [Finding(ATTACHMENT, UNSEEN, details='the volume service does not answer')] if view.devices else []
    recorded = {device.attachment_id for device in view.devices}
    found = []
    for item in view.attachments.values():
        instance = view.instances.get(item.instance_id)
        if instance is None:
            found.append(Finding(ATTACHMENT, ORPHAN, item.instance_id, subject=item.id,
                                 details='volume %s; there is no such server' % item.volume_id))
        elif item.id not in recorded and not _moving(instance):
            found.append(Finding(ATTACHMENT, WRONG, item.instance_id, instance.host or '', item.id,
                                 'volume %s; the server does not know of it' % item.volume_id))
    found += [Finding(ATTACHMENT, MISSING, device.instance_uuid, subject=device.attachment_id,
                      details='volume %s' % device.volume_id) for device in view.devices
              if device.attachment_id not in view.attachments and device.instance_uuid in view.instances
              and not _moving(view.instances[device.instance_uuid])]
    return found


def _allocations(view):
    return [*orphan_allocations(view), *broken_allocations(view)]


def orphan_allocations(view):
    """[Finding…] of what Placement holds for what is no server, or for one that is on no host."""
    found = []
    for consumer, held in view.allocations.items():
        if consumer in view.migrations:
            continue
        instance = view.instances.get(consumer)
        if instance is None or (not instance.host and not _moving(instance)):
            details = 'there is no such server' if instance is None else 'the server is on no host'
            found += [Finding(ALLOCATION, ORPHAN, consumer, view.providers.get(provider, ''), provider, details)
                      for provider in held]
    return found


def broken_allocations(view):
    """[Finding…] of servers on a host that Placement does not know of, or not as they are."""
    found = []
    for instance in view.instances.values():
        node = view.nodes.get((instance.host, instance.node))
        if node is None or _moving(instance):
            continue
        held = view.allocations.get(instance.uuid, {})
        wanted = wanted_resources(instance)
        if not held:
            found.append(Finding(ALLOCATION, MISSING, instance.uuid, instance.host, node.uuid))
        elif node.uuid not in held or any(held[node.uuid].get(name) != amount for name, amount in wanted.items()):
            found.append(Finding(ALLOCATION, WRONG, instance.uuid, instance.host, node.uuid,
                                 'it holds %s' % _words(view, held)))
    return found


def wanted_resources(instance):
    """{resource class: amount} that an Instance takes of its node; none of what it takes nothing of."""
    usage = resources.usage(instance)
    return {resource.resource_class: usage[resource.name] for resource in resources.registered()
            if usage[resource.name]}


def _words(view, held):
    return '; '.join('%s on %s' % (', '.join('%s %d' % item for item in sorted(amounts.items())),
                                   view.providers.get(provider, provider)) for provider, amounts in held.items())
