# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The network service, Neutron v2.0: its parts put together, and its data plane."""

from nova_lite.standins import rest
from nova_lite.standins.neutron import address_scopes
from nova_lite.standins.neutron import auto_allocation
from nova_lite.standins.neutron import discovery
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import floating_ips
from nova_lite.standins.neutron import ip_availability
from nova_lite.standins.neutron import networks
from nova_lite.standins.neutron import notifier
from nova_lite.standins.neutron import ports
from nova_lite.standins.neutron import quotas
from nova_lite.standins.neutron import rbac
from nova_lite.standins.neutron import records as record_module
from nova_lite.standins.neutron import router_interfaces
from nova_lite.standins.neutron import routers
from nova_lite.standins.neutron import security_group_rules
from nova_lite.standins.neutron import security_groups
from nova_lite.standins.neutron import seed
from nova_lite.standins.neutron import service_ports
from nova_lite.standins.neutron import source
from nova_lite.standins.neutron import subnet_pools
from nova_lite.standins.neutron import subnets
from nova_lite.standins.neutron.dataplane import metadata_proxy
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import plane


class Neutron:
    """The network service of one installation: `app` for its port; `start` and `stop` for its data plane."""

    def __init__(self, conf, store, identify, project_id, service_token=None):
        """`conf` has the stand-ins' options, `project_id` is whose the first shared network is; `service_token()` gives
        a token for the compute service, which is told of nothing without.
        """
        records = record_module.Records(store)
        self._records = records
        self._plane = _plane(conf, records)
        self._notifier = notifier.Notifier(records, _compute_url(conf), service_token) if service_token else None
        groups = security_groups.SecurityGroups(records, self._plane)
        self._service_ports = own_ports = service_ports.ServicePorts(records, self._plane)
        all_ports = ports.Ports(records, groups, own_ports, self._plane, names.bridge)
        nets = networks.Networks(records, groups, self._plane)
        scopes = address_scopes.AddressScopes(records)
        pools = subnet_pools.SubnetPools(records, scopes)
        subs = subnets.Subnets(records, nets, pools, own_ports, self._plane)
        all_routers = routers.Routers(records, nets, own_ports, self._plane)
        interfaces = router_interfaces.RouterInterfaces(records, all_routers, subs, all_ports, own_ports)
        parts = [
            nets, subs, all_ports, groups, security_group_rules.SecurityGroupRules(records, groups, self._plane),
            all_routers, interfaces, ip_availability.IpAvailabilities(records),
            auto_allocation.AutoAllocatedTopologies(records, nets, subs, pools, all_routers, interfaces),
            floating_ips.FloatingIps(records, nets, all_ports, own_ports, self._floating_changed),
            scopes, pools, rbac.RbacPolicies(records), quotas.Quotas(records), discovery.Discovery(self._plane)]
        seeds = seed.Seeds(nets, subs, pools, self._plane)
        seeds.shared(project_id, conf.network.network_name, conf.network.subnet)
        seeds.external(conf.network.external_network_name, conf.network.external_subnet)
        seeds.pool(project_id)
        self.app = rest.App('network', [route for part in parts for route in part.routes()], identify=identify,
                            render_fault=faults.render)

    def start(self):
        """Make what networks need on this host, and keep it so; returns at once."""
        if self._plane.enabled:
            with self._records.change():
                for network in self._records.all('network'):
                    self._service_ports.ensure_dhcp(network['id'])
        self._plane.start()
        if self._notifier is not None:
            self._notifier.start()

    def stop(self):
        """End the work on the host; bridges and DHCP stay for the guests."""
        self._plane.stop()
        if self._notifier is not None:
            self._notifier.stop()

    def _floating_changed(self):
        self._plane.refresh()
        if self._notifier is not None:
            self._notifier.look()


def _compute_url(conf):
    host = conf.public_host if ':' not in conf.public_host else '[%s]' % conf.public_host
    return 'http://%s:%d' % (host, conf.ports.compute)


def _plane(conf, records):
    if conf.network.dataplane == 'none':
        return plane.NoDataPlane()
    forwarder = metadata_proxy.Forwarder(conf.network.metadata_url, conf.network.metadata_proxy_shared_secret)
    return plane.LinuxBridge(source.Source(records), conf.state_path, forwarder)
