# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where the services around Nova are and how to log in there: keystoneauth's options in a group for each."""

from keystoneauth1 import loading
from oslo_config import cfg

TIMEOUT = 30    # seconds for one request

SERVICE_TYPES = {'glance': 'image', 'neutron': 'network', 'placement': 'placement', 'cinder': 'volumev3'}

OPTIONS = {
    'cinder': [
        cfg.StrOpt('catalog_info', default='volumev3::publicURL', regex='^[^:]+:[^:]*:[^:]+$',
                   help='Where the volume service is in the catalog: type, name (may be empty) and interface. '
                        'endpoint_override, if set, comes before it.'),
        cfg.IntOpt('http_retries', default=3, min=0, max=20,
                   help='How often a request is sent again when no connection to the volume service can be made.'),
        cfg.BoolOpt('cross_az_attach', default=True,
                    help='Let servers have volumes of other availability zones than their own. Unset it where volumes '
                         'cannot be reached across zones; the zones must then have the same names in both services.'),
    ],
    'service_user': [
        cfg.BoolOpt('send_service_user_token', default=False,
                    help='Send a token of this user along with each user\'s token, so that the other service knows '
                         'that Nova asks on the user\'s behalf. Volume services let go of a volume that a server uses '
                         'for no other request, so without it volumes cannot be detached.'),
    ],
    'neutron': [
        cfg.BoolOpt('service_metadata_proxy', default=False,
                    help='Set when guests reach the metadata service through the network service\'s proxy; requests '
                         'must then be signed with metadata_proxy_shared_secret.'),
        cfg.StrOpt('metadata_proxy_shared_secret', default='', secret=True,
                   help='The secret that the metadata proxy signs instance ids with.'),
    ],
}


def register(conf):
    """Declare the auth, session and adapter options of every service group."""
    for group, service_type in SERVICE_TYPES.items():
        loading.register_auth_conf_options(conf, group)
        loading.register_session_conf_options(conf, group)
        loading.register_adapter_conf_options(conf, group)
        conf.set_default('service_type', service_type, group)
        conf.set_default('valid_interfaces', ['internal', 'public'], group)
        conf.set_default('timeout', TIMEOUT, group)
    loading.register_auth_conf_options(conf, 'service_user')
    loading.register_session_conf_options(conf, 'service_user')
    conf.set_default('timeout', TIMEOUT, 'service_user')
