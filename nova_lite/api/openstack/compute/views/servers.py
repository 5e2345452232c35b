# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How servers look in answers, by microversion."""

from nova_lite.api.openstack import formats
from nova_lite.api.openstack.compute.views import hosts
from nova_lite.compute import task_states
from nova_lite.compute import vm_states

SEE_HOST = 'os_compute_api:os-extended-server-attributes'
SEE_HOST_STATUS = 'os_compute_api:servers:show:host_status'
SEE_UNKNOWN_HOST_STATUS = 'os_compute_api:servers:show:host_status:unknown-only'
SEE_FLAVOR_SPECS = 'os_compute_api:os-flavor-extra-specs:index'

STATUS = {
    vm_states.BUILDING: 'BUILD', vm_states.ACTIVE: 'ACTIVE', vm_states.PAUSED: 'PAUSED',
    vm_states.SUSPENDED: 'SUSPENDED', vm_states.STOPPED: 'SHUTOFF', vm_states.RESCUED: 'RESCUE',
    vm_states.RESIZED: 'VERIFY_RESIZE', vm_states.SOFT_DELETED: 'SOFT_DELETED', vm_states.DELETED: 'DELETED',
    vm_states.SHELVED: 'SHELVED', vm_states.SHELVED_OFFLOADED: 'SHELVED_OFFLOADED', vm_states.ERROR: 'ERROR',
}
_ACTIVE, _STOPPED, _ERROR = vm_states.ACTIVE, vm_states.STOPPED, vm_states.ERROR
_REBUILD = (task_states.REBUILDING, task_states.REBUILD_BLOCK_DEVICE_MAPPING, task_states.REBUILD_SPAWNING)
_RESIZE = (task_states.RESIZE_PREP, task_states.RESIZE_MIGRATING, task_states.RESIZE_MIGRATED,
           task_states.RESIZE_FINISH)
# (vm_state, task_state) → a status that tells what is under way
UNDER_WAY = {
    (_ACTIVE, task_states.REBOOTING): 'REBOOT', (_ACTIVE, task_states.REBOOTING_HARD): 'HARD_REBOOT',
    (_ACTIVE, task_states.UPDATING_PASSWORD): 'PASSWORD', (_ACTIVE, task_states.MIGRATING): 'MIGRATING',
    (vm_states.PAUSED, task_states.MIGRATING): 'MIGRATING',
    (vm_states.RESIZED, task_states.RESIZE_REVERTING): 'REVERT_RESIZE',
    **{(vm_state, task): 'REBUILD' for vm_state in (_ACTIVE, _STOPPED, _ERROR) for task in _REBUILD},
    **{(vm_state, task): 'RESIZE' for vm_state in (_ACTIVE, _STOPPED) for task in _RESIZE},
}
WITH_PROGRESS = {'ACTIVE', 'BUILD', 'REBUILD', 'RESIZE', 'VERIFY_RESIZE', 'MIGRATING'}
WITH_FAULT = {'ERROR', 'DELETED'}


def status(instance):
    """What the API calls the state of an instance."""
    under_way = UNDER_WAY.get((instance.vm_state, instance.task_state))
    return under_way or STATUS.get(instance.vm_state, 'UNKNOWN')


def vm_states_of(name):
    """The vm_states that a status stands for; empty for an unknown one."""
    return [vm_state for vm_state, shown in STATUS.items() if shown == name.upper()]


def basic(req, instance):
    """An entry of the short list."""
    return {'id': instance.uuid, 'name': instance.display_name, 'links': req.urls.both('servers', instance.uuid)}


def created(req, instance, admin_password):
    """The answer to a create request; `admin_password` None: it is not shown."""
    view = {'id': instance.uuid, 'links': req.urls.both('servers', instance.uuid),
            'OS-DCF:diskConfig': _disk_config(instance), 'security_groups': _names(instance.security_groups)}
    if admin_password is not None:
        view['adminPass'] = admin_password
    return view


