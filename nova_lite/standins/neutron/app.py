# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The network service, Neutron v2.0: its parts put together, and its data plane."""

from nova_lite.standins import rest
from nova_lite.standins.neutron import discovery
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import networks
from nova_lite.standins.neutron import ports
from nova_lite.standins.neutron import quotas
from nova_lite.standins.neutron import records as record_module
from nova_lite.standins.neutron import security_group_rules
from nova_lite.standins.neutron import security_groups
from nova_lite.standins.neutron import seed
from nova_lite.standins.neutron import source
from nova_lite.standins.neutron import subnets
from nova_lite.standins.neutron.dataplane import metadata_proxy
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import plane


class Neutron:
    """The network service of one installation: `app` for its port; `start` and `stop` for its data plane."""

    def __init__(self, conf, store, identify, project_id):
        """`conf` has the stand-ins' options, `project_id` is whose the first shared network is."""
        records = record_module.Records(store)
        self._records = records
        self._plane = _plane(conf, records)
        groups = security_groups.SecurityGroups(records, self._plane)
        self._ports = ports.Ports(records, groups, self._plane, names.bridge)
        nets = networks.Networks(records, groups, self._plane)
        subs = subnets.Subnets(records, nets, self._ports, self._plane)
        rules = security_group_rules.SecurityGroupRules(records, groups, self._plane)
        parts = [nets, subs, self._ports, groups, rules,
                 quotas.Quotas(records), discovery.Discovery(self._plane)]
        seed.seed(nets, subs, self._plane, project_id=project_id, name=conf.network.network_name,
                  cidr=conf.network.subnet)
        self.app = rest.App('network', [route for part in parts for route in part.routes()], identify=identify,
                            render_fault=faults.render)

    def start(self):
        """Make what networks need on this host, and keep it so; returns at once."""
        if self._plane.enabled:
            with self._records.change():
                for network in self._records.all('network'):
                    self._ports.ensure_dhcp_port(network['id'])
        self._plane.start()

    def stop(self):
        """End the work on the host; bridges and DHCP stay for the guests."""
        self._plane.stop()


def _plane(conf, records):
    if conf.network.dataplane == 'none':
        return plane.NoDataPlane()
    forwarder = metadata_proxy.Forwarder(conf.network.metadata_url, conf.network.metadata_proxy_shared_secret)
    return plane.LinuxBridge(source.Source(records), conf.state_path, forwarder)
