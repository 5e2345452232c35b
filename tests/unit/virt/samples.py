# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Objects that the tests of the drivers share: an instance, its flavor, image and interfaces."""

from nova_lite.objects import flavor as flavor_obj
from nova_lite.objects import image_meta
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import network

UUID = '5a1c9d0e-2f4b-4c6d-8e7f-0123456789ab'
IMAGE_ID = 'c0ffee00-1111-4222-8333-444455556666'
PROJECT, USER = 'a' * 32, 'b' * 32


def flavor(**changes):
    values = {'flavorid': '42', 'name': 'm1.nano', 'memory_mb': 128, 'vcpus': 1, 'root_gb': 1}
    return flavor_obj.Flavor(**values | changes)


def image(**changes):
    values = {'id': IMAGE_ID, 'name': 'guest', 'status': 'active', 'disk_format': 'qcow2', 'container_format': 'bare'}
    return image_meta.ImageMeta(**values | changes)


def instance(**changes):
    values = {'uuid': UUID, 'id': 10, 'project_id': PROJECT, 'user_id': USER, 'display_name': 'web', 'hostname': 'web',
              'flavor': flavor(), 'image_meta': image(), 'vm_state': 'building', 'image_ref': IMAGE_ID,
              'availability_zone': 'nova', 'reservation_id': 'r-abcdefgh', 'security_groups': ['default', 'ssh'],
              'root_device_name': '/dev/vda'}
    return instance_obj.Instance(**values | changes)


def fixed_ip(address='10.0.0.5', **changes):
    values = {'version': 4, 'subnet_id': 'subnet-1', 'cidr': '10.0.0.0/24', 'gateway': '10.0.0.1',
              'dns': ['10.0.0.2'], 'dhcp': True}
    return network.FixedIP(address=address, **values | changes)


def vif(**changes):
    values = {'id': '11112222-3333-4444-8555-666677778888', 'address': 'fa:16:3e:01:02:03',
              'network_id': 'net-1', 'network_label': 'public', 'vif_type': 'bridge', 'bridge': 'br0', 'mtu': 1500,
              'fixed_ips': [fixed_ip()]}
    return network.VIF(**values | changes)
