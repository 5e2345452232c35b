# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a guest reads of itself, by the metadata service and from a config drive."""

import base64
import json

import pytest

from nova_lite import instance_metadata
from tests.unit.virt import samples

V6 = {'version': 6, 'cidr': '2001:db8::/64', 'gateway': '2001:db8::1', 'dns': ['2001:db8::2'], 'dhcp': False}


def metadata(vifs=(), files=(), password=None, **changes):
    return instance_metadata.InstanceMetadata(samples.instance(**changes), list(vifs), files, password)


def document(data, path):
    return json.loads(data.lookup(path))


def test_root_lists_the_ec2_versions():
    assert metadata().lookup('/').splitlines() == [*instance_metadata.EC2_VERSIONS, 'latest']


@pytest.mark.parametrize('path', ['/nope', '/openstack/nope', '/openstack/latest/nope', '/openstack/content/0000',
                                  '/latest/meta-data/nope', '/latest/meta-data/hostname/deeper', '/latest/user-data',
                                  '/openstack/latest/user_data', '/latest/meta-data/public-keys/',
                                  '/openstack/2012-08-10/network_data.json', '/2007-01-19/meta-data/placement'])
def test_what_does_not_exist_is_a_key_error(path):
    with pytest.raises(KeyError):
        metadata().lookup(path)


def test_ec2_tree():
    vif = samples.vif(fixed_ips=[samples.fixed_ip(floating_ips=['203.0.113.9'])])
    data = metadata([vif], key_name='mine', key_data='ssh-rsa AAAA', user_data=base64.b64encode(b'\x00#!').decode())
    assert data.lookup('/2009-04-04/') == 'meta-data/\nuser-data'
    assert data.lookup('/latest/user-data') == b'\x00#!'
    listing = data.lookup('latest/meta-data').splitlines()
    assert {'instance-id', 'local-ipv4', 'placement/', 'public-keys/', 'block-device-mapping/'} <= set(listing)
    found = {name: data.lookup('/latest/meta-data/' + name) for name in listing}
    assert found['instance-id'] == 'i-0000000a'
    assert found['local-ipv4'] == '10.0.0.5'
    assert found['public-ipv4'] == '203.0.113.9'
    assert found['hostname'] == 'web.novalocal'
    assert found['security-groups'] == 'default\nssh'
    assert found['public-keys/'] == '0=mine'
    assert data.lookup('/latest/meta-data/public-keys/0/openssh-key') == 'ssh-rsa AAAA'
    assert data.lookup('/latest/meta-data/placement/availability-zone') == 'nova'
    assert data.lookup('/latest/meta-data/block-device-mapping/root') == '/dev/vda'


def test_openstack_listing_grows_with_the_version():
    data = metadata()
    assert data.lookup('/openstack').splitlines() == [*instance_metadata.OPENSTACK_VERSIONS, 'latest']
    assert data.lookup('/openstack/2012-08-10') == 'meta_data.json'
    assert set(data.lookup('/openstack/latest/').splitlines()) == {
        'meta_data.json', 'password', 'vendor_data.json', 'network_data.json', 'vendor_data2.json'}


def test_meta_data_json():
    data = metadata(metadata={'role': 'web'}, key_name='mine', key_data='ssh-rsa AAAA')
    found = document(data, '/openstack/latest/meta_data.json')
    assert found['uuid'] == samples.UUID
    assert found['meta'] == {'role': 'web'}
    assert found['public_keys'] == {'mine': 'ssh-rsa AAAA'}
    assert found['keys'] == [{'name': 'mine', 'type': 'ssh', 'data': 'ssh-rsa AAAA'}]
    assert found['project_id'] == samples.PROJECT
    assert len(base64.b64decode(found['random_seed'])) == 512
    assert 'admin_pass' not in found and 'files' not in found
    oldest = document(data, '/openstack/2012-08-10/meta_data.json')
    assert 'random_seed' not in oldest and 'project_id' not in oldest


def test_a_host_name_without_domain():
    data = instance_metadata.InstanceMetadata(samples.instance(), [], domain='')
    assert document(data, '/openstack/latest/meta_data.json')['hostname'] == 'web'


def test_network_data_json():
    vif = samples.vif(fixed_ips=[samples.fixed_ip(), samples.fixed_ip('2001:db8::5', **V6)])
    found = document(metadata([vif]), '/openstack/latest/network_data.json')
    assert found['links'] == [{'id': 'tap11112222-33', 'vif_id': vif.id, 'type': 'bridge', 'mtu': 1500,
                               'ethernet_mac_address': vif.address}]
    dhcp, static = found['networks']
    assert dhcp == {'id': 'network0', 'link': 'tap11112222-33', 'network_id': 'net-1', 'type': 'ipv4_dhcp'}
    assert static['type'] == 'ipv6'
    assert static['netmask'] == 'ffff:ffff:ffff:ffff::'
    assert static['routes'] == [{'network': '::', 'netmask': '::', 'gateway': '2001:db8::1'}]
    assert found['services'] == [{'type': 'dns', 'address': '10.0.0.2'}, {'type': 'dns', 'address': '2001:db8::2'}]


def test_static_ipv4_has_the_routes():
    fixed = samples.fixed_ip(dhcp=False, routes=[{'destination': '192.0.2.0/24', 'nexthop': '10.0.0.9'}])
    found = document(metadata([samples.vif(fixed_ips=[fixed])]), '/openstack/latest/network_data.json')
    assert found['networks'][0] | {'id': None} == {
        'id': None, 'link': 'tap11112222-33', 'network_id': 'net-1', 'type': 'ipv4', 'ip_address': '10.0.0.5',
        'netmask': '255.255.255.0', 'services': [{'type': 'dns', 'address': '10.0.0.2'}],
        'routes': [{'network': '0.0.0.0', 'netmask': '0.0.0.0', 'gateway': '10.0.0.1'},
                   {'network': '192.0.2.0', 'netmask': '255.255.255.0', 'gateway': '10.0.0.9'}]}


def test_the_stored_password_is_put_together():
    data = metadata(system_metadata={'password_0': 'abc', 'password_1': 'def'})
    assert data.lookup('/openstack/latest/password') == 'abcdef'


def test_config_drive_files():
    data = metadata(files=[('/etc/motd', b'hello'), ('/etc/x', b'\xff')], password='secret',
                    user_data=base64.b64encode(b'#!/bin/sh').decode())
    files = dict(data.files())
    assert all(isinstance(content, bytes) and not path.startswith('/') for path, content in files.items())
    found = json.loads(files['openstack/latest/meta_data.json'])
    assert found['admin_pass'] == 'secret'
    assert found['files'] == [{'path': '/etc/motd', 'content_path': '/content/0000'},
                              {'path': '/etc/x', 'content_path': '/content/0001'}]
    assert files['openstack/content/0000'] == b'hello'
    assert files['openstack/content/0001'] == b'\xff'
    assert files['openstack/latest/user_data'] == b'#!/bin/sh'
    assert json.loads(files['ec2/latest/meta-data.json'])['instance-id'] == 'i-0000000a'
    assert not any(path.endswith('password') for path in files)
