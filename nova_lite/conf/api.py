# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The REST API, its listeners and limits."""

from oslo_config import cfg

OPTIONS = {
    None: [
        cfg.ListOpt('enabled_apis', default=['osapi_compute', 'metadata'],
                    item_type=cfg.types.String(choices=['osapi_compute', 'metadata']),
                    help='What nova-api serves. Take `metadata` out where guests get their metadata elsewhere.'),
        cfg.StrOpt('osapi_compute_listen', default='0.0.0.0',
                   help='Address on which the compute API listens. Set it to 127.0.0.1 behind a proxy on this host.'),
        cfg.PortOpt('osapi_compute_listen_port', default=8774, help='Port of the compute API.'),
        cfg.IntOpt('osapi_compute_workers', default=1, min=1, max=64,
                   help='Processes that serve the compute API. Raise it towards the number of cores when nova-api is '
                        'busy; the metadata API is served by each of them.'),
        cfg.StrOpt('metadata_listen', default='0.0.0.0', help='Address on which the metadata API listens.'),
        cfg.PortOpt('metadata_listen_port', default=8775, help='Port of the metadata API.'),
        cfg.StrOpt('internal_service_availability_zone', default='internal',
                   help='Availability zone in which services other than nova-compute are listed.'),
    ],
    'api': [
        cfg.StrOpt('auth_strategy', default='keystone', choices=['keystone', 'noauth2'],
                   help='How callers are known: by Keystone, or, for trials on a closed machine only, by what they say '
                        '(`X-Auth-Token: USER:PROJECT`).'),
        cfg.StrOpt('compute_link_prefix',
                   help='Public URL of the API, without version, for links in answers '
                        '(for example https://cloud.example.org/compute). Set it when clients come through a proxy.'),
        cfg.IntOpt('max_limit', default=1000, min=1, max=100000, help='Most items of one page of a list.'),
        cfg.IntOpt('metadata_cache_expiration', default=15, min=0,
                   help='Seconds that the metadata of an instance is kept in memory. 0 asks the database each time.'),
    ],
    'wsgi': [
        cfg.StrOpt('api_paste_config', default='/etc/nova/api-paste.ini',
                   help='File with the pipelines of filters in front of the API.'),
    ],
}
