# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-spicehtml5proxy: brings users to their guests' screens by SPICE, for its web client."""

from nova_lite.cmd import console_proxy
from nova_lite.objects import console


def main():
    console_proxy.run('nova-spicehtml5proxy', console.SPICE, lambda conf: (
        conf.spice.html5proxy_host, conf.spice.html5proxy_port, conf.spice.html5proxy_base_url))


if __name__ == '__main__':
    main()
