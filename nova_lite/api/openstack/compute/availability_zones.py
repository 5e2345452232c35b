# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Availability zones: groups of hosts that users may choose between."""

from nova_lite.api.openstack import formats
from nova_lite.db import services as services_db

COMPUTE = 'nova-compute'


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._internal_zone = services.conf.internal_service_availability_zone
        self._default_zone = services.conf.default_availability_zone

    def index(self, req):
        zones = {}
        for service in services_db.list_(self._db, binary=COMPUTE):
            zones.setdefault(service.availability_zone or self._default_zone, []).append(service)
        return {'availabilityZoneInfo': [_zone(name, any(not service.disabled for service in members), None)
                                         for name, members in sorted(zones.items())]}

    def detail(self, req):
        zones = {}
        for service in services_db.list_(self._db):
            name = self._internal_zone
            if service.binary == COMPUTE:
                name = service.availability_zone or self._default_zone
            zones.setdefault(name, []).append(service)
        answer = []
        for name, members in sorted(zones.items()):
            hosts = {}
            for service in members:
                hosts.setdefault(service.host, {})[service.binary] = {
                    'active': not service.disabled, 'available': service.up,
                    'updated_at': formats.iso_micro(service.last_seen_up or service.updated_at)}
            answer.append(_zone(name, any(not service.disabled for service in members), hosts))
        return {'availabilityZoneInfo': answer}


def _zone(name, available, hosts):
    return {'zoneName': name, 'zoneState': {'available': available}, 'hosts': hosts}
