# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The payloads of notifications about instances, field by field: Nova's flat ones and its versioned ones.

Consumers match on names, forms and versions, so these follow Nova's. No password, file, user data or token is in them.
"""

import traceback as tracebacks

from nova_lite.compute import power_state

INSTANCE_ACTION = ('InstanceActionPayload', '1.8')
INSTANCE_CREATE = ('InstanceCreatePayload', '1.12')
_SPACED, _ISO_Z = '%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%SZ'


def _time(value, form):
    return value.strftime(form) if value else None


# ---- flat ----------------------------------------------------------------------------------------------------

def legacy(instance, **extra):
    """The payload of `compute.instance.*` notifications; `extra` are the fields that only some of them have."""
    flavor, image = instance.flavor, instance.image_meta
    payload = {
        'tenant_id': instance.project_id, 'user_id': instance.user_id, 'instance_id': instance.uuid,
        'display_name': instance.display_name, 'reservation_id': instance.reservation_id,
        'hostname': instance.hostname, 'instance_type': flavor.name, 'instance_type_id': flavor.id,
        'instance_flavor_id': flavor.flavorid, 'architecture': image.property('hw_architecture'),
        'memory_mb': flavor.memory_mb, 'disk_gb': flavor.root_gb + flavor.ephemeral_gb, 'vcpus': flavor.vcpus,
        'root_gb': flavor.root_gb, 'ephemeral_gb': flavor.ephemeral_gb, 'host': instance.host, 'node': instance.node,
        'availability_zone': instance.availability_zone, 'cell_name': '',
        'created_at': _time(instance.created_at, _SPACED + '+00:00'),
        'terminated_at': _time(instance.terminated_at, _ISO_Z) or '',
        'deleted_at': _time(instance.deleted_at, _ISO_Z) or '',
        'launched_at': _time(instance.launched_at, _ISO_Z) or '',
        'image_ref_url': '/images/%s' % instance.image_ref if instance.image_ref else '',
        'os_type': image.property('os_type'), 'kernel_id': instance.kernel_id or '',
        'ramdisk_id': instance.ramdisk_id or '', 'state': instance.vm_state,
        'state_description': instance.task_state or '', 'progress': instance.progress or '',
        'access_ip_v4': instance.access_ip_v4, 'access_ip_v6': instance.access_ip_v6,
        'image_meta': _image_meta(instance), 'metadata': dict(instance.metadata),
    }
    payload.update(extra)
    return payload


def _image_meta(instance):
    image = instance.image_meta
    meta = {key: str(value) for key, value in image.properties.items()}
    meta.update(base_image_ref=instance.image_ref, container_format=image.container_format,
                disk_format=image.disk_format, min_disk=str(image.min_disk), min_ram=str(image.min_ram))
    return {key: value for key, value in meta.items() if value is not None}


def fixed_ips(network_info):
    """The addresses of an instance, each with the label of its network and the MAC of its interface."""
    return [{'label': vif.network_label, 'vif_mac': vif.address, 'meta': {}, 'address': ip.address, 'type': 'fixed',
             'version': ip.version, 'floating_ips': [{'address': address, 'type': 'floating'}
                                                     for address in ip.floating_ips]}
            for vif in network_info for ip in vif.fixed_ips]


# ---- versioned -----------------------------------------------------------------------------------------------

def _object(name, version, /, **data):
    return {'nova_object.name': name, 'nova_object.version': version, 'nova_object.namespace': 'nova',
            'nova_object.data': data}


def versioned(kind, ctxt, instance, block_devices, exc=None):
    """The payload of `instance.*` notifications; `kind` is INSTANCE_ACTION or INSTANCE_CREATE."""
    image = instance.image_meta
    data = {
        'uuid': instance.uuid, 'user_id': instance.user_id, 'tenant_id': instance.project_id,
        'reservation_id': instance.reservation_id, 'display_name': instance.display_name,
        'display_description': instance.display_description, 'host_name': instance.hostname, 'host': instance.host,
        'node': instance.node, 'os_type': image.property('os_type'),
        'architecture': image.property('hw_architecture'), 'availability_zone': instance.availability_zone,
        'flavor': _flavor(instance.flavor), 'image_uuid': instance.image_ref, 'key_name': instance.key_name,
        'kernel_id': instance.kernel_id or '', 'ramdisk_id': instance.ramdisk_id or '',
        'created_at': _time(instance.created_at, _ISO_Z), 'launched_at': _time(instance.launched_at, _ISO_Z),
        'terminated_at': _time(instance.terminated_at, _ISO_Z), 'deleted_at': _time(instance.deleted_at, _ISO_Z),
        'updated_at': _time(instance.updated_at, _ISO_Z), 'state': instance.vm_state,
        'power_state': power_state.NAMES.get(instance.power_state, 'pending'), 'task_state': instance.task_state,
        'progress': instance.progress, 'ip_addresses': _addresses(instance.network_info),
        'block_devices': [_block_device(bdm) for bdm in block_devices if bdm.volume_id],
        'metadata': dict(instance.metadata), 'locked': instance.locked, 'locked_reason': None,
        'auto_disk_config': 'AUTO' if instance.auto_disk_config else 'MANUAL', 'request_id': ctxt.request_id,
        'action_initiator_user': ctxt.user_id, 'action_initiator_project': ctxt.project_id,
        'fault': _exception(exc) if exc else None,
    }
    if kind is INSTANCE_CREATE:
        data.update(tags=list(instance.tags), trusted_image_certificates=None, keypairs=_keypairs(instance))
    return _object(*kind, **data)


def _flavor(flavor):
    return _object(
        'FlavorPayload', '1.4', flavorid=flavor.flavorid, name=flavor.name, memory_mb=flavor.memory_mb,
        vcpus=flavor.vcpus, root_gb=flavor.root_gb, ephemeral_gb=flavor.ephemeral_gb, swap=flavor.swap,
        rxtx_factor=flavor.rxtx_factor, vcpu_weight=flavor.vcpu_weight, disabled=flavor.disabled,
        is_public=flavor.is_public, extra_specs=dict(flavor.extra_specs), projects=None,
        description=flavor.description)


def _addresses(network_info):
    return [_object('IpPayload', '1.0', label=vif.network_label, mac=vif.address, meta={}, port_uuid=vif.id,
                    version=ip.version, address=ip.address, device_name=vif.devname)
            for vif in network_info for ip in vif.fixed_ips]


def _block_device(bdm):
    return _object('BlockDevicePayload', '1.0', device_name=bdm.device_name, boot_index=bdm.boot_index,
                   delete_on_termination=bdm.delete_on_termination, volume_id=bdm.volume_id, tag=bdm.tag)


def _keypairs(instance):
    if not instance.key_name:
        return []
    return [_object('KeypairPayload', '1.0', user_id=instance.user_id, name=instance.key_name, fingerprint=None,
                    public_key=instance.key_data, type='ssh')]


def _exception(exc):
    frames = tracebacks.extract_tb(exc.__traceback__)
    return _object('ExceptionPayload', '1.1', exception=type(exc).__name__, exception_message=str(exc),
                   module_name=frames[-1].filename if frames else 'unknown',
                   function_name=frames[-1].name if frames else 'unknown',
                   traceback=''.join(tracebacks.format_exception(exc)))
