# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""From the checked body of a create request to a ServerOrder, in the terms of the compute API."""

import ipaddress
import re
import secrets
import string
import uuid

from oslo_utils import strutils

from nova_lite import exception
from nova_lite.compute import api_devices
from nova_lite.compute import api_order
from nova_lite.network import neutron_checks
from nova_lite.objects import network

_WORDS = (string.ascii_uppercase, string.ascii_lowercase, string.digits)
_LOOKALIKES = str.maketrans('', '', '0O1lI')


def order(req, body, password_length):
    """The ServerOrder of a body. :raises Invalid: what no schema can say"""
    server = body['server']
    min_count, max_count = _counts(server)
    image_id = _canonical(server['imageRef']) if server.get('imageRef') else None
    devices = _devices(server, image_id)
    if image_id is None and not devices:
        raise exception.Invalid('Missing imageRef attribute')
    disk_config = server.get('OS-DCF:diskConfig')
    return api_order.ServerOrder(
        name=server['name'].strip(), description=_description(req, server), hostname=server.get('hostname'),
        flavor_id=str(server['flavorRef']).rstrip('/').rpartition('/')[2], image_id=image_id,
        min_count=min_count, max_count=max_count, networks=_networks(server.get('networks')),
        security_groups=[group['name'].strip() for group in server.get('security_groups', ()) if 'name' in group],
        block_devices=devices, multiattach=req.version >= (2, 60),
        admin_password=server.get('adminPass') or generate_password(password_length),
        key_name=server.get('key_name'), user_data=_base64(server.get('user_data')),
        config_drive=_boolean(server.get('config_drive', False)), metadata=server.get('metadata', {}),
        tags=server.get('tags', []), injected_files=_files(server),
        availability_zone=_stripped(server.get('availability_zone')), host=server.get('host'),
        node=server.get('hypervisor_hostname'), hints=_hints(body),
        auto_disk_config=None if disk_config is None else disk_config == 'AUTO',
        access_ip_v4=_address(server.get('accessIPv4')), access_ip_v6=_address(server.get('accessIPv6')),
        trusted_certificates=server.get('trusted_image_certificates'))


def generate_password(length):
    """A password with at least one letter of each case and a digit (from three characters on), none of them easily
    taken for another."""
    words = [word.translate(_LOOKALIKES) for word in _WORDS]
    characters = [secrets.choice(word) for word in words][:length]
    characters += [secrets.choice(''.join(words)) for _ in range(length - len(characters))]
    secrets.SystemRandom().shuffle(characters)
    return ''.join(characters)


def wants_reservation_id(body):
    return _boolean(body['server'].get('return_reservation_id', False))


def _counts(server):
    minimum = int(server.get('min_count') or 1)
    maximum = int(server.get('max_count') or minimum)
    if minimum < 1 or maximum < 1:
        raise exception.Invalid('min_count and max_count must be at least 1')
    return minimum, maximum


def _description(req, server):
    """Before microversion 2.19 a server's description was its name."""
    return server.get('description') if req.version >= (2, 19) else server['name'].strip()


def _networks(networks):
    """[NetworkRequest…]; empty for the project's own, None for no NIC."""
    if networks == 'none':
        return None
    if networks == neutron_checks.AUTO:
        return [network.NetworkRequest(network_id=neutron_checks.AUTO)]
    return [_network(item) for item in networks or ()]


def _network(item):
    port_id, address = item.get('port'), item.get('fixed_ip')
    if port_id:
        if address:
            raise exception.Invalid("Specified Fixed IP '%s' cannot be used with port '%s': the two cannot be "
                                    'specified together.' % (address, port_id))
        return network.NetworkRequest(port_id=_canonical(port_id), tag=item.get('tag'))
    if 'uuid' not in item:
        raise exception.Invalid('Bad networks format: missing network uuid')
    return network.NetworkRequest(network_id=_canonical(item['uuid']), address=address, tag=item.get('tag'))


def _canonical(identifier):
    """An id as its service shows it: with dashes, in lower case."""
    return str(uuid.UUID(identifier))


