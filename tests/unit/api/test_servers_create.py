# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""POST /servers: what is accepted, refused and recorded."""

import base64
import re

import pytest

from nova_lite.api.openstack.compute import servers_request
from nova_lite.db import actions
from nova_lite.db import block_devices
from nova_lite.db import instance_groups
from nova_lite.db import instances
from nova_lite.db import keypairs
from nova_lite.db import quotas
from nova_lite.objects import instance_group
from nova_lite.objects import keypair
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles

ABSENT = '11111111-2222-3333-4444-555555555555'


@pytest.fixture
def cloud(tmp_path):
    return servers_cloud.Cloud(tmp_path)


def encoded(size):
    return base64.b64encode(b'x' * size).decode()


def group(cloud, project='p1'):
    return instance_groups.create(cloud.db, instance_group.InstanceGroup(
        uuid=doubles.new_id(), name='g', project_id=project, user_id='u', policy='anti-affinity')).uuid


# ---- what is accepted ----------------------------------------------------------------------------------------

def test_the_curl_of_the_textbooks(cloud):
    cloud.flavor('2', name='m1.small')
    body = {'server': {'name': 'ubuntu_test', 'imageRef': cloud.image, 'flavorRef': '2', 'max_count': 1, 'min_count': 1,
                       'networks': [{'uuid': cloud.network}]}}
    answer = cloud.ask('POST', '/p1/servers', body, legacy=True)
    server = answer.body['server']
    assert answer.status == 202
    assert answer.headers['Location'] == 'http://cloud:8774/v2/p1/servers/%s' % server['id']
    assert set(server) == {'id', 'links', 'adminPass', 'OS-DCF:diskConfig', 'security_groups'}
    assert server['links'][0] == {'rel': 'self', 'href': answer.headers['Location']}
    assert (server['OS-DCF:diskConfig'], server['security_groups']) == ('AUTO', [{'name': 'default'}])
    assert len(server['adminPass']) == 12
    shown = cloud.ask('GET', '/p1/servers/%s' % server['id'], legacy=True).body['server']
    assert (shown['status'], shown['OS-EXT-STS:vm_state'], shown['OS-EXT-STS:task_state']) == (
        'BUILD', 'building', 'scheduling')
    assert shown['name'] == 'ubuntu_test' and shown['addresses'] == {}


def test_what_a_boot_costs_the_api(cloud):
    with cloud.counted() as costs:      # image, network
        cloud.make()
    assert costs['http'] == 2
    with cloud.counted() as costs:
        cloud.make()
    # flavor, limits, use; instance, device, action, order and ids in one transaction; and the use once more
    assert costs == {'sql': 9, 'http': 2}
    for http in (3, 2):     # how many ports the project may make, once
        with cloud.counted() as costs:
            cloud.make(max_count=5)
        assert costs == {'sql': 9, 'http': http}


def test_what_is_recorded_and_handed_over(cloud):
    uuid = cloud.make('2.90', name='web.one', metadata={'a': 'b'}, tags=['t', 't'], description='d', hostname='host',
                      config_drive='True', user_data=encoded(3), accessIPv4='1.2.3.4', accessIPv6='fe80::1',
                      **{'OS-DCF:diskConfig': 'MANUAL'}, adminPass='secret', hints={'key': 'value'})
    order = cloud.last_order()
    instance = instances.get(cloud.db, uuid)
    assert order.instance.uuid == uuid and order.instance.id == instance.id
    assert (instance.project_id, instance.user_id, instance.hostname, instance.display_name) == (
        'p1', 'u-p1', 'host', 'web.one')
    assert (instance.metadata, instance.tags, instance.display_description) == ({'a': 'b'}, ['t'], 'd')
    assert instance.config_drive and not instance.auto_disk_config and instance.user_data == encoded(3)
    assert (instance.access_ip_v4, instance.access_ip_v6) == ('1.2.3.4', 'fe80::1')
    assert order.admin_password == 'secret' and order.image.id == cloud.image
    assert [request.network_id for request in order.requested_networks] == [cloud.network]
    spec = order.request_spec
    assert (spec.instance_uuids, spec.num_instances, spec.project_id) == ([uuid], 1, 'p1')
    assert spec.scheduler_hints == {'key': 'value'} and spec.requested_destination is None
    [device] = block_devices.get_all(cloud.db, uuid)
    assert (device.source_type, device.image_id, device.boot_index, device.volume_size) == ('image', cloud.image, 0, 1)
    [action] = actions.list_(cloud.db, uuid)
    assert (action.action, action.project_id, action.user_id) == ('create', 'p1', 'u-p1')


