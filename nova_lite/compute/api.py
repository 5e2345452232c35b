# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to act on servers: checks a request, records it, and hands it over to conductor or compute.

Checks come first and change nothing; then everything that makes a new server is written in one transaction; the cast
that follows may get lost without harm, because the conductor's sweep finds what was recorded.
"""

import dataclasses
import logging
import random
import re
import string

from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.compute import api_attachments
from nova_lite.compute import api_checks
from nova_lite.compute import api_consoles
from nova_lite.compute import api_devices
from nova_lite.compute import api_images
from nova_lite.compute import api_interfaces
from nova_lite.compute import api_lookups
from nova_lite.compute import api_marks
from nova_lite.compute import api_moves
from nova_lite.compute import api_names
from nova_lite.compute import api_operations
from nova_lite.compute import api_quota
from nova_lite.compute import api_remaking
from nova_lite.compute import api_resize
from nova_lite.compute import api_shelving
from nova_lite.compute import api_volumes
from nova_lite.compute import power_state
from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.db import instances
from nova_lite.objects import block_device
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import request_spec
from nova_lite.scheduler import request_specs

LOG = logging.getLogger(__name__)

RESERVATION_LETTERS = string.ascii_lowercase + string.digits

_CONTROL = re.compile(r'[\x00-\x08\x0b-\x1f]')


class API:
    """`enforcer`: policy; `clients`: an api_clients.Clients; `conductor`: conductor.api.ComputeTaskAPI;
    `compute`: compute.rpcapi.ComputeAPI."""

    def __init__(self, conf, db, enforcer, clients, *, conductor, compute):
        self._db = db
        self._enforcer = enforcer
        self._network = clients.network
        self._conductor = conductor
        self._compute = compute
        self._lookups = api_lookups.Lookups(db, clients.image, conf.default_availability_zone)
        self.operations = api_operations.Operations(db, compute, conductor, self._lookups)
        self.interfaces = api_interfaces.Interfaces(db, self.operations, clients.network, self.refresh_network_info)
        self.marks = api_marks.Marks(db, compute)
        self.volumes = api_volumes.Volumes(clients.volume, self._lookups)
        self.attachments = api_attachments.Attachments(db, self.operations, clients.volume, compute)
        self.consoles = api_consoles.Consoles(db, compute, self._lookups, conf.consoleauth.token_ttl)
        self.quotas = api_quota.Quotas(db, conf.quota)
        self.remaking = api_remaking.Remaking(db, self.operations, self._lookups, self.quotas)
        self.images = api_images.Images(db, self.operations, clients.image, self.quotas,
                                        conf.non_inheritable_image_properties)
        self.shelving = api_shelving.Shelving(db, self.operations, self.images, self._lookups)
        self.moves = api_moves.Moves(db, self.operations, compute, self._lookups)
        self.resizes = api_resize.Resizes(db, self.operations, self._lookups, self.quotas,
                                          conf.allow_resize_to_same_host)
        self._max_local_devices = conf.max_local_block_devices
        self._force_config_drive = conf.force_config_drive
        self._default_zone = conf.default_schedule_zone
        self._reclaims = conf.reclaim_instance_interval > 0

    # ---- create --------------------------------------------------------------------------------------------------

    def create(self, ctxt, order):
        """Make the servers of a ServerOrder.

        :returns: ([Instance…], reservation id)
        :raises: Invalid, Forbidden, NotFound, Conflict and Unavailable families; nothing is made then
        """
        return self._create_instance(ctxt, order)

    def _create_instance(self, ctxt, order):
        self._check_create_policies(ctxt, order)
        api_checks.check_counts(order)
        api_checks.check_hints(order.hints)
        limits = self.quotas.limits(ctxt.project_id)
        api_quota.check_metadata(limits, order.metadata)
        api_quota.check_files(limits, order.injected_files)
        flavor = self._lookups.flavor(ctxt, order.flavor_id)
        devices = api_devices.complete(order.block_devices, flavor, order.image_id, self._max_local_devices)
        zone = api_checks.split_zone(order.availability_zone)[0] or self._default_zone
        devices, image = self.volumes.check(ctxt, order, devices, zone)
        from_volume = block_device.is_volume_backed(devices)
        self._check_flavor_and_image(ctxt, flavor, image, from_volume)
        base, spec = self._validate_and_build_base_options(ctxt, order, flavor, image, from_volume)
        count = self.quotas.servers_allowed(limits, ctxt.project_id, flavor, order.min_count, order.max_count)
        self._lookups.check_group_room(spec.instance_group, count, limits)
        groups = self._network.validate_security_groups(ctxt, order.security_groups)
        networks = order.networks
        if networks is not None:
            networks = self._network.validate_networks(ctxt, networks, count)
        template = request_spec.BuildRequest(
            instance=base, image=image, request_spec=spec, admin_password=order.admin_password,
            injected_files=order.injected_files, requested_networks=networks, security_groups=groups,
            block_device_mapping=devices)
        made = self._provision_instances(ctxt, order, template, count, limits)
        faultpoints.hit('api.before_cast')
        self._conductor.build_instances(ctxt, made)
        return [build_request.instance for build_request in made], base.reservation_id

    def _check_create_policies(self, ctxt, order):
        """Rules for what only some may ask of a new server; that they may create one at all was checked before."""
        _, host, node = api_checks.split_zone(order.availability_zone)
        asked = {'os_compute_api:servers:create:attach_network': order.networks,
                 'os_compute_api:servers:create:attach_volume': order.block_devices,
                 'os_compute_api:servers:create:forced_host': host or node,
                 'compute:servers:create:requested_destination': order.host or order.node,
                 'os_compute_api:servers:create:trusted_certs': order.trusted_certificates}
        for rule, value in asked.items():
            if value:
                self._enforcer.authorize(rule, ctxt)

    def _check_flavor_and_image(self, ctxt, flavor, image, from_volume):
        if flavor.disabled:
            raise exception.FlavorNotFound(flavor_id=flavor.flavorid)
        api_checks.check_image(image, flavor, local=not from_volume)
        if not (flavor.root_gb or from_volume
                or self._enforcer.allows('os_compute_api:servers:create:zero_disk_flavor', ctxt)):
            raise exception.Forbidden('Only volume-backed servers are allowed for flavors with zero disk.')

    def _validate_and_build_base_options(self, ctxt, order, flavor, image, from_volume):
        """(Instance, RequestSpec) that the servers of an order have in common; uuids, names and count are open yet."""
        zone, host, node = api_checks.split_zone(order.availability_zone)
        host, node = order.host or host, order.node or node
        self._lookups.check_destination(zone, host, node)
        zone = zone or self._default_zone
        keypair = self._lookups.keypair(ctxt, order.key_name)
        spec = request_specs.build_request_spec(
            ctxt, flavor, image, zone=zone, destination={'host': host, 'node': node} if host or node else None,
            hints=order.hints, group=self._lookups.group(ctxt, order.hints), is_bfv=from_volume)
        base = instance_obj.Instance(
            uuid='', project_id=ctxt.project_id, user_id=ctxt.user_id, display_name=order.name, flavor=flavor,
            image_meta=image, image_ref='' if from_volume else order.image_id, vm_state=vm_states.BUILDING,
            task_state=task_states.SCHEDULING, power_state=power_state.NOSTATE,
            kernel_id=image.property('kernel_id'), ramdisk_id=image.property('ramdisk_id'),
            display_description=order.description, availability_zone=zone, key_name=order.key_name,
            key_data=keypair and keypair.public_key, user_data=order.user_data,
            config_drive=api_checks.config_drive(order, image, self._force_config_drive),
            auto_disk_config=api_checks.auto_disk_config(order, image), access_ip_v4=order.access_ip_v4,
            access_ip_v6=order.access_ip_v6, metadata=order.metadata, tags=sorted(set(order.tags)),
            security_groups=list(dict.fromkeys(order.security_groups or ['default'])),
            system_metadata=_system_metadata(order, zone, keypair),
            reservation_id='r-' + ''.join(random.choices(RESERVATION_LETTERS, k=8)))    # noqa: S311 (no secret)
        return base, spec

    def _provision_instances(self, ctxt, order, template, count, limits):
        """Record `count` servers made after a template, unless parallel requests used up the quota meanwhile.

        :returns: [BuildRequest…] :raises OverQuota: nothing is left of them
        """
        made = self.create_db_entry_for_new_instance(ctxt, order, template, count)
        if not self.quotas.recheck(limits, ctxt.project_id):
            instances.discard(self._db, [build_request.instance.uuid for build_request in made])
            self.volumes.release(ctxt, made)
            self.quotas.servers_allowed(limits, ctxt.project_id, template.request_spec.flavor, count, count)
            raise exception.QuotaError(reason='other requests of the project used up what was left')
        return made

    def create_db_entry_for_new_instance(self, ctxt, order, template, count):
        """Write instances, devices, actions and build orders in one transaction, and before that have their volumes
        made and reserved. :returns: [BuildRequest…]"""
        uuids = [uuidutils.generate_uuid() for _ in range(count)]
        names = [api_names.display_name(order.name, index, count) for index in range(count)]
        hostnames = api_names.hostnames(order, names, uuids)
        build_requests = [self._populate_instance_for_create(template, index, uuids, names[index], hostnames[index])
                          for index in range(count)]
        self.volumes.reserve(ctxt, build_requests)
        try:
            return instances.create(self._db, build_requests, ctxt)
        except Exception:
            self.volumes.release(ctxt, build_requests)
            raise

    @staticmethod
    def _populate_instance_for_create(template, index, uuids, name, hostname):
        """The BuildRequest of one of the servers: building and scheduling, the first states of every server."""
        instance = dataclasses.replace(template.instance, uuid=uuids[index], launch_index=index, display_name=name,
                                       hostname=hostname)
        spec = dataclasses.replace(template.request_spec, instance_uuids=uuids, num_instances=len(uuids))
        devices = [dataclasses.replace(device, uuid=uuidutils.generate_uuid(), instance_uuid=instance.uuid)
                   for device in template.block_device_mapping]
        return dataclasses.replace(template, instance=instance, request_spec=spec, block_device_mapping=devices)

    # ---- read ----------------------------------------------------------------------------------------------------

    def get(self, ctxt, instance_uuid):
        """The Instance with its fault. Servers of other projects do not exist for who is no admin.

        :raises InstanceNotFound:
        """
        if not uuidutils.is_uuid_like(instance_uuid):
            raise exception.InstanceNotFound(instance_id=instance_uuid)
        return instances.get(self._db, instance_uuid, project_id=None if ctxt.is_admin else ctxt.project_id)

    def get_all(self, filters, sort, limit, marker):
        """[Instance…] with their faults; the words are those of db/instances.py.

        :raises MarkerNotFound:
        """
        return instances.list_(self._db, filters, sort=sort, limit=limit, marker=marker)

    def get_ports(self, ctxt, instance):
        """[port…] of a server, as the network service shows them. :raises ServiceUnreachable:"""
        return self._network.queries.ports(ctxt, instance.uuid)

    def get_security_groups(self, ctxt, instance):
        """[security group…] of a server, as the network service shows them. :raises ServiceUnreachable:"""
        return self._network.queries.security_groups(ctxt, instance.uuid)

    def get_console_output(self, ctxt, instance, length=None):
        """The last `length` lines (all of them: None) of what the guest printed, without control characters.

        :raises InstanceNotReady: no host has it yet; ConsoleLogNotFound; Conflict: its host is down
        """
        if not instance.host:
            raise exception.InstanceNotReady(instance_id=instance.uuid)
        self._lookups.check_host_up(instance)
        if length == 0:
            return ''
        output = _CONTROL.sub('', self._compute.get_console_output(ctxt, instance.host, instance))
        if length is None:
            return output
        lines = output.splitlines(keepends=True)
        return ''.join(lines[-length:])

    def get_diagnostics(self, ctxt, instance, versioned):
        """The counters of the guest, as a dict in the form of the API since 2.48, or before it.

        :raises InstanceNotReady: no host has it; InstanceInvalidState: it does not run; Conflict: its host is down
        """
        if not instance.host:
            raise exception.InstanceNotReady(instance_id=instance.uuid)
        self._lookups.check_host_up(instance)
        return self._compute.get_diagnostics(ctxt, instance.host, instance, versioned)

    # ---- change --------------------------------------------------------------------------------------------------

    def update_instance(self, ctxt, instance, values):
        """Save fields that users set (names, addresses, …). :returns: the Instance. :raises InstanceNotFound:"""
        return instances.update(self._db, instance.uuid, values)

    def refresh_network_info(self, ctxt, instance):
        """Take over what the network service says of a server's ports now. :returns: whether it is on a host

        A build takes them over at its end anyway. :raises InstanceNotFound, ServiceUnreachable:
        """
        if not instance.host or instance.vm_state == vm_states.BUILDING:
            return False
        vifs = self._network.get_instance_nw_info(ctxt, instance)
        known = [vif.id for vif in instance.network_info]
        instances.modify(self._db, instance.uuid, 'network_info', lambda current: (
            vifs if [vif.id for vif in current.network_info] == known else current.network_info))
        return True

    def update_instance_metadata(self, ctxt, instance, metadata, delete=False):
        """Add or replace items; with `delete` all others go. :returns: {key: value} after it

        :raises Conflict, InstanceInvalidState, QuotaError:
        """
        limits = self.quotas.limits(instance.project_id)

        def change(current):
            api_checks.check_at_rest(current, 'update metadata')
            after = metadata if delete else {**current.metadata, **metadata}
            api_quota.check_metadata(limits, after)
            return after
        return self._modify(ctxt, instance, 'metadata', change).metadata

    def delete_instance_metadata(self, ctxt, instance, key):
        """:raises NotFound: no such item; Conflict, InstanceInvalidState:"""
        def change(current):
            api_checks.check_at_rest(current, 'delete metadata')
            if key not in current.metadata:
                raise exception.NotFound('Metadata item was not found')
            return {name: value for name, value in current.metadata.items() if name != key}
        self._modify(ctxt, instance, 'metadata', change)

    def update_instance_tags(self, ctxt, instance, action, change):
        """Let `change({tag…})` make the tags of a server; `action` names it for who may not. :returns: [tag…]

        :raises InstanceInvalidState: and what `change` raises
        """
        def checked(current):
            api_checks.check_at_rest(current, action)
            return sorted(change(set(current.tags)))
        return instances.modify(self._db, instance.uuid, 'tags', checked).tags

    def _modify(self, ctxt, instance, field, change):
        api_checks.check_unlocked(ctxt, instance)
        return instances.modify(self._db, instance.uuid, field, change)

    def delete(self, ctxt, instance, at_once=False):
        """Have a server deleted: allowed in every state, and again. It is gone when its host has cleaned up.

        Where deleting can be taken back, it is kept for a while first, unless that has to be `at_once`.
        :raises Conflict: it is locked; InstanceNotFound: it is gone already
        """
        api_checks.check_unlocked(ctxt, instance)
        if not at_once and self._reclaims and self._soft_delete(ctxt, instance):
            return
        instance = instances.request_delete(self._db, instance.uuid, ctxt)
        self.shelving.forget_image(ctxt, instance)
        faultpoints.hit('api.before_cast')
        if instance.host and self._lookups.host_is_up(instance.host):
            try:
                self._compute.terminate_instance(ctxt, instance.host, instance.uuid)
            except exception.MessagingUnavailable:
                LOG.warning('The message queue is away; the sweep of nova-conductor will delete %s', instance.uuid)
        else:
            self._conductor.delete_instance(ctxt, instance.uuid)


    def _soft_delete(self, ctxt, instance):
        """:returns: whether it is kept for a while; one that cannot be is to be deleted at once"""
        if instance.vm_state == vm_states.SOFT_DELETED or instance.task_state == task_states.SOFT_DELETING:
            return True
        if not instance.host:
            return False
        try:
            self.operations.begin(ctxt, instance, 'soft_delete')
        except exception.Conflict as exc:
            LOG.info('Server %s cannot be kept: %s', instance.uuid, exc)
            return False
        return True

    def restore(self, ctxt, instance):
        """Take the deleting of a server back. :raises Conflict: it is not soft-deleted, or its host down; OverQuota:"""
        self.operations.check_ready(ctxt, instance, 'restore')
        self.quotas.servers_allowed(self.quotas.limits(instance.project_id), instance.project_id, instance.flavor, 1, 1)
        self.operations.record(ctxt, instance, 'restore')


def _system_metadata(order, zone, keypair):
    """What has to be known of the order as long as the server lives, beside its own fields."""
    return {'pinned_availability_zone': zone, 'scheduler_hints': order.hints,
            'trusted_certs': order.trusted_certificates, 'keypair_type': keypair and keypair.type}
