# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-novncproxy: brings users to their guests' screens by VNC, for the web client noVNC."""

from nova_lite.cmd import console_proxy
from nova_lite.objects import console


def main():
    console_proxy.run('nova-novncproxy', console.VNC, lambda conf: (
        conf.vnc.novncproxy_host, conf.vnc.novncproxy_port, conf.vnc.novncproxy_base_url))


if __name__ == '__main__':
    main()
