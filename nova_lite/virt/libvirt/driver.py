# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Guests by libvirt: QEMU processes with disks in files, interfaces on bridges and a console log.

The files of a guest are in `<instances_path>/<uuid>/`: libvirt.xml, disk, disk.info, disk.eph0, disk.swap,
disk.config, console.log, kernel, ramdisk; the image cache is `<instances_path>/_base/`.
"""

import contextlib
import datetime
import os
import shutil
import time

from oslo_log import log
from oslo_utils import uuidutils

from nova_lite import concurrency
from nova_lite import exception
from nova_lite import instance_metadata
from nova_lite.virt import driver
from nova_lite.virt import images
from nova_lite.virt.libvirt import access
from nova_lite.virt.libvirt import blockinfo
from nova_lite.virt.libvirt import configdrive
from nova_lite.virt.libvirt import connection
from nova_lite.virt.libvirt import consolelog
from nova_lite.virt.libvirt import events
from nova_lite.virt.libvirt import guest
from nova_lite.virt.libvirt import host as hypervisor
from nova_lite.virt.libvirt import imagebackend
from nova_lite.virt.libvirt import imagecache
from nova_lite.virt.libvirt import settings as driver_settings
from nova_lite.virt.libvirt import vif
from nova_lite.virt.libvirt.domain import builder
from nova_lite.virt.libvirt.domain import consoles
from nova_lite.virt.libvirt.domain import properties
from nova_lite.virt.libvirt.domain import spec

LOG = log.getLogger(__name__)

XML_NAME, KERNEL_NAME, RAMDISK_NAME = 'libvirt.xml', 'kernel', 'ramdisk'
TOOLS = (*images.PROGRAMS, 'cp')


class LibvirtDriver(driver.ComputeDriver):
    """The driver of one host. `image_api` is an image.glance.API, or what has its get and download."""

    def __init__(self, settings, image_api):
        self._settings = settings
        self._image_api = image_api
        self._connection = connection.Connection(settings.connection_uri)
        self._guests = guest.Guests(self._connection, settings.instances_path)
        self._filters = vif.Filters(self._connection)
        self._events = events.Events(self._connection, self._has_directory)
        self._host = hypervisor.Host(self._connection, settings)

    @classmethod
    def from_conf(cls, conf, image_api):
        return cls(driver_settings.Settings.from_conf(conf), image_api)

    # ---- the host --------------------------------------------------------------------------------------------

    def init_host(self, host):
        for tool in TOOLS:
            if not shutil.which(tool):
                raise exception.HypervisorError('The program %s is missing on this host.' % tool)
        self._connection.open()
        self._host.read()
        self._access = access.Access(self._host.qemu_user)
        self._access.make_directory(self._settings.instances_path)
        self._access.check_reach(self._settings.instances_path)
        self._cache = imagecache.ImageCache(self._settings.cache_path(), self._image_api, self._access)
        self._cache.prepare()
        self._backend = imagebackend.ImageBackend(self._cache, self._access)
        self._events.start()

    def get_available_nodes(self):
        return [self._host.name]

    def get_available_resource(self, nodename):
        return self._host.resources()

    def register_event_listener(self, callback):
        self._events.listen(callback)

    def list_instance_uuids(self):
        guests, directories = self.list_traces()
        return sorted({*guests, *directories})

    def list_traces(self):
        directories = [name for name in os.listdir(self._settings.instances_path) if uuidutils.is_uuid_like(name)]
        return self._guests.ours(), directories

    def get_info(self, instance):
        state = self._guests.state(instance.uuid)
        return driver.GuestInfo(uuid=instance.uuid, state=state.power_state, name=state.name,
                                internal_id=state.internal_id)

    def _has_directory(self, uuid):
        return os.path.isdir(self._settings.instance_path(uuid))

    # ---- before a guest --------------------------------------------------------------------------------------

    def prepare_for_spawn(self, instance):
        """Refuses at once an image whose guests cannot be had here."""
        properties.read(instance.image_meta, self._host.facts)

    def prepare_networks_before_block_device_mapping(self, instance, network_info):
        """Refuses at once interfaces that cannot be plugged here."""
        for item in network_info:
            vif.check(item)

    def default_root_device_name(self, instance, image, root_bdm):
        wishes = properties.read(image, self._host.facts)
        bus = blockinfo.root_bus(image, wishes, self._machine(wishes))
        return '/dev/' + blockinfo.DeviceNames().take(bus)

    def default_device_names_for_instance(self, instance, root_device_name, block_devices):
        blockinfo.check(block_devices)
        wishes = properties.read(instance.image_meta, self._host.facts)
        bus = blockinfo.root_bus(instance.image_meta, wishes, self._machine(wishes))
        blockinfo.name_devices(block_devices, root_device_name, bus, wishes)

    def _machine(self, wishes):
        return spec.machine_type(wishes, self._settings, self._host.facts)

    # ---- making a guest --------------------------------------------------------------------------------------

    def spawn(self, ctxt, request):
        wanted = self._specify(request)
        with _timed('_create_image', request.instance):
            self._create_image(ctxt, request, wanted)
        xml = self._get_guest_xml(wanted)
        with _timed('_create_domain_and_network', request.instance):
            self._create_domain_and_network(wanted, xml)

    def _specify(self, request):
        """The GuestSpec of a SpawnRequest. Nothing is made here."""
        instance, image = request.instance, request.image
        wishes = properties.read(image, self._host.facts)
        # Files that a user sends with a server reach it by the config drive, so they bring one along.
        config_drive = instance.config_drive or bool(request.injected_files)
        disks = blockinfo.plan(request, wishes, self._settings, self._machine(wishes), config_drive)
        return spec.GuestSpec(
            name=self._guests.free_name(instance), instance=instance, image=image, properties=wishes,
            settings=self._settings, host=self._host.facts, disks=disks, vifs=request.network_info,
            created_at=datetime.datetime.now(datetime.timezone.utc),
            kernel=self._boot_file(instance, KERNEL_NAME, _kernel_id(instance, image)),
            ramdisk=self._boot_file(instance, RAMDISK_NAME, _ramdisk_id(instance, image)))

    def _boot_file(self, instance, name, image_id):
        return self._settings.instance_path(instance.uuid, name) if image_id else None

    def _create_image(self, ctxt, request, wanted):
        """The guest's directory with all its disks."""
        directory = self._settings.instance_path(request.instance.uuid)
        self._access.make_directory(directory)
        for disk in wanted.disks:
            if disk.kind == spec.CONFIG:
                self._create_config_drive(request, os.path.join(directory, disk.name))
            else:
                self._backend.create(ctxt, directory, disk, request.image)
        for path, image_id in ((wanted.kernel, _kernel_id(request.instance, request.image)),
                               (wanted.ramdisk, _ramdisk_id(request.instance, request.image))):
            if image_id:
                self._backend.copy_boot_file(ctxt, image_id, path)
        imagebackend.write_info(directory, wanted.disks)

    def _create_config_drive(self, request, path):
        LOG.info('Creating config drive', instance_uuid=request.instance.uuid)
        metadata = instance_metadata.InstanceMetadata(
            request.instance, request.network_info, request.injected_files, request.admin_password)
        with imagecache.space_errors('the config drive'):
            configdrive.write(path, metadata.files())

    def _get_guest_xml(self, wanted):
        """The domain's XML, kept in the guest's directory too."""
        xml = builder.build(wanted)
        LOG.debug('The guest\'s XML: %s', xml, instance_uuid=wanted.instance.uuid)
        path = self._settings.instance_path(wanted.instance.uuid, XML_NAME)
        with imagecache.space_errors('the guest'), open(path, 'w') as target:
            target.write(xml)
        self._access.private(path)
        return xml

    def _create_domain_and_network(self, wanted, xml):
        self.plug_vifs(wanted.instance, wanted.vifs)
        self._guests.start(wanted.instance.uuid, xml)

    def plug_vifs(self, instance, network_info):
        """libvirt makes the taps when the guest starts; bridges and filters have to be there by then."""
        for item in network_info:
            vif.check(item)
        self._filters.ensure(network_info)

    def unplug_vifs(self, instance, network_info):
        """Nothing to do: libvirt removes tap and rules with the guest, and the filters are everybody's."""

    # ---- after a guest ---------------------------------------------------------------------------------------

    def destroy(self, ctxt, instance, network_info, block_devices, destroy_disks=True):
        self._guests.remove(instance.uuid)
        self.cleanup(ctxt, instance, network_info, block_devices, destroy_disks)

    def cleanup(self, ctxt, instance, network_info, block_devices, destroy_disks=True):
        """Remove what a guest that does not run left on the host; what is gone already is fine."""
        self.unplug_vifs(instance, network_info)
        directory = self._settings.instance_path(instance.uuid)
        if destroy_disks and uuidutils.is_uuid_like(instance.uuid) and os.path.isdir(directory):
            LOG.info('Deleting instance files %s', directory, instance_uuid=instance.uuid)
            concurrency.run_native(shutil.rmtree, directory)

    def get_console_output(self, ctxt, instance):
        path = self._settings.instance_path(instance.uuid, consoles.LOG_NAME)
        try:
            return consolelog.read(path)
        except FileNotFoundError as exc:
            raise exception.ConsoleLogNotFound(instance_id=instance.uuid) from exc

    def update_images(self, ctxt, in_use):
        """Age the image cache; what the disks of this host lie on stays, whoever's they are."""
        if not self._settings.cache_ages:
            return
        needed = {imagecache.cache_name(image_id) for image_id in in_use}
        for name in os.listdir(self._settings.instances_path):
            if uuidutils.is_uuid_like(name):
                needed |= imagebackend.backing_names(self._settings.instance_path(name))
        for name in self._cache.age(needed, self._settings.cache_minimum_age):
            LOG.info('Removed %s from the image cache: nobody used it any more', name)


def _kernel_id(instance, image):
    return instance.kernel_id or image.property('kernel_id')


def _ramdisk_id(instance, image):
    return instance.ramdisk_id or image.property('ramdisk_id')


@contextlib.contextmanager
def _timed(step, instance):
    started = time.monotonic()
    yield
    LOG.info('%s took %.2f seconds', step, time.monotonic() - started, instance_uuid=instance.uuid)
