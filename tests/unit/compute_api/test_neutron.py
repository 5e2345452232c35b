# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The client of the network service: what it checks, makes and cleans up, and with how many requests."""

import pytest
from keystoneauth1 import exceptions as ks_exc

from nova_lite import context
from nova_lite import exception
from nova_lite.network import neutron
from nova_lite.objects import flavor
from nova_lite.objects import image_meta
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import network
from tests.unit.compute_api import doubles

USER = context.RequestContext(project_id='p1', user_id='u', auth_token='token-p1', overwrite=False)
ADMIN = context.RequestContext(project_id='p1', user_id='u', auth_token='service-like', is_admin=True, overwrite=False)
SERVICE = context.RequestContext(project_id='p1', user_id='u', overwrite=False)


@pytest.fixture
def service():
    return doubles.Neutron()


@pytest.fixture
def api(service):
    return neutron.API(service)


def instance(uuid=None):
    return instance_obj.Instance(
        uuid=uuid or doubles.new_id(), project_id='p1', user_id='u', display_name='n', vm_state='building',
        flavor=flavor.Flavor(flavorid='1', name='f', memory_mb=1, vcpus=1, root_gb=1),
        image_meta=image_meta.ImageMeta(id='i'), availability_zone='nova')


def on(network_id=None, **fields):
    return network.NetworkRequest(network_id=network_id, **fields)


# ---- checks --------------------------------------------------------------------------------------------------

def test_named_networks_take_one_request(service, api):
    wanted = [on(service.add_network(name='one')), on(service.add_network('p2', name='two', shared=True))]
    found = api.validate_networks(USER, wanted, 1)
    assert [(request.network_id, request.label, request.mtu) for request in found] == [
        (wanted[0].network_id, 'one', 1450), (wanted[1].network_id, 'two', 1450)]
    assert service.count('GET /v2.0/networks') == 1 and service.count() == 2       # and the port quota, once
    api.validate_networks(USER, wanted, 3)
    assert service.count() == 3


def test_a_single_port_takes_no_question_about_the_quota(service, api):
    net = service.add_network()
    service.port_quota = 0
    assert api.validate_networks(USER, [on(net)], 1) and api.validate_networks(USER, [], 1)
    assert service.count('quotas') == 0
    with pytest.raises(exception.PortLimitExceeded):
        api.validate_networks(USER, [], 2)


def test_networks_of_others_do_not_exist(service, api):
    with pytest.raises(exception.NetworkNotFound):
        api.validate_networks(USER, [on(service.add_network('p2'))], 1)
    with pytest.raises(exception.NetworkNotFound):
        api.validate_networks(SERVICE, [on(service.add_network('p2'))], 1)
    with pytest.raises(exception.Forbidden, match='external network'):
        api.validate_networks(USER, [on(service.add_network('p2', **{'router:external': True}))], 1)
    with pytest.raises(exception.Invalid, match='requires a subnet'):
        api.validate_networks(USER, [on(service.add_network(subnet=False))], 1)


def test_without_names_the_one_network_is_taken(service, api):
    assert api.validate_networks(USER, [], 1) is None
    service.add_network('p2')
    service.add_network('p2', **{'router:external': True})
    assert api.validate_networks(USER, [], 1) is None
    only = service.add_network()
    assert api.validate_networks(USER, [], 1) == [on(only, label='net', mtu=1450)]
    assert api.validate_networks(USER, [on('auto')], 1) == [on(only, label='net', mtu=1450)]
    service.add_network(shared=True, project='p2')
    with pytest.raises(exception.NetworkAmbiguous):
        api.validate_networks(USER, [], 1)


def test_auto_without_a_network(service, api):
    with pytest.raises(exception.UnableToAutoAllocateNetwork):
        api.validate_networks(USER, [on('auto')], 1)
    service.auto_network = doubles.new_id()
    assert api.validate_networks(USER, [on('auto')], 1) == [on('auto')]


def test_ports_are_the_users_and_free(service, api):
    net = service.add_network()
    good, used = service.add_port(net), service.add_port(net, device_id='x')
    assert api.validate_networks(USER, [on(port_id=good)], 1) == [on(port_id=good)]
    assert service.count() == 1
    for wanted, count, error in (([used], 1, exception.PortInUse), ([doubles.new_id()], 1, exception.PortNotFound),
                                 ([service.add_port(net, 'p2')], 1, exception.PortNotFound),
                                 ([good, good], 1, exception.Invalid), ([good], 2, exception.Invalid)):
        with pytest.raises(error):
            api.validate_networks(USER, [on(port_id=port_id) for port_id in wanted], count)
    with pytest.raises(exception.PortNotFound):
        api.validate_networks(SERVICE, [on(port_id=service.add_port(net, 'p2'))], 1)