def _devices(server, image_id):
    legacy, devices = server.get('block_device_mapping'), server.get('block_device_mapping_v2')
    if legacy and devices:
        raise exception.Invalid('Using different block_device_mapping syntaxes is not allowed in the same request.')
    if legacy:
        devices = [_from_legacy(item) for item in legacy]
    built = [api_devices.from_request(_checked(item), image_id is not None) for item in devices or ()]
    return [device for device in built if device is not None]


def _from_legacy(item):
    """An entry of the first block_device_mapping as one of the second."""
    kind = 'snapshot' if item.get('snapshot_id') else 'volume'
    return item | {'source_type': kind, 'uuid': item.get('%s_id' % kind), 'destination_type': 'volume',
                   'boot_index': 0 if re.search('(^|/)[a-z]*a$', item.get('device_name', '')) else -1}


def _checked(item):
    """An entry with its booleans read."""
    return item | {name: _boolean(item[name]) for name in ('no_device', 'delete_on_termination') if name in item}


def _files(server):
    return [[item['path'], _base64(item['contents'])] for item in server.get('personality', ())
            if 'path' in item and 'contents' in item]


def _base64(text):
    """Base64 in one line."""
    return text and ''.join(text.split())


def _hints(body):
    return body.get('os:scheduler_hints') or body.get('OS-SCH-HNT:scheduler_hints') or {}


def _stripped(text):
    return text and text.strip()


def _address(text):
    """An IP address in its shortest form, None for None."""
    return text and str(ipaddress.ip_address(text))


def _boolean(value):
    return strutils.bool_from_string(value)


def rebuild_order(server, password_length):
    """The RebuildOrder of the checked body of a rebuild."""
    names = {'description': 'display_description', 'hostname': 'hostname', 'metadata': 'metadata'}
    values = {field: server[name] for name, field in names.items() if name in server}
    addresses = {'accessIPv4': 'access_ip_v4', 'accessIPv6': 'access_ip_v6'}
    values.update((field, _address(server[name])) for name, field in addresses.items() if name in server)
    if 'name' in server:
        values['display_name'] = server['name'].strip()
    if 'user_data' in server:
        values['user_data'] = _base64(server['user_data'])
    if 'OS-DCF:diskConfig' in server:
        values['auto_disk_config'] = server['OS-DCF:diskConfig'] == 'AUTO'
    return api_order.RebuildOrder(
        image_id=_canonical(server['imageRef']), values=values, injected_files=_files(server),
        admin_password=server.get('adminPass') or generate_password(password_length),
        changes_key='key_name' in server, key_name=server.get('key_name'),
        changes_certificates='trusted_image_certificates' in server,
        trusted_certificates=server.get('trusted_image_certificates'),
        preserve_ephemeral=_boolean(server.get('preserve_ephemeral', False)))


def update_values(instance, server):
    """{field: value} of an Instance for the checked body of an update. :raises Conflict: a zone that it is not in"""
    names = {'description': 'display_description', 'hostname': 'hostname'}
    values = {field: server[name] for name, field in names.items() if name in server}
    addresses = {'accessIPv4': 'access_ip_v4', 'accessIPv6': 'access_ip_v6'}
    values.update((field, _address(server[name])) for name, field in addresses.items() if name in server)
    if 'name' in server:
        values['display_name'] = server['name'].strip()
    if 'OS-DCF:diskConfig' in server:
        values['auto_disk_config'] = server['OS-DCF:diskConfig'] == 'AUTO'
    if 'pinned_availability_zone' in server:
        zone = server['pinned_availability_zone']
        pinned = instance.system_metadata.get('pinned_availability_zone')
        if zone not in (None, pinned) and (pinned or zone != instance.availability_zone):
            raise exception.Conflict('A server can only be pinned to the availability zone that it is in, and only '
                                     'while it is pinned to none.')
        values['system_metadata'] = instance.system_metadata | {'pinned_availability_zone': zone}
    return values
