# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Counters of a guest that runs, in the API's two forms, from one question to libvirt."""

import dataclasses
from xml.etree import ElementTree

from oslo_utils import units

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.objects import base
from nova_lite.virt.libvirt import connection as libvirt_door

NIC_COUNTERS = (('octets', 'bytes'), ('packets', 'pkts'), ('errors', 'errs'), ('drop', 'drop'))
DISK_COUNTERS = (('read_bytes', 'rd.bytes'), ('read_requests', 'rd.reqs'), ('write_bytes', 'wr.bytes'),
                 ('write_requests', 'wr.reqs'), ('errors_count', 'errors'))


@dataclasses.dataclass(frozen=True)
class Counters:
    """What libvirt says of a guest: its numbers by their names there, {tap: MAC}, and the power state."""

    numbers: dict
    addresses: dict
    state: int

    def group(self, kind):
        """The items of `vcpu`, `net` or `block`: dicts of what stands behind their index."""
        found = []
        for index in range(self.numbers.get('vcpu.maximum' if kind == 'vcpu' else kind + '.count', 0)):
            prefix = '%s.%d.' % (kind, index)
            found.append({name.removeprefix(prefix): value for name, value in self.numbers.items()
                          if name.startswith(prefix)})
        return found


def read(connection, instance):
    """The Counters of a guest. :raises InstanceNotFound, InstanceNotRunning:"""
    found = connection.call('count what the guest does', _read, instance.uuid, instance_id=instance.uuid)
    if found is None:
        raise exception.InstanceNotRunning(instance_id=instance.uuid)
    return found


def by_name(counters):
    """One dict of numbers, named as libvirt's own tools name devices: cpu0_time (ns), memory (KiB), vda_read, …"""
    found = {'cpu%d_time' % index: item.get('time', 0) for index, item in enumerate(counters.group('vcpu'))}
    numbers = counters.numbers
    if 'balloon.maximum' in numbers:
        found['memory'] = numbers['balloon.maximum']
    found |= {'memory-' + name.removeprefix('balloon.').replace('current', 'actual'): value
              for name, value in numbers.items() if name.startswith('balloon.') and name != 'balloon.maximum'}
    for item in counters.group('block'):
        for ending, name in (('read', 'rd.bytes'), ('read_req', 'rd.reqs'), ('write', 'wr.bytes'),
                             ('write_req', 'wr.reqs'), ('errors', 'errors')):
            found['%s_%s' % (item['name'], ending)] = item.get(name, -1)
    for item in counters.group('net'):
        for way in ('rx', 'tx'):
            for ending, name in (('', 'bytes'), ('_packets', 'pkts'), ('_errors', 'errs'), ('_drop', 'drop')):
                found['%s_%s%s' % (item['name'], way, ending)] = item.get('%s.%s' % (way, name), 0)
    return found


def by_kind(counters, instance, virt_type):
    """The dict of abilities.Diagnostics."""
    cpus, nics, disks = (counters.group(kind) for kind in ('vcpu', 'net', 'block'))
    numbers = counters.numbers
    uptime = int((base.utcnow() - instance.launched_at).total_seconds()) if instance.launched_at else None
    return {
        'state': power_state.NAMES[counters.state], 'driver': 'libvirt', 'hypervisor': virt_type,
        'hypervisor_os': 'linux', 'uptime': uptime, 'config_drive': instance.config_drive,
        'num_cpus': len(cpus), 'num_nics': len(nics), 'num_disks': len(disks),
        'cpu_details': [{'id': index, 'time': item.get('time'), 'utilisation': None}
                        for index, item in enumerate(cpus)],
        'nic_details': [_nic(item, counters.addresses) for item in nics],
        'disk_details': [{ours: item.get(theirs) for ours, theirs in DISK_COUNTERS} for item in disks],
        'memory_details': {'maximum': _mib(numbers.get('balloon.maximum')),
                           'used': _mib(numbers.get('balloon.current'))},
    }


def _nic(item, addresses):
    found = {'mac_address': addresses.get(item['name'])}
    for way in ('rx', 'tx'):
        found |= {'%s_%s' % (way, ours): item.get('%s.%s' % (way, theirs)) for ours, theirs in NIC_COUNTERS}
        found[way + '_rate'] = None
    return found


def _mib(kibibytes):
    return None if kibibytes is None else kibibytes * units.Ki // units.Mi


def _read(connection, uuid):
    """In a real thread: the Counters; None of a guest that does not run."""
    domain = connection.lookupByUUIDString(uuid)
    if not domain.isActive():
        return None
    numbers = connection.domainListGetStats([domain], libvirt_door.STATISTICS)[0][1]
    interfaces = ElementTree.fromstring(domain.XMLDesc()).iter('interface')
    addresses = {item.find('target').get('dev'): item.find('mac').get('address') for item in interfaces
                 if item.find('target') is not None}
    return Counters(numbers, addresses, libvirt_door.POWER_STATES[domain.state()[0]])
