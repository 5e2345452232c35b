# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the hypervisor host is: its processors, memory and disk, the guests that it can run, and QEMU's user."""

import logging
import os
import shutil
from xml.etree import ElementTree

from oslo_utils import units

from nova_lite import exception
from nova_lite.virt import driver
from nova_lite.virt.libvirt import access
from nova_lite.virt.libvirt.domain import spec as guest

LOG = logging.getLogger(__name__)

KVM_DEVICE = '/dev/kvm'
# What guests of this driver can really have, in Placement's words.
TRAITS = ('COMPUTE_NODE', 'COMPUTE_STORAGE_BUS_VIRTIO', 'COMPUTE_STORAGE_BUS_SCSI', 'COMPUTE_STORAGE_BUS_IDE',
          'COMPUTE_STORAGE_BUS_SATA', 'COMPUTE_STORAGE_BUS_USB', 'COMPUTE_NET_VIF_MODEL_VIRTIO',
          'COMPUTE_NET_VIF_MODEL_E1000', 'COMPUTE_NET_VIF_MODEL_E1000E', 'COMPUTE_NET_VIF_MODEL_RTL8139',
          'COMPUTE_NET_VIF_MODEL_NE2K_PCI', 'COMPUTE_NET_VIF_MODEL_PCNET', 'COMPUTE_GRAPHICS_MODEL_VGA',
          'COMPUTE_GRAPHICS_MODEL_CIRRUS', 'COMPUTE_GRAPHICS_MODEL_VIRTIO', 'COMPUTE_GRAPHICS_MODEL_BOCHS',
          'COMPUTE_GRAPHICS_MODEL_VMVGA', 'COMPUTE_GRAPHICS_MODEL_NONE', 'COMPUTE_IMAGE_TYPE_RAW',
          'COMPUTE_IMAGE_TYPE_QCOW2', 'COMPUTE_IMAGE_TYPE_ISO', 'COMPUTE_IMAGE_TYPE_VMDK', 'COMPUTE_IMAGE_TYPE_VDI',
          'COMPUTE_IMAGE_TYPE_VHD', 'COMPUTE_IMAGE_TYPE_VHDX', 'COMPUTE_IMAGE_TYPE_AMI', 'COMPUTE_IMAGE_TYPE_AKI',
          'COMPUTE_IMAGE_TYPE_ARI')


class Host:
    """Facts that libvirt tells once, at :meth:`read`; memory and disk are looked at anew."""

    def __init__(self, connection, settings):
        self._connection = connection
        self._settings = settings

    def read(self):
        """Ask libvirt. :raises HypervisorError: it does not answer, or cannot run guests of the configured kind."""
        told = self._connection.call('describe the host', _describe)
        self.name, self._type, self._version, document = told
        self._tree = ElementTree.fromstring(document)
        self.arch = self._tree.findtext('host/cpu/arch')
        guests = [item.find('arch') for item in self._tree.iter('guest') if item.findtext('os_type') == 'hvm']
        guests = [arch for arch in guests if arch.get('name') == self.arch]
        self._supported = tuple((self.arch, domain.get('type'), 'hvm') for arch in guests
                                for domain in arch.iter('domain') if domain.get('type') == self._settings.virt_type)
        if not self._supported:
            raise exception.HypervisorError('libvirt has no %s guests of type %s here; see [libvirt] virt_type' % (
                self.arch, self._settings.virt_type))
        machines = frozenset(machine.text for arch in guests for machine in arch.iter('machine'))
        self.facts = guest.HostFacts(self.arch, machines)
        self.qemu_user = self._find_qemu_user()
        self._warn_of_kvm_device()

    def _find_qemu_user(self):
        """The QemuUser, None where libvirt runs QEMU as we run."""
        for model in self._tree.iter('secmodel'):
            label = model.find("baselabel[@type='%s']" % self._settings.virt_type)
            if model.findtext('model') == 'dac' and label is not None:
                uid, gid = (int(number.lstrip('+')) for number in label.text.split(':'))
                return access.QemuUser(uid, gid)
        return None

    def _warn_of_kvm_device(self):
        """libvirt, as root, finds KVM usable where QEMU's user cannot open it, and then forgets at each call what it
        knows of QEMU: every start of a guest takes seconds longer."""
        user = self.qemu_user
        if user is not None and os.path.exists(KVM_DEVICE) and not user.may(KVM_DEVICE, access.READ_WRITE):
            LOG.warning('%s exists, but QEMU\'s user %s may not open it: guests will start slowly. It should belong to '
                        'group kvm with mode 0660.', KVM_DEVICE, user.name)

    def resources(self):
        """NodeResources as of now; the disk is the file system of the guests' directory."""
        # libvirt counts memory by NUMA cell and misses what was added to a running machine.
        memory = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
        disk = shutil.disk_usage(self._settings.instances_path)
        return driver.NodeResources(
            vcpus=os.cpu_count(), memory_mb=memory // units.Mi, local_gb=disk.total // units.Gi,
            hypervisor_type=self._type, hypervisor_version=self._version, cpu_info=self._cpu_info(),
            supported_instances=self._supported, traits=TRAITS)

    def _cpu_info(self):
        cpu = self._tree.find('host/cpu')
        topology = cpu.find('topology')
        found = {'sockets': 1, 'cores': 1, 'threads': 1} | {
            name: int(value) for name, value in (topology.attrib if topology is not None else {}).items()
            if name in ('sockets', 'cores', 'threads')}
        return {'arch': self.arch, 'model': cpu.findtext('model'), 'vendor': cpu.findtext('vendor'),
                'topology': found | {'cells': len(self._tree.findall('host/topology/cells/cell')) or 1},
                'features': [feature.get('name') for feature in cpu.iter('feature')]}


def _describe(connection):
    return connection.getHostname(), connection.getType(), connection.getVersion(), connection.getCapabilities()
