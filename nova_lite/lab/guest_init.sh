#!/bin/busybox sh
# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
#
# The whole user space of the small guest: PID 1. It asks for an address by DHCP, reads the metadata service,
# prints both on the serial console, and leaves a shell there.
/bin/busybox mkdir -p /proc /sys /dev /tmp /etc /root /mnt /sbin /usr/bin /usr/sbin
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs devtmpfs /dev
exec </dev/ttyS0 >/dev/ttyS0 2>&1
# A link named busybox would replace the program itself.
for applet in $(/bin/busybox --list); do
    [ "$applet" = busybox ] || /bin/busybox ln -sf /bin/busybox "/bin/$applet"
done
export PATH=/bin HOME=/root TERM=linux
mkdir -p /dev/pts && mount -t devpts devpts /dev/pts
hostname guest
say() { echo "nova_lite guest: $*"; }
say "kernel $(uname -r) is up after $(cut -d' ' -f1 /proc/uptime) s"

while read -r module; do
    insmod "/modules/$module" 2>/dev/null
done </modules/order

http_get() {
    printf 'GET %s HTTP/1.0\r\nHost: 169.254.169.254\r\n\r\n' "$1" | nc -w 5 169.254.169.254 80 2>/dev/null |
        tr -d '\r' | awk 'body {print} /^HTTP/ {ok = ($2 == 200)} /^$/ {if (!ok) exit; body = 1}'
}

network() {
    ip link set lo up
    ip link set eth0 up || { say "no network interface"; return; }
    # hwrng-seeded delays of udhcpc are of no use on a network of its own: ask quickly, and again.
    udhcpc -i eth0 -f -q -n -t 20 -T 1 -A 1 -O staticroutes -O mtu -s /etc/udhcpc.sh >/dev/null 2>&1 ||
        { say "no answer to DHCP"; return; }
    say "address $(ip -4 -o addr show dev eth0 | awk '{print $4; exit}')"
    tries=0
    while [ $tries -lt 20 ]; do
        http_get /openstack/latest/meta_data.json >/tmp/meta_data.json
        [ -s /tmp/meta_data.json ] && break
        tries=$((tries + 1))
        sleep 0.5
    done
    if [ ! -s /tmp/meta_data.json ]; then
        say "no answer from the metadata service"
        return
    fi
    name=$(field name)
    [ -n "$name" ] && hostname "$name"
    say "uuid $(field uuid)"
    say "name $name"
    http_get /openstack/latest/user_data >/tmp/user_data
    if [ "$(head -c 2 /tmp/user_data)" = '#!' ]; then
        chmod 700 /tmp/user_data
        /tmp/user_data
        say "user_data ended with $?"
    fi
}

field() { tr ',{' '\n\n' </tmp/meta_data.json | sed -n "s/^ *\"$1\": *\"\(.*\)\".*/\1/p" | head -n 1; }

config_drive() {
    for device in /dev/sr0 /dev/vdb /dev/vdc /dev/vdd /dev/sda; do
        [ -b "$device" ] && mount -t iso9660 -o ro "$device" /mnt 2>/dev/null || continue
        [ -f /mnt/openstack/latest/meta_data.json ] || { umount /mnt; continue; }
        say "config drive $device" \
            "uuid $(tr ',{' '\n\n' </mnt/openstack/latest/meta_data.json |
                sed -n 's/^ *"uuid": *"\(.*\)".*/\1/p' | head -n 1)"
        return
    done
}

# The power button (a graceful shutdown from outside) powers the guest off.
mkdir -p /etc/acpi/PWRF
printf '#!/bin/sh\nsync\npoweroff -f\n' >/etc/acpi/PWRF/00000080
chmod 755 /etc/acpi/PWRF/00000080
acpid -l /tmp/acpid.log 2>/dev/null

network
config_drive
say "ready after $(cut -d' ' -f1 /proc/uptime) s"
while :; do
    setsid cttyhack sh
    sleep 1
done