class Detail:
    """Whole servers for one request. What depends on caller and microversion only is found out once.

    `host_status`: {host: UP, MAINTENANCE, DOWN, …} where the caller may see it; `groups`: {instance uuid: [group
    uuid…]} for what shows single servers, None for lists; `volumes`: {instance uuid: [BlockDeviceMapping…]}.
    """

    def __init__(self, req, *, host_status=None, groups=None, volumes=None):
        version = req.version
        self._urls = req.urls
        self._version = version
        self._admin = req.context.is_admin
        self._sees_host = req.allows(SEE_HOST)
        self._sees_specs = version >= (2, 47) and req.allows(SEE_FLAVOR_SPECS)
        self._host_status = host_status
        self._groups = groups
        self._volumes = volumes or {}
        self._bookmarks = {}

    def show(self, instance):
        """The server as GET shows it."""
        view = self._core(instance)
        view.update(self._extended(instance))
        if self._sees_host:
            view.update(self._host_attributes(instance))
        elif self._version >= (2, 90):
            view['OS-EXT-SRV-ATTR:hostname'] = instance.hostname
        if self._host_status is not None and self._version >= (2, 16):
            self._add_host_status(view, instance)
        self._add_later(view, instance)
        return view

    def updated(self, instance):
        """The server as PUT answers with: before 2.75 without what Nova kept in extensions."""
        if self._version >= (2, 75):
            return self.show(instance)
        view = self._core(instance)
        for shown in view['addresses'].values():
            for address in shown:
                del address['OS-EXT-IPS:type'], address['OS-EXT-IPS-MAC:mac_addr']
        self._add_later(view, instance)
        return view

    def _core(self, instance):
        shown = status(instance)
        view = {
            'id': instance.uuid, 'name': instance.display_name, 'status': shown, 'tenant_id': instance.project_id,
            'user_id': instance.user_id, 'metadata': instance.metadata,
            'hostId': hosts.host_id(instance.project_id, instance.host),
            'image': self._image(instance), 'flavor': self._flavor(instance.flavor),
            'created': formats.iso(instance.created_at),
            'updated': formats.iso(instance.updated_at or instance.created_at),
            'addresses': addresses(instance.network_info), 'accessIPv4': instance.access_ip_v4 or '',
            'accessIPv6': instance.access_ip_v6 or '', 'links': self._urls.both('servers', instance.uuid),
            'OS-DCF:diskConfig': _disk_config(instance),
        }
        if shown in WITH_PROGRESS:
            view['progress'] = instance.progress
        if shown in WITH_FAULT and instance.fault is not None:
            view['fault'] = self._fault(instance.fault)
        return view

    def _extended(self, instance):
        view = {
            'key_name': instance.key_name, 'config_drive': 'True' if instance.config_drive else '',
            'OS-EXT-AZ:availability_zone': instance.availability_zone or '',
            'OS-EXT-STS:task_state': instance.task_state, 'OS-EXT-STS:vm_state': instance.vm_state,
            'OS-EXT-STS:power_state': instance.power_state,
            'OS-SRV-USG:launched_at': formats.iso_micro(instance.launched_at),
            'OS-SRV-USG:terminated_at': formats.iso_micro(instance.terminated_at),
            'os-extended-volumes:volumes_attached': self._attached(instance),
        }
        if instance.security_groups:
            view['security_groups'] = _names(instance.security_groups)
        return view

    def _attached(self, instance):
        shown = [device for device in self._volumes.get(instance.uuid, ()) if device.attachment_id]
        if self._version < (2, 3):
            return [{'id': device.volume_id} for device in shown]
        return [{'id': device.volume_id, 'delete_on_termination': device.delete_on_termination} for device in shown]

    def _host_attributes(self, instance):
        view = {'OS-EXT-SRV-ATTR:host': instance.host, 'OS-EXT-SRV-ATTR:instance_name': instance.name,
                'OS-EXT-SRV-ATTR:hypervisor_hostname': instance.node}
        if self._version >= (2, 3):
            view |= {
                'OS-EXT-SRV-ATTR:reservation_id': instance.reservation_id,
                'OS-EXT-SRV-ATTR:launch_index': instance.launch_index,
                'OS-EXT-SRV-ATTR:hostname': instance.hostname, 'OS-EXT-SRV-ATTR:kernel_id': instance.kernel_id or '',
                'OS-EXT-SRV-ATTR:ramdisk_id': instance.ramdisk_id or '',
                'OS-EXT-SRV-ATTR:root_device_name': instance.root_device_name,
                'OS-EXT-SRV-ATTR:user_data': instance.user_data,
            }
        return view

    def _add_host_status(self, view, instance):
        shown = self._host_status.get(instance.host, 'UNKNOWN') if instance.host else ''
        if shown is not None:
            view['host_status'] = shown

    def _add_later(self, view, instance):
        """What microversions after 2.1 added for everybody."""
        version, kept = self._version, instance.system_metadata
        if version < (2, 9):
            return
        view['locked'] = instance.locked
        if version >= (2, 19):
            view['description'] = instance.display_description
        if version >= (2, 26):
            view['tags'] = instance.tags
        if version >= (2, 63):
            view['trusted_image_certificates'] = kept.get('trusted_certs')
        if version >= (2, 71) and self._groups is not None:
            view['server_groups'] = self._groups.get(instance.uuid, [])
        if version >= (2, 73):
            view['locked_reason'] = kept.get('locked_reason')
        if version >= (2, 96):
            view['pinned_availability_zone'] = kept.get('pinned_availability_zone')
        if version >= (2, 100):
            view['scheduler_hints'] = kept.get('scheduler_hints') or {}

    def _image(self, instance):
        if not instance.image_ref:
            return ''
        view = {'id': instance.image_ref, 'links': [self._bookmark('images', instance.image_ref)]}
        if self._version >= (2, 98):
            view['properties'] = instance.image_meta.properties
        return view

    def _flavor(self, flavor):
        if self._version < (2, 47):
            return {'id': flavor.flavorid, 'links': [self._bookmark('flavors', flavor.flavorid)]}
        view = {'vcpus': flavor.vcpus, 'ram': flavor.memory_mb, 'disk': flavor.root_gb,
                'ephemeral': flavor.ephemeral_gb, 'swap': flavor.swap, 'original_name': flavor.name}
        if self._sees_specs:
            view['extra_specs'] = flavor.extra_specs
        return view

    def _bookmark(self, collection, identifier):
        key = collection, identifier
        if key not in self._bookmarks:
            self._bookmarks[key] = {'rel': 'bookmark', 'href': self._urls.bookmark(collection, identifier)}
        return self._bookmarks[key]

    def _fault(self, fault):
        view = {'code': fault.code, 'created': formats.iso(fault.created_at), 'message': fault.message}
        if self._admin and fault.details:
            view['details'] = fault.details
        return view


def addresses(network_info):
    """{network: [address…]} in the order of the ports, fixed addresses before the floating ones on them."""
    view = {}
    for vif in network_info:
        shown = view.setdefault(vif.network_label, [])
        for fixed_ip in vif.fixed_ips:
            shown.append(_address(vif, fixed_ip.address, fixed_ip.version, 'fixed'))
            shown += [_address(vif, floating, 4, 'floating') for floating in fixed_ip.floating_ips]
    return view


def _address(vif, address, version, kind):
    return {'version': version, 'addr': address, 'OS-EXT-IPS:type': kind, 'OS-EXT-IPS-MAC:mac_addr': vif.address}


def _disk_config(instance):
    return 'AUTO' if instance.auto_disk_config else 'MANUAL'


def _names(security_groups):
    return [{'name': name} for name in security_groups]