def test_hostnames_and_descriptions_follow_from_names(cloud):
    instance = instances.get(cloud.db, cloud.make(name='a.b.c'))
    assert (instance.hostname, instance.display_description) == ('a-b-c', 'a.b.c')
    uuid = cloud.make('2.19', name='\N{PARTY POPPER}', )
    assert instances.get(cloud.db, uuid).hostname == 'Server-%s' % uuid
    assert instances.get(cloud.db, uuid).display_description is None


def test_several_at_once(cloud):
    answer = cloud.create(min_count='2', max_count=3, return_reservation_id=True)
    assert answer.status == 202 and re.fullmatch('r-[a-z0-9]{8}', answer.body['reservation_id'])
    assert 'Location' not in answer.headers
    name, orders = cloud.cast[-1]
    assert [order.instance.display_name for order in orders] == ['web-1', 'web-2', 'web-3']
    assert [order.instance.hostname for order in orders] == ['web-1', 'web-2', 'web-3']
    assert [order.instance.launch_index for order in orders] == [0, 1, 2]
    assert {order.instance.reservation_id for order in orders} == {answer.body['reservation_id']}
    assert all(order.request_spec.instance_uuids == [item.instance.uuid for item in orders] for order in orders)
    assert len(cloud.cast) == 1


def test_passwords():
    made = {servers_request.generate_password(12) for _ in range(50)}
    assert len(made) == 50
    for password in made:
        assert re.search('[a-z]', password) and re.search('[A-Z]', password) and re.search('[0-9]', password)
        assert not re.search('[0O1lI]', password)
    assert len(servers_request.generate_password(1)) == 1


def test_passwords_can_be_left_out_of_answers(tmp_path):
    cloud = servers_cloud.Cloud(tmp_path, api__enable_instance_password=False)
    answer = cloud.create()
    assert answer.status == 202 and 'adminPass' not in answer.body['server']


# ---- networks ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(('version', 'networks', 'status'), [
    ('2.37', None, 400), ('2.37', 'auto', 202), ('2.37', 'none', 202), ('2.37', [], 202), ('2.37', ['auto'], 400),
    ('2.37', 'both', 400), ('2.36', 'auto', 400), ('2.36', None, 202), ('2.36', [], 202),
    ('2.37', [{'tag': 'x'}], 400), ('2.1', [{}], 400), ('2.1', [{'uuid': 'no uuid'}], 400),
    ('2.1', [{'uuid': ABSENT}], 400), ('2.1', [{'port': ABSENT}], 400),
    ('2.1', [{'port': ABSENT, 'fixed_ip': '10.0.0.9'}], 400), ('2.1', [{'fixed_ip': '10.0.0.9'}], 400)])
def test_networks(cloud, version, networks, status):
    assert cloud.create(version, networks=networks).status == status


def test_no_network_one_and_two(cloud):
    assert cloud.last_order_of(cloud.make('2.1', networks=None)).requested_networks[0].network_id == cloud.network
    assert cloud.last_order_of(cloud.make('2.37', networks='none')).requested_networks is None
    assert cloud.last_order_of(cloud.make('2.37', networks='auto')).requested_networks[0].network_id == cloud.network
    cloud.neutron.add_network('p1')
    answer = cloud.create('2.1', networks=None)
    assert answer.status == 409 and answer.message.startswith('Multiple possible networks found')
    cloud.neutron.networks.clear()
    assert cloud.last_order_of(cloud.make('2.1', networks=None)).requested_networks is None
    assert cloud.create('2.37', networks='auto').status == 400


def test_tags_of_network_devices_come_and_go(cloud):
    tagged = [{'uuid': cloud.network, 'tag': 'nic'}]
    accepted = [version for version in ('2.31', '2.32', '2.36', '2.37', '2.41', '2.42', '2.104')
                if cloud.create(version, networks=tagged).status == 202]
    assert accepted == ['2.32', '2.36', '2.42', '2.104']


