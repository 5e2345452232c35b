# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations on the volumes of a built server: attach, detach, exchange.

nova-api has reserved what is to be attached, and recorded it as a device of the server. `arguments`: `bdm_uuid` names
that device; an exchange also has `new_volume_id` and `new_attachment_id`.
"""

from oslo_log import log

from nova_lite import exception
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import operation
from nova_lite.virt import abilities_volumes
from nova_lite.virt import block_device

LOG = log.getLogger(__name__)


class _OfVolume(operation.ServerOperation):
    undone = 'beside_undone'

    @property
    def bdm(self):
        """The BlockDeviceMapping that this is about, None when it is gone."""
        return next((bdm for bdm in self.block_devices if bdm.uuid == self.arguments['bdm_uuid']), None)

    @property
    def volumes(self):
        """The driver, as far as volumes go. :raises OperationFailed: it has none"""
        return self.ability(abilities_volumes.Volumes, self.record.name)

    def save(self):
        self.tools.conductor.block_device_save(self.ctxt, self.bdm)

    def forget(self):
        self.tools.conductor.block_device_delete(self.ctxt, self.arguments['bdm_uuid'])

    def take_out(self):
        """Take the volume out of the guest, where it is in."""
        if self.bdm is not None and self.bdm.connection_info is not None:
            self.volumes.detach_volume(self.ctxt, self.bdm.connection_info, self.instance, self.bdm.device_name)


class AttachVolume(_OfVolume):
    event, notification, finished = 'compute_attach_volume', 'volume_attach', 'volume_attached'

    def steps(self):
        return [steps.Step('attach_volume', self._attach, self._give_back)]

    def _attach(self):
        if self.bdm is None:
            raise exception.OperationFailed(operation='attach_volume', reason='the volume was detached meanwhile')
        settings, volumes = self.tools.settings, self.volumes
        block_device.convert(self.bdm).attach(self.ctxt, self.instance, block_device.Tools(
            volume=self.tools.volume, driver=volumes, save=self.save, retries=settings.block_device_retries,
            interval=settings.block_device_interval), do_driver_attach=True)
        self.save()

    def _give_back(self, exc):
        self.take_out()
        if self.bdm is not None and self.bdm.attachment_id is not None:
            self.tools.volume.attachment_delete(self.ctxt, self.bdm.attachment_id)
        self.forget()


class DetachVolume(_OfVolume):
    event, notification, finished = 'compute_detach_volume', 'volume_detach', 'volume_detached'

    def steps(self):
        return [steps.Step('detach_volume', self.take_out, self._put_back),
                steps.Step('attachment_delete', self._let_go)]

    def _let_go(self):
        """The volume service may hear of it although no answer comes; from then on the guest must not have it again."""
        if self.bdm is not None and self.bdm.attachment_id is not None:
            self.data['let_go'] = True
            self.tools.volume.attachment_delete(self.ctxt, self.bdm.attachment_id)
        self.forget()

    def _put_back(self, exc):
        bdm = self.bdm
        if bdm is not None and bdm.connection_info is not None and not self.data.get('let_go'):
            self.volumes.attach_volume(self.ctxt, bdm.connection_info, self.instance, bdm.device_name, bdm)


class SwapVolume(_OfVolume):
    event, notification, finished = 'compute_swap_volume', 'volume_swap', 'volume_swapped'

    def steps(self):
        return [steps.Step('prepare_swap', self._connect, self._disconnect),
                steps.Step('swap_volume', self._swap, self._swap_back),
                steps.Step('attachment_delete', self._let_go)]

    def _connect(self):
        """Let the host reach the new volume, and note what there is to go back to."""
        if self.bdm is None or self.bdm.connection_info is None:
            raise exception.OperationFailed(operation='swap_volume', reason='the volume was detached meanwhile')
        volume = self.tools.volume.get(self.ctxt, self.arguments['new_volume_id'])
        attachment = self.tools.volume.attachment_update(
            self.ctxt, self.arguments['new_attachment_id'], self.volumes.get_volume_connector(self.instance),
            self.bdm.device_name)
        info = {**attachment.connection_info, 'serial': volume.id, 'multiattach': volume.multiattach}
        self.volumes.check_volume(info)
        bdm = self.bdm
        self.data['new'] = {'info': info, 'volume_id': volume.id, 'size': volume.size, 'attachment_id': attachment.id}
        self.data['old'] = {'info': bdm.connection_info, 'volume_id': bdm.volume_id, 'size': bdm.volume_size,
                            'attachment_id': bdm.attachment_id}

    def _disconnect(self, exc):
        self.tools.volume.attachment_delete(self.ctxt, self.arguments['new_attachment_id'])

    def _swap(self):
        self._go_on_with('new')
        self.tools.volume.attachment_complete(self.ctxt, self.bdm.attachment_id)

    def _swap_back(self, exc):
        self._go_on_with('old')

    def _go_on_with(self, which):
        """Let the guest have the `old` or the `new` volume; that it has it already is fine."""
        bdm, data = self.bdm, self.data
        other = data['old' if which == 'new' else 'new']['info']
        self.volumes.swap_volume(self.ctxt, other, data[which]['info'], self.instance, bdm.device_name, bdm)
        bdm.connection_info, bdm.volume_id = data[which]['info'], data[which]['volume_id']
        bdm.attachment_id, bdm.volume_size = data[which]['attachment_id'], data[which]['size']
        self.save()

    def _let_go(self):
        """The guest has the new one, whatever becomes of this; an audit finds what is left."""
        try:
            self.tools.volume.attachment_delete(self.ctxt, self.data['old']['attachment_id'])
        except exception.NovaException as exc:
            LOG.warning('Volume %s is attached still, without need: %s', self.data['old']['volume_id'], exc)
