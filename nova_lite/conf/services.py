# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where the services around Nova are and how to log in there: keystoneauth's options in a group for each."""

from keystoneauth1 import loading
from oslo_config import cfg

TIMEOUT = 30    # seconds for one request

SERVICE_TYPES = {'glance': 'image', 'neutron': 'network', 'placement': 'placement', 'cinder': 'volumev3'}

OPTIONS = {
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
