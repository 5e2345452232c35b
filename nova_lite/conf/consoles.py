# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Consoles: what screen and serial line guests have, and the proxies by which users reach them."""

from oslo_config import cfg

_LISTEN = ('It asks for no password: whoever reaches that address has every guest\'s %s. Set it to an address of the '
           'network that hosts and proxies share, when the proxy is on another machine.')


def _proxy(name, port):
    return [cfg.HostAddressOpt('%s_host' % name, default='127.0.0.1',
                               help='Address that the proxy listens on. Set it where users are on other machines.'),
            cfg.PortOpt('%s_port' % name, default=port, help='Port that the proxy listens on.')]


OPTIONS = {
    'vnc': [
        cfg.BoolOpt('enabled', default=False, help='Give each guest a screen by VNC on server_listen.'),
        cfg.StrOpt('server_listen', default='127.0.0.1',
                   help='Address on which the guests\' VNC servers listen. ' + _LISTEN % 'screen'),
        cfg.StrOpt('server_proxyclient_address', default='127.0.0.1',
                   help='Address of this host by which the proxy reaches the guests\' VNC servers.'),
        cfg.URIOpt('novncproxy_base_url', default='http://127.0.0.1:6080/vnc_lite.html', schemes=('http', 'https'),
                   help='Where users find the page of noVNC that nova-novncproxy serves. Set it to the address by '
                        'which they reach that.'),
        *_proxy('novncproxy', 6080),
    ],
    'spice': [
        cfg.BoolOpt('enabled', default=False, help='Give each guest a screen by SPICE on server_listen.'),
        cfg.BoolOpt('agent_enabled', default=True,
                    help='Let guests with the SPICE agent share mouse and clipboard with the user.'),
        cfg.StrOpt('server_listen', default='127.0.0.1',
                   help='Address on which the guests\' SPICE servers listen. ' + _LISTEN % 'screen'),
        cfg.StrOpt('server_proxyclient_address', default='127.0.0.1',
                   help='Address of this host by which the proxy reaches the guests\' SPICE servers.'),
        cfg.URIOpt('html5proxy_base_url', default='http://127.0.0.1:6082/spice_auto.html', schemes=('http', 'https'),
                   help='Where users find the page that nova-spicehtml5proxy serves.'),
        *_proxy('html5proxy', 6082),
    ],
    'serial_console': [
        cfg.BoolOpt('enabled', default=False,
                    help='Give each guest a serial line that users can type on. It is logged all the same, but '
                         '`virsh console` shows it no more.'),
        cfg.StrOpt('port_range', default='10000:20000', regex=r'^\d{1,5}:\d{1,5}$',
                   help='First and last of the ports of a host that serial lines may have.'),
        cfg.StrOpt('proxyclient_address', default='127.0.0.1',
                   help='Address of this host on which the serial lines listen, and by which the proxy reaches them. '
                        + _LISTEN % 'serial line'),
        cfg.URIOpt('base_url', default='ws://127.0.0.1:6083/', schemes=('ws', 'wss'),
                   help='Where users find nova-serialproxy.'),
        *_proxy('serialproxy', 6083),
    ],
    'console': [
        cfg.ListOpt('allowed_origins', default=[],
                    help='Names of hosts whose pages may open consoles, besides the one that a console\'s own URL is '
                         'at. Name the dashboard that shows consoles in its own pages.'),
        cfg.IntOpt('max_connections', default=400, min=1,
                   help='Consoles that may be open at once by way of one proxy.'),
        cfg.IntOpt('max_connections_per_server', default=20, min=1,
                   help='Consoles of one server that may be open at once by way of one proxy.'),
    ],
    'consoleauth': [
        cfg.IntOpt('token_ttl', default=600, min=1,
                   help='Seconds in which a console\'s URL can be opened. One that is open stays so.'),
    ],
}