def test_addresses_are_free_also_among_the_ports_of_others(service, api):
    net = service.add_network(shared=True)
    taken = service.ports[service.add_port(net, 'p2')]['fixed_ips'][0]['ip_address']
    assert api.validate_networks(USER, [on(net, address='10.0.0.99')], 1)
    for requests, count, error in (([on(net, address=taken)], 1, exception.FixedIpAlreadyInUse),
                                   ([on(net, address='10.0.0.98')] * 2, 1, exception.FixedIpAlreadyInUse),
                                   ([on(net, address='10.0.0.98')], 2, exception.Invalid)):
        with pytest.raises(error):
            api.validate_networks(USER, requests, count)


def test_the_port_quota(service, api):
    net = service.add_network()
    service.port_quota = 3
    with pytest.raises(exception.PortLimitExceeded):
        api.validate_networks(USER, [on(net)] * 2, 2)
    api.validate_networks(USER, [on(net)] * 3, 1)
    with pytest.raises(exception.PortLimitExceeded):        # asked again, as what was known is used up
        for _ in range(3):
            service.add_port(net)
        api.validate_networks(USER, [on(net)] * 2, 1)
    service.port_quota = -1
    api.validate_networks(USER, [on(net)] * 100, 10)


def test_security_groups_by_name_and_id(service, api):
    web, other = service.add_group('web'), service.add_group('web', 'p2')
    assert api.validate_security_groups(USER, []) == api.validate_security_groups(USER, ['default']) == []
    assert service.count() == 0
    assert api.validate_security_groups(USER, ['web', web]) == [web]
    twin = service.add_group('web')
    with pytest.raises(exception.NoUniqueMatch, match='Use an ID'):
        api.validate_security_groups(USER, ['web'])
    assert api.validate_security_groups(USER, [twin, web]) == [twin, web]
    for ctxt in (USER, SERVICE):
        for name in (other, 'absent'):
            with pytest.raises(exception.SecurityGroupNotFound):
                api.validate_security_groups(ctxt, [name])


# ---- ports ---------------------------------------------------------------------------------------------------

def test_a_port_costs_one_request_and_its_network_is_remembered(service, api):
    net = service.add_network(name='blue')
    server = instance()
    [vif] = api.allocate_for_instance(SERVICE, server, [on(net, tag='t')], ['g'], 'host1')
    port = service.ports[vif.id]
    assert (port['device_id'], port['device_owner'], port['binding:host_id']) == (server.uuid, 'compute:nova', 'host1')
    assert port['security_groups'] == ['g'] and port['project_id'] == 'p1'
    assert (vif.network_label, vif.mtu, vif.vif_type, vif.bridge, vif.tag) == ('blue', 1450, 'bridge', 'brq' + net[:11],
                                                                              't')
    [fixed_ip] = vif.fixed_ips
    assert (fixed_ip.cidr, fixed_ip.gateway, fixed_ip.dns, fixed_ip.dhcp, fixed_ip.version) == (
        '10.0.0.0/24', '10.0.0.1', ['9.9.9.9'], True, 4)
    assert not vif.preserve_on_delete and vif.active
    assert service.count() == 3         # the port; the network, its subnets
    api.allocate_for_instance(SERVICE, instance(), [on(net)], [], 'host1')
    assert service.count() == 4
    api.deallocate_for_instance(SERVICE, server.uuid, [vif])
    assert service.count() == 6


def test_what_the_check_has_learned_is_not_asked_again(service, api):
    nets = [service.add_network(name='blue'), service.add_network(name='red')]
    wanted = api.validate_networks(USER, [on(nets[0])], 1)
    asked = service.count()
    [vif] = api.allocate_for_instance(SERVICE, instance(), wanted, [], 'host1')
    assert (vif.network_label, vif.mtu, vif.fixed_ips[0].cidr) == ('blue', 1450, '10.0.0.0/24')
    assert service.count() == asked + 2     # the port, the network's subnets
    vifs = api.allocate_for_instance(SERVICE, instance(), [on(nets[1]), *wanted], [], 'host1')
    assert [vif.network_label for vif in vifs] == ['red', 'blue']


def test_a_subnet_made_since_is_found(service, api):
    net = service.add_network()
    api.allocate_for_instance(SERVICE, instance(), [on(net)], [], 'h')
    old, new = service.networks[net]['subnets'][0], service.add_subnet(net, cidr='10.9.0.0/24')
    service.networks[net]['subnets'] = [new, old]
    [vif] = api.allocate_for_instance(SERVICE, instance(), [on(net)], [], 'h')
    assert vif.fixed_ips[0].cidr == '10.9.0.0/24'


def test_the_users_port_is_bound_and_unbound(service, api):
    net = service.add_network()
    port_id = service.add_port(net, dns_name='host', security_groups=['own'])
    server = instance()
    vifs = api.allocate_for_instance(SERVICE, server, [on(port_id=port_id), on(net)], ['g'], 'host1')
    assert [vif.preserve_on_delete for vif in vifs] == [True, False]
    port = service.ports[port_id]
    assert (port['device_id'], port['binding:host_id'], port['security_groups']) == (server.uuid, 'host1', ['own'])
    api.deallocate_for_instance(SERVICE, server.uuid, vifs)
    assert list(service.ports) == [port_id]
    assert (port['device_id'], port['device_owner'], port['binding:host_id'], port['dns_name']) == ('', '', '', '')