def test_ports(cloud):
    port = cloud.neutron.add_port(cloud.network)
    assert cloud.last_order_of(cloud.make(networks=[{'port': port}])).requested_networks[0].port_id == port
    cloud.neutron.ports[port]['device_id'] = ABSENT
    assert cloud.create(networks=[{'port': port}]).status == 409
    assert cloud.create(networks=[{'port': port}], max_count=2).status == 400
    taken = cloud.neutron.ports[port]['fixed_ips'][0]['ip_address']
    assert cloud.create(networks=[{'uuid': cloud.network, 'fixed_ip': taken}]).status == 400
    cloud.neutron.port_quota = 1
    answer = cloud.create(project='p1', networks=[{'uuid': cloud.network}] * 600)
    assert (answer.status, answer.message) == (403, 'Maximum number of ports exceeded')


def test_security_groups(cloud):
    web = cloud.neutron.add_group('web')
    order = cloud.last_order_of(cloud.make(security_groups=[{'name': 'web'}, {'name': 'web'}]))
    assert order.security_groups == [web] and order.instance.security_groups == ['web']
    assert cloud.last_order_of(cloud.make(security_groups=[{'name': 'default'}])).security_groups == []
    cloud.neutron.add_group('web')
    assert cloud.create(security_groups=[{'name': 'web'}]).status == 409
    assert cloud.create(security_groups=[{'name': web}]).status == 202
    assert cloud.create(security_groups=[{'name': 'absent'}]).status == 400


# ---- images, flavors, devices --------------------------------------------------------------------------------

def test_images(cloud):
    def refused(**fields):
        return cloud.create(imageRef=cloud.glance.add(**fields)).message
    assert cloud.create(imageRef=ABSENT).message == 'Can not find requested image'
    assert cloud.create(imageRef='').message == 'Missing imageRef attribute'
    assert cloud.create(imageRef=None).status == cloud.create(imageRef='name').status == 400
    assert 'is not active' in refused(status='queued')
    assert refused(min_ram=513) == "Flavor's memory is too small for requested image."
    assert 'minimum size is 2 GiB' in refused(min_disk=2)
    assert "Flavor's disk is too small" in refused(size=1024 ** 3 + 1)
    assert "Flavor's disk is too small" in refused(virtual_size=1024 ** 4)
    assert refused(visibility='private', owner='p2') == 'Can not find requested image'
    assert refused(kernel_id=ABSENT) == 'Can not find requested image'
    assert cloud.create(imageRef=cloud.glance.add(visibility='private', owner='p1')).status == 202
    assert cloud.create(imageRef=cloud.image.replace('-', '').upper()).status == 202
    assert not cloud.count_servers() - 2


def test_an_images_own_wishes(cloud):
    drive = cloud.glance.add(img_config_drive='mandatory')
    assert instances.get(cloud.db, cloud.make(imageRef=drive)).config_drive
    fixed = cloud.glance.add(auto_disk_config='disabled')
    assert not instances.get(cloud.db, cloud.make(imageRef=fixed)).auto_disk_config
    assert cloud.create(imageRef=fixed, **{'OS-DCF:diskConfig': 'AUTO'}).status == 400


def test_flavors(cloud):
    cloud.flavor('private', is_public=False)
    cloud.flavor('off', disabled=True)
    cloud.flavor('zero', root_gb=0)
    for flavor in ('absent', 'private', 'off'):
        assert cloud.create(flavorRef=flavor).message == 'Flavor %s could not be found.' % flavor
    assert cloud.create(flavorRef=1).status == 202
    assert cloud.create(flavorRef='http://cloud/flavors/1').status == 202
    assert cloud.create(flavorRef='zero').status == 403
    assert cloud.create(flavorRef='zero', admin=True).status == 202


def test_block_devices(cloud):
    image = {'source_type': 'image', 'destination_type': 'local', 'uuid': cloud.image, 'boot_index': 0}
    assert cloud.create(block_device_mapping_v2=[image]).status == 202
    both = {'block_device_mapping_v2': [image], 'block_device_mapping': [{'device_name': 'vdb', 'volume_id': ABSENT}]}
    assert 'different block_device_mapping syntaxes' in cloud.create(**both).message
    assert cloud.create('2.66', block_device_mapping_v2=[dict(image, volume_type='x')]).status == 400
    assert cloud.create('2.67', block_device_mapping_v2=[dict(image, volume_type='x')]).status == 202
    accepted = [version for version in ('2.31', '2.32', '2.33', '2.41', '2.42')
                if cloud.create(version, block_device_mapping_v2=[dict(image, tag='x')]).status == 202]
    assert accepted == ['2.32', '2.42']


# ---- keys, data, files, metadata -----------------------------------------------------------------------------

