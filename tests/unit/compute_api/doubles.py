# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Image and network services in memory, at the door where a keystoneauth adapter would send its requests.

Each keeps a log of its requests, so that tests can count them, and can be told to fail.
"""

import json
import re
import urllib.parse
import uuid

import requests


def new_id():
    return str(uuid.uuid4())


class Reply:
    """As much of a requests.Response as the clients use."""

    def __init__(self, status_code, body=None, content=b''):
        self.status_code = status_code
        self._text = json.dumps(body) if body is not None else content.decode('latin-1')
        self._content = content
        self.closed = False

    def json(self):
        return json.loads(self._text)

    def iter_content(self, size):
        for start in range(0, len(self._content), size):
            yield self._content[start:start + size]

    def close(self):
        self.closed = True


class BrokenReply(Reply):
    """Bytes that stop in the middle."""

    def iter_content(self, size):
        yield self._content
        raise requests.exceptions.ChunkedEncodingError('broken')


class _Service:
    def __init__(self):
        self.log = []           # (method, path, token) of each request
        self.failures = []      # Replies or exceptions for the next requests that `fails` matches
        self.fails = None

    def request(self, url, method, headers=None, params=(), json=None, authenticated=None, stream=False,   # noqa: PLR0913
                data=None, allow_reauth=True):
        token = (headers or {}).get('X-Auth-Token', 'service')
        assert (authenticated is False) == (token != 'service'), 'one token, never two'
        self.log.append((method, url, token))
        if self.failures and re.search(self.fails, '%s %s' % (method, url)):
            failure = self.failures.pop(0)
            if isinstance(failure, Exception):
                raise failure
            if failure is not None:
                return failure
        return self.answer(method, url, token, params, json if data is None else data)

    def count(self, pattern='.'):
        return sum(bool(re.search(pattern, '%s %s' % entry[:2])) for entry in self.log)


class Glance(_Service):
    """`images`: {id: record}; a private image is seen with the token of its owner (`token-OWNER`) or the service's."""

    endpoint_override = 'http://image'

    def __init__(self):
        super().__init__()
        self.images = {}
        self.members = {}
        self.contents = {}      # {id: bytes} of what was uploaded

    def add(self, **fields):
        record = {'id': new_id(), 'name': 'image', 'status': 'active', 'visibility': 'public', 'owner': 'somebody',
                  'disk_format': 'raw', 'container_format': 'bare', 'size': 1000, 'virtual_size': None, 'min_disk': 0,
                  'min_ram': 0, 'checksum': 'c', 'os_hash_algo': 'sha512', 'os_hash_value': 'h', 'protected': False,
                  'tags': [], 'created_at': 'x', 'updated_at': 'x', 'file': '/f', 'schema': '/s', 'self': '/i',
                  **fields}
        self.images[record['id']] = record
        return record['id']

    def get_project_id(self):
        return 'service'

    def answer(self, method, url, token, params, body):
        if method == 'POST':
            owner = token.removeprefix('token-')
            image_id = self.add(**{'owner': owner, 'status': 'queued', 'size': None, 'disk_format': None, **body})
            return Reply(201, self.images[image_id])
        if url.startswith('/v2/images?'):
            return self._list(dict(urllib.parse.parse_qsl(url.partition('?')[2])))
        image_id, _, rest = url.removeprefix('/v2/images/').partition('/')
        image = self.images.get(image_id)
        hidden = image and image['visibility'] == 'private' and token not in ('service', 'token-%s' % image['owner'])
        if image is None or hidden:
            return Reply(404)
        if method != 'GET':
            return self._change(method, image, rest, body)
        if rest == 'members':
            return Reply(200, {'members': self.members.get(image_id, [])})
        if rest == 'file':
            return Reply(200, content=b'0123456789') if image['size'] else Reply(204)
        return Reply(200, image)


    def _change(self, method, image, rest, body):
        if method == 'DELETE':
            if image['protected']:
                return Reply(403, {'error': {'message': 'Image is protected'}})
            del self.images[image['id']]
        elif method == 'PATCH':
            for item in json.loads(body):
                if item['op'] == 'remove':
                    del image[item['path'][1:]]
                else:
                    image[item['path'][1:]] = item['value']
        else:
            assert rest == 'file'
            assert image['disk_format'] and image['container_format'], 'as Glance demands before it takes bytes'
            content = body.read()
            if image['id'] not in self.images:
                return Reply(410)
            image.update(status='active', size=len(content))
            self.contents[image['id']] = content
        return Reply(200, image)

    def _list(self, query):
        """The newest first, two of them a page at most."""
        marker = query.pop('marker', None)
        wanted = {name: value for name, value in query.items() if name not in ('sort', 'limit', 'updated_at')}
        found = [image for image in reversed(self.images.values())
                 if all(image.get(name) == value for name, value in wanted.items())]
        ids = [image['id'] for image in found]
        if marker and marker not in ids:
            return Reply(400, {'error': {'message': 'Invalid marker'}})
        start = ids.index(marker) + 1 if marker else 0
        end = start + min(2, int(query['limit']))
        body = {'images': found[start:end]}
        if found[end:]:
            body['next'] = '/v2/images?' + urllib.parse.urlencode({**query, 'marker': ids[end - 1]})
        return Reply(200, body)


