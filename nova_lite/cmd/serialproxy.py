# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-serialproxy: brings users to their guests' serial lines."""

from nova_lite.cmd import console_proxy
from nova_lite.objects import console


def main():
    console_proxy.run('nova-serialproxy', console.SERIAL, lambda conf: (
        conf.serial_console.serialproxy_host, conf.serial_console.serialproxy_port, conf.serial_console.base_url))


if __name__ == '__main__':
    main()