def test_key_pairs_are_the_users_own(cloud):
    keypairs.create(cloud.db, keypair.KeyPair(name='k', user_id='u-p1', fingerprint='f', public_key='ssh-rsa x'))
    assert instances.get(cloud.db, cloud.make(key_name='k')).key_data == 'ssh-rsa x'
    assert cloud.create(key_name='k', project='p2', networks=None).message == 'Invalid key_name provided.'


@pytest.mark.parametrize(('fields', 'status'), [
    ({'user_data': encoded(40000)}, 202), ({'user_data': encoded(50000)}, 400), ({'user_data': 'no base64!'}, 400),
    ({'metadata': {'k' * 255: 'v' * 255}}, 202), ({'metadata': {'k' * 256: 'v'}}, 400),
    ({'metadata': {'k': 'v' * 256}}, 400), ({'metadata': {'k': ''}}, 202), ({'metadata': {'\xfc': 'v'}}, 400),
    ({'metadata': {'k%d' % number: 'v' for number in range(129)}}, 403), ({'metadata': {'k': 1}}, 400),
    ({'personality': [{'path': '/a', 'contents': encoded(10240)}] * 5}, 202),
    ({'personality': [{'path': '/a', 'contents': encoded(1)}] * 6}, 403),
    ({'personality': [{'path': '/a', 'contents': encoded(10241)}]}, 403),
    ({'personality': [{'path': '/' + 'a' * 255, 'contents': encoded(1)}]}, 403),
    ({'personality': [{'path': '/a', 'contents': 'no base64!'}]}, 400),
    ({'name': 'x' * 255}, 202), ({'name': 'x' * 256}, 400), ({'name': ''}, 400), ({'name': ' x'}, 400),
    ({'name': 'a\u200bb'}, 400), ({'name': 7}, 400), ({'min_count': 2, 'max_count': 1}, 400), ({'min_count': 0}, 400),
    ({'max_count': '0'}, 400), ({'max_count': 1001}, 400), ({'max_count': 'x'}, 400),
    ({'config_drive': 'perhaps'}, 400), ({'accessIPv4': 'x'}, 400), ({'accessIPv6': '1.2.3.4'}, 400),
    ({'unknown': 1}, 400)])
def test_values(cloud, fields, status):
    assert cloud.create(**fields).status == status


@pytest.mark.parametrize(('field', 'value', 'since'), [
    ('description', 'd', '2.19'), ('tags', ['t'], '2.52'), ('trusted_image_certificates', ['c'], '2.63'),
    ('host', 'host1', '2.74'), ('hypervisor_hostname', 'host1', '2.74'), ('hostname', 'name', '2.90'),
    ('hostname', 'name.example.org', '2.94')])
def test_fields_that_came_later(cloud, field, value, since):
    number = int(since[2:])
    assert cloud.create('2.%d' % (number - 1), admin=True, **{field: value}).status == 400
    assert cloud.create(since, admin=True, **{field: value}).status in (202, 400)
    assert 'Additional properties' not in str(cloud.create(since, admin=True, **{field: value}).body)


def test_personality_ended(cloud):
    files = [{'path': '/a', 'contents': encoded(1)}]
    assert cloud.create('2.56', personality=files).status == 202
    assert cloud.last_order().injected_files == [['/a', encoded(1)]]
    assert cloud.create('2.57', personality=files).status == 400


@pytest.mark.parametrize('tags', [['x'] * 51, ['x' * 61], ['a/b'], ['a,b'], ['']])
def test_tags_that_are_none(cloud, tags):
    assert cloud.create('2.52', tags=tags).status == 400


def test_unknown_fields_are_ignored_under_v2(cloud):
    assert cloud.ask('POST', '/servers', cloud.order(unknown=1), legacy=True).status == 202
    assert cloud.ask('POST', '/servers', cloud.order(name=' web '), legacy=True).status == 202
    assert cloud.last_order().instance.display_name == 'web'


# ---- where it goes -------------------------------------------------------------------------------------------

def test_availability_zones(cloud):
    cloud.host('host1')
    assert cloud.create(availability_zone='nova').status == 202
    assert cloud.last_order().request_spec.availability_zone == 'nova'
    assert cloud.create(availability_zone='moon').message == 'The requested availability zone is not available'
    assert cloud.create(availability_zone='a:b:c:d', admin=True).status == 400