def test_a_port_of_somebody_else_is_never_taken(service, api):
    net = service.add_network()
    for port_id, error in ((service.add_port(net, device_id='other'), exception.PortInUse),
                           (service.add_port(net, 'p2'), exception.PortNotFound)):
        with pytest.raises(error):
            api.allocate_for_instance(SERVICE, instance(), [on(port_id=port_id)], [], 'h')
        assert service.ports[port_id]['binding:host_id'] == ''
    free = service.add_port(net)
    service.fails, service.failures = 'PUT', [doubles.Reply(412)]       # taken between reading and binding it
    with pytest.raises(exception.PortInUse):
        api.allocate_for_instance(SERVICE, instance(), [on(port_id=free)], [], 'h')


@pytest.mark.parametrize('failing', range(3))
@pytest.mark.parametrize('failure', [doubles.error(409, 'OverQuota'), ks_exc.ConnectTimeout('late'),
                                     RuntimeError('bug')])
def test_what_was_done_before_a_failure_is_undone(service, api, failing, failure):
    nets = [service.add_network() for _ in range(3)]
    port_id = service.add_port(nets[0])
    service.fails, service.failures = 'POST', [None] * failing + [failure]
    with pytest.raises((exception.NovaException, RuntimeError)):
        api.allocate_for_instance(SERVICE, instance(), [on(port_id=port_id)] + [on(net) for net in nets], [], 'h')
    assert list(service.ports) == [port_id]
    assert service.ports[port_id]['device_id'] == ''


def test_undoing_leaves_the_other_ports_of_the_server_alone(service, api):
    net, server = service.add_network(), instance()
    port_id = service.add_port(net)
    before = api.allocate_for_instance(SERVICE, server, [on(net), on(port_id=port_id)], [], 'h')
    service.fails, service.failures = 'POST', [None, doubles.error(409, 'OverQuota')]
    with pytest.raises(exception.PortLimitExceeded):
        api.allocate_for_instance(SERVICE, server, [on(net), on(net)], [], 'h')
    assert {vif.id for vif in before} == set(service.ports)
    assert {port['device_id'] for port in service.ports.values()} == {server.uuid}


def test_a_failed_binding_is_undone(service, api, monkeypatch):
    net = service.add_network()
    monkeypatch.setattr(doubles, '_bound', lambda port: {'binding:vif_type': 'binding_failed', 'status': 'DOWN'})
    with pytest.raises(exception.PortBindingFailed):
        api.allocate_for_instance(SERVICE, instance(), [on(net)], [], 'h')
    assert not service.ports


@pytest.mark.parametrize(('code', 'kind', 'expected'), [
    (409, 'IpAddressInUse', exception.FixedIpAlreadyInUse),
    (409, 'IpAddressGenerationFailure', exception.NoMoreFixedIps),
    (409, 'OverQuota', exception.PortLimitExceeded), (404, 'NetworkNotFound', exception.NetworkNotFound),
    (404, 'SecurityGroupNotFound', exception.SecurityGroupNotFound), (409, 'MacAddressInUse', exception.PortInUse),
    (400, 'InvalidIpForNetwork', exception.FixedIpInvalid), (500, '', exception.ServiceUnreachable),
    (400, 'Unheard', exception.ServiceUnreachable)])
def test_refusals_in_our_own_terms(service, api, code, kind, expected):
    net = service.add_network()
    service.fails, service.failures = 'POST', [doubles.error(code, kind)]
    with pytest.raises(expected):
        api.allocate_for_instance(SERVICE, instance(), [on(net, address='10.0.0.77')], [], 'h')


def test_no_nic_needs_no_request(service, api):
    assert api.allocate_for_instance(SERVICE, instance(), None, [], 'h') == []
    assert service.log == []


def test_the_automatic_network(service, api):
    service.auto_network = service.add_network()
    [vif] = api.allocate_for_instance(SERVICE, instance(), [on('auto')], [], 'h')
    assert vif.network_id == service.auto_network


def test_deallocate_finds_what_never_got_into_the_record(service, api):
    net = service.add_network()
    server = instance()
    mine, theirs = service.add_port(net, device_id=server.uuid), service.add_port(net, device_id=server.uuid)
    api.deallocate_for_instance(SERVICE, server.uuid, [], [on(port_id=theirs)])
    assert list(service.ports) == [theirs] and mine not in service.ports
    assert service.ports[theirs]['device_id'] == ''
    api.deallocate_for_instance(SERVICE, server.uuid, [], [on(port_id=theirs)])


def test_deallocate_does_all_it_can(service, api):
    net = service.add_network()
    server = instance()
    first, second = [service.add_port(net, device_id=server.uuid) for _ in range(2)]
    service.fails, service.failures = 'DELETE', [doubles.Reply(500)]
    with pytest.raises(exception.ServiceUnreachable):
        api.deallocate_for_instance(SERVICE, server.uuid, [])
    assert list(service.ports) == [first]
    service.fails, service.failures = 'DELETE', [doubles.Reply(404)]
    api.deallocate_for_instance(SERVICE, server.uuid, [])
