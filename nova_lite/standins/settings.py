# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The options of `standins.conf`, read once by the command and passed on as values."""

import os

from keystoneauth1 import loading
from oslo_config import cfg

from nova_lite.standins import remote_identity

DEFAULT_OPTS = [
    cfg.HostAddressOpt(
        'listen', default='127.0.0.1',
        help='Address that all stand-in services listen on. Change it when other machines use this cloud.'),
    cfg.StrOpt(
        'public_host', default='127.0.0.1',
        help="Host name or address that the service catalog's URLs carry; other machines must reach it."),
    cfg.StrOpt(
        'region', default='RegionOne', max_length=255,
        help='Region of every endpoint in the catalog.'),
    cfg.StrOpt(
        'state_path', default='/var/lib/nova/standins',
        help='Directory of the database, the token keys and the images. Made with mode 0700.'),
]
DATABASE_OPTS = [
    cfg.StrOpt(
        'connection', secret=True,
        help="SQLAlchemy URL of the stand-ins' database. Unset: standins.sqlite in state_path."),
]
PORT_OPTS = [
    cfg.PortOpt('identity', default=5000, help='Port of the identity service (Keystone).'),
    cfg.PortOpt('image', default=9292, help='Port of the image service (Glance).'),
    cfg.PortOpt('network', default=9696, help='Port of the network service (Neutron).'),
    cfg.PortOpt('placement', default=8778, help='Port of the placement service.'),
    cfg.PortOpt('volume', default=8776, help='Port of the volume service (Cinder).'),
    cfg.PortOpt('compute', default=8774, help='Port of nova-api, for the catalog only.'),
]
IDENTITY_OPTS = [
    cfg.StrOpt('admin_password', secret=True, help='Password of the user admin, set at each start if given.'),
    cfg.StrOpt('demo_password', secret=True, help='Password of the user demo, set at each start if given.'),
    cfg.StrOpt('service_password', secret=True,
               help='Password of the service users nova, glance, neutron, placement and cinder, set at each '
                    'start if given.'),
    cfg.IntOpt('token_expiration', default=3600, min=60, max=30 * 86400,
               help='Seconds that a token is valid. Raise it when single operations take longer.'),
]
IMAGE_OPTS = [
    cfg.IntOpt('image_size_cap', default=1024 ** 4, min=1, max=1 << 62,
               help='Largest image in bytes; a longer upload is refused with 413.'),
    cfg.IntOpt('user_storage_quota', default=0, min=0, max=1 << 62,
               help='Bytes that the images of one project may take together; 0 means no limit.'),
]
NETWORK_OPTS = [
    cfg.StrOpt('dataplane', default='none', choices=['none', 'linuxbridge'],
               help='none: networks and ports are records only (fake compute driver). linuxbridge: bridges, '
                    'DHCP and the metadata proxy are made on this machine, which needs root.'),
    cfg.StrOpt('metadata_url', default='http://127.0.0.1:8775',
               help='Where the proxy at 169.254.169.254 forwards to: the metadata service of nova-api.'),
    cfg.StrOpt('metadata_proxy_shared_secret', default='', secret=True,
               help='Secret that signs forwarded metadata requests; the same as [neutron] '
                    'metadata_proxy_shared_secret in nova.conf.'),
    cfg.StrOpt('subnet', default='10.0.0.0/24',
               help='IPv4 range of the shared network that the first start makes. With linuxbridge, the next range '
                    'of the same size that this machine does not reach elsewhere.'),
    cfg.StrOpt('network_name', default='private', max_length=255,
               help='Name of the shared network that the first start makes.'),
    cfg.StrOpt('external_subnet', default='172.24.4.0/24',
               help='IPv4 range of the external network that the first start makes, for routers and floating '
                    'addresses; chosen like subnet. Empty: none is made.'),
    cfg.StrOpt('external_network_name', default='public', max_length=255,
               help='Name of the external network that the first start makes.'),
]
VOLUME_OPTS = [
    cfg.BoolOpt('enabled', default=True,
                help='Whether there is a volume service. Unset it where a real Cinder takes its place.'),
    cfg.StrOpt('path',
               help='Directory of the volumes. Unset: volumes in state_path. Where guests run on this machine as '
                    'another user, that user must get through every directory above it, which state_path forbids.'),
    cfg.StrOpt('host', max_length=200,
               help='Name by which nova-compute on this machine calls its host; that host opens volumes as files. '
                    "Unset: the machine's host name."),
    cfg.StrOpt('export', default='nbd', choices=['nbd', 'none'],
               help='How other hosts reach a volume. nbd: over the network, served by qemu-nbd while it is attached. '
                    'none: as a file, for hosts that are all this machine or share the directory.'),
    cfg.HostAddressOpt('export_address', default='127.0.0.1',
                       help='Address that exports listen on and that other hosts connect to. NBD asks for no '
                            'password: choose an address of a network that only the hosts are in.'),
    cfg.PortOpt('export_port', default=10809, min=1, help='First of the 500 ports that exports may take.'),
    cfg.StrOpt('default_volume_type', default='__DEFAULT__', max_length=255,
               help='Name of the type of volumes that name none.'),
    cfg.IntOpt('quota_volumes', default=10, min=-1, help='Volumes of a project; -1 means no limit.'),
    cfg.IntOpt('quota_snapshots', default=10, min=-1, help='Snapshots of volumes of a project; -1 means no limit.'),
    cfg.IntOpt('quota_gigabytes', default=1000, min=-1,
               help='Gigabytes of the volumes and snapshots of a project together; -1 means no limit.'),
    cfg.IntOpt('per_volume_size_limit', default=-1, min=-1, help='Gigabytes of one volume; -1 means no limit.'),
]
REAL_OPTS = [
    cfg.URIOpt(name, schemes=['http', 'https'],
               help='URL, without version, of a real %s that takes the place of the stand-in: none is served here. '
                    '%s' % (text, more))
    for name, text, more in (
        ('identity', 'Keystone', 'Tokens are verified there; [%s] says how to log in.' % remote_identity.GROUP),
        ('image', 'Glance', 'The catalog names it.'),
        ('network', 'Neutron', 'The catalog names it.'),
        ('placement', 'Placement', 'The catalog names it.'),
        ('volume', 'Cinder', 'The catalog names it.'))
]
GROUPS = {
    None: DEFAULT_OPTS, 'database': DATABASE_OPTS, 'ports': PORT_OPTS, 'identity': IDENTITY_OPTS,
    'image': IMAGE_OPTS, 'network': NETWORK_OPTS, 'volume': VOLUME_OPTS,
    'real': REAL_OPTS,
}


def register(conf):
    """Register every option of the stand-ins on `conf`, an `oslo_config.cfg.ConfigOpts`."""
    for group, options in GROUPS.items():
        conf.register_opts(options, group=group)
    loading.register_auth_conf_options(conf, remote_identity.GROUP)


def list_opts():
    """Options by group, for oslo-config-generator."""
    return [(group or 'DEFAULT', options) for group, options in GROUPS.items()]


def database_url(conf):
    """The URL of the stand-ins' database."""
    return conf.database.connection or 'sqlite:///' + os.path.join(conf.state_path, 'standins.sqlite')


def prepare_state(conf):
    """Make state_path, readable by its owner only."""
    os.makedirs(conf.state_path, mode=0o700, exist_ok=True)
    os.chmod(conf.state_path, 0o700)
