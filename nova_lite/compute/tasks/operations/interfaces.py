# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Gives a server a further network interface, or takes one away: the port, the device in the guest, and the record."""

from nova_lite import exception
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import operation
from nova_lite.objects import base
from nova_lite.virt import abilities


class _Interface(operation.ServerOperation):
    undone = 'beside_undone'

    def attach(self, vif):
        driver = self.ability(abilities.Interfaces, 'attaching an interface')
        driver.attach_interface(self.ctxt, self.instance, self.instance.image_meta, vif)

    def detach(self, vif):
        driver = self.ability(abilities.Interfaces, 'detaching an interface')
        try:
            driver.detach_interface(self.ctxt, self.instance, vif)
        except exception.InstanceNotFound:
            pass        # without a guest there is no interface

    def network_info(self):
        """[VIF…] as they are recorded now: their addresses may have changed since the operation began."""
        return self.tools.conductor.instance_get(self.ctxt, self.instance.uuid).network_info


class AttachInterface(_Interface):
    """Arguments: `request`, a NetworkRequest. With a failure a port of Nova's goes, and the user's is free again."""

    event, notification, finished = 'compute_attach_interface', 'interface_attach', 'interface_attached'

    def steps(self):
        return [steps.Step('allocate_port_for_instance', self._allocate, self._release),
                steps.Step('attach_interface', self._attach, self._detach)]

    def _known(self):
        return {vif.id for vif in self.instance.network_info}

    def _allocate(self):
        request, network = self.arguments['request'], self.tools.network
        if request.port_id in self._known():
            raise exception.PortInUse(port_id=request.port_id)
        self._release()         # what an earlier try of this step made
        [vif] = network.allocate_for_instance(self.ctxt, self.instance, [request], [], self.tools.host)
        self.data['vif'] = base.to_primitive(vif)

    def _release(self, exc=None):
        users = {self.arguments['request'].port_id} - {None}
        self.tools.network.release_other_ports(self.ctxt, self.instance.uuid, self._known(), users)

    def _vif(self):
        return base.from_primitive(self.data['vif'])

    def _attach(self):
        self.attach(self._vif())

    def _detach(self, exc):
        self.detach(self._vif())

    def values(self):
        vif = self._vif()
        others = [item for item in self.network_info() if item.id != vif.id]
        return super().values() | {'network_info': [*others, vif]}

    def result(self):
        """The id of the port."""
        return self._vif().id


class DetachInterface(_Interface):
    """Arguments: `vif`. A port that Nova made is deleted, the user's is free afterwards."""

    event, notification, finished = 'compute_detach_interface', 'interface_detach', 'interface_detached'

    def steps(self):
        return [steps.Step('detach_interface', self._detach, self._attach_again),
                steps.Step('deallocate_port_for_instance', self._release)]

    def _vif(self):
        return self.arguments['vif']

    def _detach(self):
        self.detach(self._vif())

    def _attach_again(self, exc):
        if any(vif.id == self._vif().id for vif in self.network_info()):
            self.attach(self._vif())

    def _release(self):
        vif = self._vif()
        self.tools.network.release_port(self.ctxt, self.instance.uuid, vif.id, vif.preserve_on_delete)

    def values(self):
        return super().values() | {'network_info': [
            vif for vif in self.network_info() if vif.id != self._vif().id]}
