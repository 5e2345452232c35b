# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a guest can learn of itself: the EC2 and OpenStack metadata documents of one instance.

The metadata service answers requests with :meth:`InstanceMetadata.lookup`; a config drive holds
:meth:`InstanceMetadata.files`. Nothing here does any input or output.
"""

import base64
import functools
import ipaddress
import json
import os
import posixpath

EC2_VERSIONS = ('1.0', '2007-01-19', '2007-03-01', '2007-08-29', '2007-10-10', '2007-12-15', '2008-02-01',
                '2008-09-01', '2009-04-04')
OPENSTACK_VERSIONS = ('2012-08-10', '2013-04-04', '2013-10-17', '2015-10-15', '2016-06-30', '2016-10-06',
                      '2017-02-22', '2018-08-27', '2020-10-14')
LATEST = 'latest'
CONFIG_DRIVE_EC2_VERSIONS = ('2009-04-04', LATEST)

# The EC2 version that brought an item; what is not named was there from the first.
EC2_SINCE = {'local-hostname': '2007-01-19', 'public-hostname': '2007-01-19', 'public-ipv4': '2007-01-19',
             'instance-type': '2007-08-29', 'block-device-mapping': '2007-12-15', 'kernel-id': '2008-02-01',
             'ramdisk-id': '2008-02-01', 'placement': '2008-02-01', 'instance-action': '2008-09-01'}
# The OpenStack version that brought a document.
SINCE = {'password': '2013-04-04', 'vendor_data.json': '2013-10-17', 'network_data.json': '2015-10-15',
         'vendor_data2.json': '2016-10-06'}
RANDOM_SEED_BYTES = 512
PASSWORD_KEYS = tuple('password_%d' % number for number in range(4))


class InstanceMetadata:
    """The metadata of an Instance.

    `vifs` default to the instance's own network_info. `injected_files` ([(path, bytes)…]) and `admin_password` are
    known only while a guest is built: they go to a config drive, never to the metadata service. `domain` is put
    behind the host name, empty for none.
    """

    def __init__(self, instance, vifs=None, injected_files=(), admin_password=None, domain='novalocal'):
        self._instance = instance
        self._vifs = instance.network_info if vifs is None else vifs
        self._injected = list(injected_files)
        self._admin_password = admin_password
        self._domain = domain

    def lookup(self, path):
        """The document or the listing at a path such as `/openstack/latest/meta_data.json`.

        :returns: str, or bytes where the contents are the user's own. :raises KeyError: there is nothing there.
        """
        parts = [part for part in posixpath.normpath('/' + path).split('/') if part]
        if not parts:
            return '\n'.join((*EC2_VERSIONS, LATEST))
        node = self._openstack() if parts[0] == 'openstack' else self._ec2(parts[0])
        for part in parts[1:]:
            if not isinstance(node, dict):
                raise KeyError(path)
            node = node[part]
            if isinstance(node, functools.partial):
                node = node()
        return _listing(node) if isinstance(node, dict) else node

    def files(self):
        """(path, bytes) of every file of a config drive; paths are relative, folders are not named apart."""
        for version in CONFIG_DRIVE_EC2_VERSIONS:
            tree = self._ec2(version)
            yield 'ec2/%s/meta-data.json' % version, json.dumps(tree['meta-data']).encode()
            if 'user-data' in tree:
                yield 'ec2/%s/user-data' % version, tree['user-data']
        for version in (*OPENSTACK_VERSIONS, LATEST):
            for name, document in self._documents(version).items():
                if name != 'password':
                    yield 'openstack/%s/%s' % (version, name), _as_bytes(document())
        for name, content in self._content().items():
            yield 'openstack/content/%s' % name, content

    # ---- OpenStack -------------------------------------------------------------------------------------------

    def _openstack(self):
        tree = {version: functools.partial(self._documents, version) for version in (*OPENSTACK_VERSIONS, LATEST)}
        return tree | ({'content': self._content()} if self._injected else {})

    def _documents(self, version):
        """{name: function that makes the document} of a version. :raises KeyError: no such version."""
        makers = {'meta_data.json': functools.partial(self._meta_data, version)}
        if self._instance.user_data:
            makers['user_data'] = functools.partial(self._user_data)
        makers |= {'password': functools.partial(self._password),
                   'vendor_data.json': functools.partial(json.dumps, {}),
                   'network_data.json': functools.partial(self._network_data),
                   'vendor_data2.json': functools.partial(json.dumps, {'static': {}})}
        return {name: maker for name, maker in makers.items() if _reached(version, SINCE.get(name))}

    def _meta_data(self, version):
        instance = self._instance
        document = {'uuid': instance.uuid, 'hostname': self._hostname(), 'name': instance.display_name,
                    'launch_index': instance.launch_index, 'availability_zone': instance.availability_zone}
        if instance.metadata:
            document['meta'] = instance.metadata
        if self._injected:
            document['files'] = [{'path': path, 'content_path': '/content/%04d' % number}
                                 for number, (path, _) in enumerate(self._injected)]
        if self._admin_password:
            document['admin_pass'] = self._admin_password
        if instance.key_name:
            document['public_keys'] = {instance.key_name: instance.key_data}
            document['keys'] = [{'name': instance.key_name, 'type': 'ssh', 'data': instance.key_data}]
        if _reached(version, '2013-04-04'):
            document['random_seed'] = base64.b64encode(os.urandom(RANDOM_SEED_BYTES)).decode()
        if _reached(version, '2015-10-15'):
            document['project_id'] = instance.project_id
        if _reached(version, '2016-06-30'):
            document['devices'] = self._devices()
        if _reached(version, '2020-10-14'):
            document['dedicated_cpus'] = []
        return json.dumps(document)

    def _devices(self):
        """Devices that the user gave a tag, so that software in the guest finds them."""
        return [{'type': 'nic', 'bus': 'none', 'address': 'none', 'mac': vif.address, 'tags': [vif.tag]}
                for vif in self._vifs if vif.tag]

    def _user_data(self):
        return base64.b64decode(self._instance.user_data)

    def _password(self):
        """The admin password, encrypted for the user's key, that the guest itself stored here."""
        return ''.join(self._instance.system_metadata.get(key, '') for key in PASSWORD_KEYS)

    def _content(self):
        return {'%04d' % number: content for number, (_, content) in enumerate(self._injected)}

    def _network_data(self):
        links, networks, services = [], [], []
        for vif in self._vifs:
            links.append({'id': vif.devname, 'vif_id': vif.id, 'type': vif.vif_type, 'mtu': vif.mtu,
                          'ethernet_mac_address': vif.address})
            for fixed in vif.fixed_ips:
                networks.append({'id': 'network%d' % len(networks), 'link': vif.devname, 'network_id': vif.network_id,
                                 **_network_config(fixed)})
                services += [service for service in _dns(fixed) if service not in services]
        return json.dumps({'links': links, 'networks': networks, 'services': services})

    # ---- EC2 -------------------------------------------------------------------------------------------------

    def _ec2(self, version):
        """The tree of a version. :raises KeyError: no such version."""
        if version not in (*EC2_VERSIONS, LATEST):
            raise KeyError(version)
        meta_data = {name: value for name, value in self._ec2_items().items() if _reached(version, EC2_SINCE.get(name))}
        tree = {'meta-data': meta_data}
        if self._instance.user_data:
            tree['user-data'] = self._user_data()
        return tree

    def _ec2_items(self):
        instance, hostname = self._instance, self._hostname()
        fixed, floating = self._addresses()
        items = {
            'ami-id': _ec2_id('ami', instance.image_ref), 'ami-launch-index': str(instance.launch_index),
            'ami-manifest-path': 'FIXME',       # what the service has always said, and what images expect
            'instance-id': 'i-%08x' % instance.id, 'hostname': hostname, 'local-ipv4': fixed,
            'reservation-id': instance.reservation_id or '', 'security-groups': '\n'.join(instance.security_groups),
            'local-hostname': hostname, 'public-hostname': hostname, 'public-ipv4': floating,
            'instance-type': instance.flavor.name, 'instance-action': 'none',
            'block-device-mapping': self._ec2_block_devices(),
            'placement': {'availability-zone': instance.availability_zone or ''},
        }
        if instance.key_name:
            items['public-keys'] = _Keys({'0': {'openssh-key': instance.key_data}}, names={'0': instance.key_name})
        if instance.kernel_id:
            items['kernel-id'] = _ec2_id('aki', instance.kernel_id)
        if instance.ramdisk_id:
            items['ramdisk-id'] = _ec2_id('ari', instance.ramdisk_id)
        return items

    def _ec2_block_devices(self):
        root = self._instance.root_device_name or '/dev/vda'
        return {'ami': root.removeprefix('/dev/'), 'root': root}

    def _addresses(self):
        """The first fixed IPv4 address and the first floating one, empty for none."""
        fixed = [item for vif in self._vifs for item in vif.fixed_ips if item.version == 4]
        floating = [address for item in fixed for address in item.floating_ips]
        return fixed[0].address if fixed else '', floating[0] if floating else ''

    def _hostname(self):
        name = self._instance.hostname or ''
        return '%s.%s' % (name, self._domain) if name and self._domain and '.' not in name else name