class Neutron(_Service):
    """Networks, subnets, ports and security groups; `token-PROJECT` is the token of a project."""

    def __init__(self):
        super().__init__()
        self.networks, self.subnets, self.ports, self.security_groups = {}, {}, {}, {}
        self.security_group_rules, self.floatingips = {}, {}
        self.port_quota = 500
        self.auto_network = None
        self._addresses = iter('10.0.0.%d' % number for number in range(10, 250))

    # ---- what tests set up ---------------------------------------------------------------------------------------

    def add_network(self, project='p1', name='net', subnet=True, **fields):
        item = {'id': new_id(), 'name': name, 'project_id': project, 'shared': False, 'router:external': False,
                'mtu': 1450, 'subnets': [], **fields}
        self.networks[item['id']] = item
        if subnet:
            self.add_subnet(item['id'])
        return item['id']

    def add_subnet(self, network_id, **fields):
        item = {'id': new_id(), 'network_id': network_id, 'cidr': '10.0.0.0/24', 'gateway_ip': '10.0.0.1',
                'dns_nameservers': ['9.9.9.9'], 'host_routes': [], 'enable_dhcp': True, **fields}
        self.subnets[item['id']] = item
        self.networks[network_id]['subnets'].append(item['id'])
        return item['id']

    def add_port(self, network_id, project='p1', **fields):
        subnet = self.networks[network_id]['subnets'][0]
        item = {'id': new_id(), 'network_id': network_id, 'project_id': project, 'device_id': '', 'device_owner': '',
                'mac_address': 'fa:16:3e:00:00:%02x' % len(self.ports), 'status': 'DOWN', 'revision_number': 1,
                'fixed_ips': [{'subnet_id': subnet, 'ip_address': next(self._addresses)}], 'binding:host_id': '',
                'binding:vif_type': 'unbound', 'binding:vif_details': {}, 'binding:vnic_type': 'normal', **fields}
        self.ports[item['id']] = item
        return item['id']

    def add_group(self, name, project='p1'):
        item = {'id': new_id(), 'name': name, 'project_id': project, 'shared': False, 'description': ''}
        self.security_groups[item['id']] = item
        return item['id']

    # ---- requests ------------------------------------------------------------------------------------------------

    def answer(self, method, url, token, params, body):
        collection, _, identifier = url.removeprefix('/v2.0/').partition('/')
        if collection == 'quotas':
            used = sum(port['project_id'] == identifier.partition('/')[0] for port in self.ports.values())
            return Reply(200, {'quota': {'port': {'limit': self.port_quota, 'used': used, 'reserved': 0}}})
        if collection == 'auto-allocated-topology':
            if self.auto_network is None:
                return error(404, 'NotFound')
            return Reply(200, {'auto_allocated_topology': {'id': self.auto_network}})
        if collection.startswith('security-group') and (identifier or method != 'GET'):
            return self._group_call(method, collection.replace('-', '_'), identifier, token, body)
        return getattr(self, '_%s' % method.lower())(collection.replace('-', '_'), identifier, token, params, body)

    def _group_call(self, method, collection, identifier, token, body):
        """Anything but the list of security groups or their rules."""
        singular, kept = collection[:-1], getattr(self, collection)
        if method == 'POST':
            item = {'id': new_id(), 'project_id': token.removeprefix('token-'), **body[singular]}
            if singular == 'security_group_rule':
                group = self.security_groups.get(item['security_group_id'])
                if group is None:
                    return error(404, 'SecurityGroupNotFound')
                absent = ('remote_group_id', 'remote_ip_prefix', 'port_range_min', 'port_range_max')
                item = {**dict.fromkeys(absent), **item}
                group.setdefault('security_group_rules', []).append(item)
            kept[item['id']] = item
            return Reply(201, {singular: item})
        if identifier not in kept or not self._sees(token, kept[identifier]):
            return error(404, 'NotFound')
        if method == 'DELETE':
            return error(409, 'SecurityGroupInUse') if kept.pop(identifier).get('used') else Reply(204)
        kept[identifier].update(body[singular] if method == 'PUT' else {})
        return Reply(200, {singular: kept[identifier]})

    def _get(self, collection, identifier, token, params, body):
        wanted = {}
        for name, value in params:
            if name != 'fields':
                wanted.setdefault(name, []).append(value)
        found = [item for item in getattr(self, collection).values()
                 if self._sees(token, item) and all(_matches(item, name, values) for name, values in wanted.items())]
        return Reply(200, {collection: found})

    @staticmethod
    def _sees(token, item):
        return (token == 'service' or 'project_id' not in item or item.get('shared') or item.get('router:external')
                or token == 'token-%s' % item['project_id'])

    def _post(self, collection, identifier, token, params, body):
        port = body['port']
        if port['network_id'] not in self.networks:
            return error(404, 'NetworkNotFound')
        addresses = {item['ip_address'] for other in self.ports.values() for item in other['fixed_ips']}
        subnet = self.networks[port['network_id']]['subnets'][0]
        fixed_ips = [dict(item, subnet_id=subnet) for item in port.pop('fixed_ips', [])]
        if any(item['ip_address'] in addresses for item in fixed_ips):
            return error(409, 'IpAddressInUse')
        made = self.add_port(port['network_id'], **{key: value for key, value in port.items() if key != 'network_id'},
                             **_bound(port), **({'fixed_ips': fixed_ips} if fixed_ips else {}))
        return Reply(201, {'port': self.ports[made]})

    def _put(self, collection, identifier, token, params, body):
        if collection == 'floatingips':
            self.floatingips[identifier].update(body['floatingip'])
            return Reply(200, {'floatingip': self.floatingips[identifier]})
        if identifier not in self.ports:
            return error(404, 'PortNotFound')
        for item in body['port'].get('fixed_ips', ()):
            item.setdefault('ip_address', next(self._addresses))
        self.ports[identifier].update(body['port'], **_bound(body['port']))
        return Reply(200, {'port': self.ports[identifier]})

    def _delete(self, collection, identifier, token, params, body):
        return Reply(204) if self.ports.pop(identifier, None) else error(404, 'PortNotFound')


def error(code, kind):
    return Reply(code, {'NeutronError': {'type': kind, 'message': 'so it is', 'detail': ''}})


def _bound(port):
    if port.get('binding:host_id'):
        return {'binding:vif_type': 'bridge', 'binding:vif_details': {'port_filter': True}, 'status': 'ACTIVE'}
    return {'binding:vif_type': 'unbound', 'status': 'DOWN'}


def _matches(item, name, values):
    if name == 'fixed_ips':
        return any('ip_address=%s' % fixed['ip_address'] in values for fixed in item['fixed_ips'])
    return item.get(name) in values