def test_forced_hosts_are_for_admins(cloud):
    cloud.node('host1', 'node1')
    assert cloud.create(availability_zone='nova:host1').status == 403
    assert cloud.create(availability_zone='nova:host1:node1', admin=True).status == 202
    assert cloud.last_order().request_spec.requested_destination == {'host': 'host1', 'node': 'node1'}
    assert cloud.create('2.74', host='host1').status == 403
    assert cloud.create('2.74', admin=True, hypervisor_hostname='node1').status == 202
    assert cloud.last_order().request_spec.requested_destination == {'host': None, 'node': 'node1'}
    assert 'could not be found' in cloud.create('2.74', admin=True, host='moon').message


def test_hints(cloud):
    for spelling in ('os:scheduler_hints', 'OS-SCH-HNT:scheduler_hints'):
        body = dict(cloud.order(), **{spelling: {'different_host': [ABSENT]}})
        assert cloud.ask('POST', '/servers', body).status == 202
        assert cloud.last_order().request_spec.scheduler_hints == {'different_host': [ABSENT]}
    for hints in ({'_nova_check_type': 'rebuild'}, {'_nova_check_type': ['rebuild']}, {'same_host': [ABSENT] * 1000},
                  {'same_host': 'no uuid'}, {'group': 'no uuid'}, {'group': ABSENT}, 'x', {'cidr': 'x'}):
        assert cloud.create(hints=hints).status == 400, hints


def test_server_groups(cloud):
    mine, theirs = group(cloud), group(cloud, 'p2')
    uuid = cloud.make(hints={'group': mine})
    assert cloud.last_order().request_spec.instance_group.policy == 'anti-affinity'
    assert instance_groups.get(cloud.db, mine).members == [uuid]
    assert cloud.create(hints={'group': theirs}).status == 400
    quotas.set_(cloud.db, 'p1', {'server_group_members': 2})
    assert cloud.create(hints={'group': mine}, max_count=2).message == 'Quota exceeded, too many servers in group'
    assert cloud.create(hints={'group': mine}).status == 202


# ---- quota and policy ----------------------------------------------------------------------------------------

def test_quota_is_counted_and_told(cloud):
    cloud.flavor('big', vcpus=4, memory_mb=1024)
    quotas.set_(cloud.db, 'p1', {'instances': 3, 'cores': 5, 'ram': 10000})
    cloud.make(flavorRef='big')
    answer = cloud.create(flavorRef='big')
    assert answer.status == 403
    assert answer.message == 'Quota exceeded for cores: Requested 4, but already used 4 of 5 cores'
    answer = cloud.create(flavorRef='big', max_count=3, min_count=3)
    assert answer.message == ('Quota exceeded for cores, instances: Requested 12, 3, but already used 4, 1 of 5, 3 '
                              'cores, instances')
    quotas.set_(cloud.db, 'p1', {'cores': -1})
    assert cloud.create(flavorRef='1', min_count=1, max_count=10).status == 202
    assert len(cloud.cast[-1][1]) == 2
    assert cloud.create(project='p2', networks=None).status == 202
    quotas.set_(cloud.db, 'p1', {'instances': -1, 'ram': -1})
    assert cloud.create(flavorRef='1', max_count=20, min_count=20).status == 202


def test_quota_holds_against_parallel_requests(cloud, monkeypatch):
    quotas.set_(cloud.db, 'p1', {'instances': 1})
    create = instances.create

    def overtaken(db, build_requests, ctxt):
        """Another request of the project is recorded after ours was checked."""
        monkeypatch.setattr(instances, 'create', create)
        cloud.make()
        return create(db, build_requests, ctxt)
    monkeypatch.setattr(instances, 'create', overtaken)
    answer = cloud.create()
    assert answer.status == 403 and 'Quota exceeded for instances' in answer.message
    assert cloud.count_servers() == 1 and len(cloud.cast) == 1


def test_readers_make_nothing(cloud, monkeypatch):
    cloud.roles = ['reader']
    answer = cloud.create()
    assert answer.status == 403 and 'os_compute_api:servers:create' in answer.message
    assert cloud.glance.count() == cloud.count_servers() == 0


def test_a_failing_neighbour_is_503_and_leaves_nothing(cloud):
    for service in (cloud.glance, cloud.neutron):
        service.fails, service.failures = '.', [doubles.Reply(500)]
        answer = cloud.create()
        assert answer.status == 503 and 'retryAfter' in answer.body['serviceUnavailable']
    assert cloud.count_servers() == 0 and cloud.cast == []