class _Keys(dict):
    """A folder whose listing shows each entry with its name, as `entry=name`."""

    def __init__(self, entries, names):
        super().__init__(entries)
        self.names = names


def _reached(version, since):
    """Dates compare as text; the first EC2 version, 1.0, sorts before any of them and `latest` behind."""
    return since is None or version >= since


def _as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


def _listing(tree):
    if isinstance(tree, _Keys):
        return '\n'.join('%s=%s' % item for item in tree.names.items())
    return '\n'.join(name + '/' if isinstance(node, dict) else name for name, node in tree.items())


def _ec2_id(prefix, image_id):
    """An id of EC2's form for an image: the first eight digits of its uuid."""
    return '%s-%s' % (prefix, (image_id or '0' * 8)[:8])


def _dns(fixed):
    return [{'type': 'dns', 'address': address} for address in fixed.dns]


def _network_config(fixed):
    """How the guest gets this address: by DHCP, or all that it needs to set it itself."""
    if fixed.version == 4 and fixed.dhcp:
        return {'type': 'ipv4_dhcp'}
    routes = [{'network': str(network.network_address), 'netmask': str(network.netmask), 'gateway': route['nexthop']}
              for route in fixed.routes for network in [ipaddress.ip_network(route['destination'])]]
    if fixed.gateway:
        anywhere = ipaddress.ip_network('0.0.0.0/0' if fixed.version == 4 else '::/0')
        routes.insert(0, {'network': str(anywhere.network_address), 'netmask': str(anywhere.netmask),
                          'gateway': fixed.gateway})
    return {'type': 'ipv%d' % fixed.version, 'ip_address': fixed.address,
            'netmask': str(ipaddress.ip_network(fixed.cidr).netmask), 'routes': routes, 'services': _dns(fixed)}
