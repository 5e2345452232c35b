#!/bin/sh
# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
#
# What the small guest does with a DHCP lease: address, routes (option 121 wins over the router option), DNS.
case "$1" in
deconfig)
    ip addr flush dev "$interface"
    ;;
bound | renew)
    ip addr flush dev "$interface"
    ip addr add "$ip/$mask" dev "$interface"
    [ -n "$mtu" ] && ip link set dev "$interface" mtu "$mtu"
    if [ -n "$staticroutes" ]; then
        set -- $staticroutes
        while [ $# -ge 2 ]; do
            if [ "$2" = 0.0.0.0 ]; then
                ip route add "$1" dev "$interface"
            else
                ip route add "$1" via "$2" dev "$interface"
            fi
            shift 2
        done
    elif [ -n "$router" ]; then
        ip route add default via "${router%% *}" dev "$interface"
    fi
    : >/etc/resolv.conf
    for server in $dns; do
        echo "nameserver $server" >>/etc/resolv.conf
    done
    ;;
esac
