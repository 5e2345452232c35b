# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What an order names and must exist for the caller: flavor, image, key pair, server group, zone, host."""

from nova_lite import exception
from nova_lite.db import compute_nodes
from nova_lite.db import flavors
from nova_lite.db import instance_groups
from nova_lite.db import keypairs
from nova_lite.db import services

COMPUTE = 'nova-compute'


class Lookups:
    """`image`: client of the image service; `default_zone`: zone of the hosts that are in no other."""

    def __init__(self, db, image, default_zone):
        self._db = db
        self._image = image
        self.default_zone = default_zone

    def flavor(self, ctxt, flavor_id):
        """:raises FlavorNotFound: also when it is private to other projects"""
        return flavors.get_by_flavorid(self._db, flavor_id, project_id=ctxt.project_id, is_admin=ctxt.is_admin)

    def image(self, ctxt, image_id):
        """The ImageMeta, whose kernel and ramdisk are there for the caller too. :raises ImageNotFound:"""
        image = self._image.get(ctxt, image_id)
        for part in (image.property('kernel_id'), image.property('ramdisk_id')):
            if part:
                self._image.get(ctxt, part)
        return image

    def keypair(self, ctxt, name):
        """The caller's KeyPair, or None for no name. :raises Invalid:"""
        if not name:
            return None
        try:
            return keypairs.get(self._db, ctxt.user_id, name)
        except exception.KeypairNotFound as exc:
            raise exception.Invalid('Invalid key_name provided.') from exc

    def group(self, ctxt, hints):
        """The InstanceGroup that the hint `group` names, or None. :raises NotFound:"""
        group_id = hints.get('group')
        if isinstance(group_id, list):
            group_id = group_id[0] if group_id else None
        if not group_id:
            return None
        return instance_groups.get(self._db, group_id, None if ctxt.is_admin else ctxt.project_id)

    @staticmethod
    def check_group_room(group, count, limits):
        """:raises QuotaError: the group would have too many members"""
        if group is not None and 0 <= limits['server_group_members'] < len(group.members) + count:
            raise exception.QuotaError('Quota exceeded, too many servers in group')

    def check_destination(self, zone, host, node):
        """The zone has hosts; a host (and node) that is asked for exists. :raises Invalid, ComputeHostNotFound:"""
        if host or node:
            if not any(host in (None, item.host) and node in (None, item.hypervisor_hostname)
                       for item in compute_nodes.list_(self._db)):
                raise exception.ComputeHostNotFound(host=host or node)
        elif zone and not any((item.availability_zone or self.default_zone) == zone and not item.disabled
                              for item in services.list_(self._db, binary=COMPUTE)):
            raise exception.Invalid('The requested availability zone is not available')

    def check_migration_host(self, host):
        """:raises Invalid: no nova-compute is known by this name"""
        if not services.list_(self._db, binary=COMPUTE, host=host):
            raise exception.Invalid('Compute host %s could not be found.' % host)

    def check_evacuation_host(self, host):
        """:raises NotFound: no nova-compute is known by this name"""
        if not services.list_(self._db, binary=COMPUTE, host=host):
            raise exception.ComputeHostNotFound('Compute host %s not found.' % host)

    def host_is_up(self, host):
        """Whether nova-compute of a host reports itself."""
        return any(item.up for item in services.list_(self._db, binary=COMPUTE, host=host))

    def check_host_up(self, instance):
        """:raises Conflict: the server's host cannot be asked now"""
        self.check_host_is_up(instance.host, instance)

    def check_host_is_up(self, host, instance):
        """:raises Conflict: a host that has something of the server cannot be asked now"""
        if not self.host_is_up(host):
            raise exception.Conflict('The host of instance %s does not answer now' % instance.uuid)
