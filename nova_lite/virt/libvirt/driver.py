# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Guests by libvirt: QEMU processes with disks in files, interfaces on bridges and a console log.

The files of a guest are in `<instances_path>/<uuid>/`: libvirt.xml, disk, disk.info, disk.eph0, disk.swap,
disk.config, console.log, kernel, ramdisk; the image cache is `<instances_path>/_base/`.
"""

import contextlib
import dataclasses
import datetime
import os
import shutil
import time
from xml.etree import ElementTree

from oslo_log import log
from oslo_utils import uuidutils

from nova_lite import concurrency
from nova_lite import exception
from nova_lite import instance_metadata
from nova_lite.objects import console as console_obj
from nova_lite.virt import abilities
from nova_lite.virt import driver
from nova_lite.virt import images
from nova_lite.virt.libvirt import access
from nova_lite.virt.libvirt import agent
from nova_lite.virt.libvirt import blockinfo
from nova_lite.virt.libvirt import configdrive
from nova_lite.virt.libvirt import connection
from nova_lite.virt.libvirt import consolelog
from nova_lite.virt.libvirt import consoleports
from nova_lite.virt.libvirt import devices
from nova_lite.virt.libvirt import diagnostics
from nova_lite.virt.libvirt import events
from nova_lite.virt.libvirt import guest
from nova_lite.virt.libvirt import host as hypervisor
from nova_lite.virt.libvirt import imagebackend
from nova_lite.virt.libvirt import imagecache
from nova_lite.virt.libvirt import power
from nova_lite.virt.libvirt import rescue
from nova_lite.virt.libvirt import resizing
from nova_lite.virt.libvirt import settings as driver_settings
from nova_lite.virt.libvirt import snapshots
from nova_lite.virt.libvirt import vif as vifs
from nova_lite.virt.libvirt import volumes
from nova_lite.virt.libvirt.domain import builder
from nova_lite.virt.libvirt.domain import consoles
from nova_lite.virt.libvirt.domain import properties
from nova_lite.virt.libvirt.domain import spec

LOG = log.getLogger(__name__)

XML_NAME, KERNEL_NAME, RAMDISK_NAME, CONFIG_DRIVE_NAME = 'libvirt.xml', 'kernel', 'ramdisk', 'disk.config'
TOOLS = (*images.PROGRAMS, 'cp')


class LibvirtDriver(driver.ComputeDriver):
    """The driver of one host. `image_api` is an image.glance.API, or what has its get and download."""

    def __init__(self, settings, image_api):
        self._settings = settings
        self._image_api = image_api
        self._connection = connection.Connection(settings.connection_uri)
        self._guests = guest.Guests(self._connection, settings.instances_path)
        self._filters = vifs.Filters(self._connection)
        self._events = events.Events(self._connection, self._has_directory)
        self._serial_ports = settings.serial_listen and consoleports.SerialPorts(
            settings.serial_listen, settings.serial_ports)
        self._host = hypervisor.Host(self._connection, settings)
        self._devices = devices.Devices(self._connection, self._events, settings.device_detach_attempts,
                                        settings.device_detach_timeout)

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
        self._snapshots = snapshots.Snapshots(self._connection, self._settings, self._access)
        self._volumes = volumes.VolumeOps(self._devices, host, self._settings.my_ip)
        for name in os.listdir(self._settings.instances_path):
            if uuidutils.is_uuid_like(name):
                self._snapshots.clean_up(name)
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
        names = {name.removesuffix(resizing.BEFORE).removesuffix(resizing.INCOMING)
                 for name in os.listdir(self._settings.instances_path)}
        return self._guests.ours(), sorted(filter(uuidutils.is_uuid_like, names))

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
            vifs.check(item)

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
        config_drive = (instance.config_drive or bool(request.injected_files)
                        or os.path.exists(self._settings.instance_path(instance.uuid, CONFIG_DRIVE_NAME)))
        disks = blockinfo.plan(request, wishes, self._settings, self._machine(wishes), config_drive)
        return spec.GuestSpec(
            name=self._guests.free_name(instance), instance=instance, image=image, properties=wishes,
            settings=self._settings, host=self._host.facts, disks=disks, vifs=request.network_info,
            created_at=datetime.datetime.now(datetime.timezone.utc),
            serial_port=self._serial_ports.choose() if self._serial_ports else None,
            kernel=self._boot_file(instance, KERNEL_NAME, _kernel_id(instance, image)),
            ramdisk=self._boot_file(instance, RAMDISK_NAME, _ramdisk_id(instance, image)))

    def _boot_file(self, instance, name, image_id):
        return self._settings.instance_path(instance.uuid, name) if image_id else None

    def _create_image(self, ctxt, request, wanted):
        """The guest's directory with all its disks."""
        directory = self._settings.instance_path(request.instance.uuid)
        self._access.make_directory(directory)
        for disk in (disk for disk in wanted.disks if disk.connection_info is None):
            if disk.kind == spec.CONFIG:
                self._create_config_drive(request, os.path.join(directory, disk.name))
            else:
                self._backend.create(ctxt, directory, disk, request.image)
        self._copy_boot_files(ctxt, wanted)
        imagebackend.write_info(directory, wanted.disks)

    def _copy_boot_files(self, ctxt, wanted):
        """The kernel and RAM disk of a GuestSpec, where they are not there yet."""
        for path, image_id in ((wanted.kernel, _kernel_id(wanted.instance, wanted.image)),
                               (wanted.ramdisk, _ramdisk_id(wanted.instance, wanted.image))):
            if path and not os.path.exists(path):
                self._backend.copy_boot_file(ctxt, image_id, path)

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
            vifs.check(item)
        self._filters.ensure(network_info)

    def unplug_vifs(self, instance, network_info):
        """Nothing to do: libvirt removes tap and rules with the guest, and the filters are everybody's."""

    def attach_interface(self, ctxt, instance, image, vif):
        self.plug_vifs(instance, [vif])
        model = properties.read(image, self._host.facts).vif_model
        self._devices.attach(instance.uuid, vifs.finder(vif), vifs.document(vif, model))

    def detach_interface(self, ctxt, instance, vif):
        try:
            self._devices.detach(instance.uuid, vifs.finder(vif))
        except exception.InstanceNotFound:
            pass        # without a guest nothing uses the interface

    # ---- a guest that was made before ------------------------------------------------------------------------

    def _specify_again(self, instance, network_info, block_devices):
        """The GuestSpec of a guest whose files are there: they are what they are, whatever is configured since."""
        directory = self._settings.instance_path(instance.uuid)
        machine = machine_of(os.path.join(directory, XML_NAME))
        image = instance.image_meta
        if machine in self._host.facts.machines:
            image = dataclasses.replace(image, properties={'hw_machine_type': machine} | image.properties)
        wanted = self._specify(driver.SpawnRequest(instance, image, network_info, block_devices))
        return dataclasses.replace(wanted, disks=[imagebackend.as_made(directory, disk) for disk in wanted.disks])

    def _remake(self, ctxt, wanted, start=True):
        """Restart a guest from its GuestSpec and its disks; what of them can be replaced is. A guest whose disks are
        not in order is not stopped."""
        instance, directory = wanted.instance, self._settings.instance_path(wanted.instance.uuid)
        for disk in wanted.disks:
            if disk.kind == spec.CONFIG and not os.path.exists(os.path.join(directory, disk.name)):
                self._create_config_drive(driver.SpawnRequest(instance, wanted.image, wanted.vifs, []),
                                          os.path.join(directory, disk.name))
            elif disk.kind not in (spec.CONFIG, spec.RESCUE) and disk.name:
                self._backend.complete(ctxt, directory, disk, instance.image_meta)
        self._copy_boot_files(ctxt, wanted)
        imagebackend.write_info(directory, wanted.disks)
        xml = self._get_guest_xml(wanted)
        self._guests.stop(instance.uuid)
        if start:
            self._create_domain_and_network(wanted, xml)
        else:
            self._guests.define(instance.uuid, xml)

    def power_off(self, instance, timeout=0, retry_interval=0):
        power.off(self._guests, instance.uuid, timeout, retry_interval)

    def power_on(self, ctxt, instance, network_info, block_devices):
        if self._guests.is_active(instance.uuid):
            self._guests.pause(instance.uuid, False)
        else:
            self._remake(ctxt, self._specify_again(instance, network_info, block_devices))

    def reboot(self, ctxt, instance, network_info, reboot_type, block_devices):
        wanted = self._specify_again(instance, network_info, block_devices)
        if reboot_type == abilities.SOFT:
            power.off(self._guests, instance.uuid, self._settings.soft_reboot_seconds, power.RETRY_SECONDS)
        self._remake(ctxt, wanted)

    def pause(self, instance):
        self._guests.pause(instance.uuid, True)

    def unpause(self, instance):
        self._guests.pause(instance.uuid, False)

    def suspend(self, ctxt, instance):
        self._guests.save(instance.uuid)

    def resume(self, ctxt, instance, network_info, block_devices):
        self.plug_vifs(instance, network_info)
        if not self._guests.restore(instance.uuid):
            self._remake(ctxt, self._specify_again(instance, network_info, block_devices))

    def rescue(self, ctxt, instance, network_info, image, rescue_password, block_devices):    # noqa: PLR0913 (as Nova)
        rescue.check(instance, image)
        wanted = self._specify_again(instance, network_info, block_devices)
        if not rescue.is_stable(image):
            wanted = dataclasses.replace(wanted, properties=properties.read(image, self._host.facts))
        wanted = dataclasses.replace(
            wanted, instance=dataclasses.replace(instance, kernel_id=None, ramdisk_id=None), image=image,
            disks=rescue.plan(wanted, image),
            kernel=self._boot_file(instance, KERNEL_NAME + rescue.SUFFIX, image.property('kernel_id')),
            ramdisk=self._boot_file(instance, RAMDISK_NAME + rescue.SUFFIX, image.property('ramdisk_id')))
        self._remove_rescue_files(instance)
        directory = self._settings.instance_path(instance.uuid)
        self._backend.create(ctxt, directory, wanted.boot_disk, image)
        if any(disk.name == rescue.CONFIG_NAME for disk in wanted.disks):
            self._create_config_drive(driver.SpawnRequest(instance, image, network_info, [], rescue_password),
                                      os.path.join(directory, rescue.CONFIG_NAME))
        self._remake(ctxt, wanted)

    def unrescue(self, ctxt, instance, network_info, block_devices):
        wanted = self._specify_again(instance, network_info, block_devices)
        self._remake(ctxt, wanted)
        self._remove_rescue_files(instance)

    def _remove_rescue_files(self, instance):
        for path in rescue.files(self._settings.instance_path(instance.uuid)):
            os.unlink(path)

    @contextlib.contextmanager
    def snapshot(self, ctxt, instance, block_devices, extract=None):
        wishes = properties.read(instance.image_meta, self._host.facts)
        with self._snapshots.take(instance, wishes.guest_agent, extract) as copy:
            yield copy

    def set_admin_password(self, instance, password):
        wishes = properties.read(instance.image_meta, self._host.facts)
        if not wishes.guest_agent:
            raise exception.GuestAgentNotEnabled()
        user = instance.image_meta.property('os_admin_user') or ('Administrator' if wishes.windows else 'root')
        agent.set_password(self._connection, instance, user, password)

    def trigger_crash_dump(self, instance):
        agent.interrupt(self._connection, instance)

    def get_diagnostics(self, instance):
        return diagnostics.by_name(diagnostics.read(self._connection, instance))

    def get_instance_diagnostics(self, instance):
        return diagnostics.by_kind(diagnostics.read(self._connection, instance), instance, self._settings.virt_type)

    # ---- another flavor, another host ------------------------------------------------------------------------

    def migrate_disk_and_power_off(self, ctxt, instance, dest_host_ip, flavor, network_info,   # noqa: PLR0913 (as Nova)
                                   block_devices, timeout=0, retry_interval=0):
        files = self._files(instance)
        files.begin()
        files.check_growth(instance, flavor, block_devices)
        power.off(self._guests, instance.uuid, timeout, retry_interval)
        self._guests.remove(instance.uuid)
        files.put_aside()
        if dest_host_ip in (None, self._settings.my_ip):
            files.copy_here()
        else:
            files.copy_to(dest_host_ip)
        return {'formats': files.formats()}

    def finish_migration(self, ctxt, migration, instance, disk_info, network_info, image,      # noqa: PLR0913 (as Nova)
                         resize_instance, block_devices, power_on=True):
        if self._guests.is_active(instance.uuid):
            return
        files = self._files(instance)
        files.take_in()
        imagebackend.write_formats(files.directory, disk_info['formats'])
        wanted = self._specify_again(instance, network_info, block_devices)
        if resize_instance:
            files.grow(wanted.disks)
        self._remake(ctxt, wanted, start=power_on)

    def finish_revert_migration(self, ctxt, instance, network_info, migration, block_devices, power_on=True):
        files = self._files(instance)
        if os.path.isdir(files.before):
            self._guests.remove(instance.uuid)
            files.bring_back()
        if not self._guests.is_active(instance.uuid):
            self._remake(ctxt, self._specify_again(instance, network_info, block_devices), start=power_on)

    def confirm_migration(self, ctxt, migration, instance, network_info):
        if migration.source_compute != migration.dest_compute:
            self._guests.remove(instance.uuid)
            self.unplug_vifs(instance, network_info)
        self._files(instance).forget_before()

    def _files(self, instance):
        return resizing.Files(self._settings.instance_path(instance.uuid), self._access)

    # ---- after a guest ---------------------------------------------------------------------------------------

    def destroy(self, ctxt, instance, network_info, block_devices, destroy_disks=True):
        self._guests.remove(instance.uuid)
        self.cleanup(ctxt, instance, network_info, block_devices, destroy_disks)

    def cleanup(self, ctxt, instance, network_info, block_devices, destroy_disks=True):
        """Remove what a guest that does not run left on the host; what is gone already is fine."""
        self.unplug_vifs(instance, network_info)
        if not destroy_disks or not uuidutils.is_uuid_like(instance.uuid):
            return
        for ending in ('', resizing.INCOMING, resizing.BEFORE):
            directory = self._settings.instance_path(instance.uuid) + ending
            if os.path.isdir(directory):
                LOG.info('Deleting instance files %s', directory, instance_uuid=instance.uuid)
                concurrency.run_native(shutil.rmtree, directory)

    # ---- volumes ---------------------------------------------------------------------------------------------

    def get_volume_connector(self, instance):
        return self._volumes.connector()

    def check_volume(self, connection_info):
        self._volumes.check(connection_info)

    def get_device_name_for_instance(self, instance, block_devices, bdm):
        wishes = properties.read(instance.image_meta, self._host.facts)
        return self._volumes.name(instance, block_devices, bdm, wishes)

    def attach_volume(self, ctxt, connection_info, instance, mountpoint, bdm):
        self._volumes.attach(connection_info, instance, mountpoint, self._volume_bus(instance, bdm))

    def detach_volume(self, ctxt, connection_info, instance, mountpoint):
        self._volumes.detach(instance, mountpoint)

    def swap_volume(self, ctxt, old_connection_info, new_connection_info, instance, mountpoint, bdm):    # noqa: PLR0913
        self._volumes.swap(new_connection_info, instance, mountpoint, self._volume_bus(instance, bdm))

    def extend_volume(self, ctxt, connection_info, instance, mountpoint, requested_size):
        self._volumes.extend(instance, mountpoint, requested_size)

    def _volume_bus(self, instance, bdm):
        return bdm and bdm.disk_bus or properties.read(instance.image_meta, self._host.facts).disk_bus

    # ---- what the host keeps ---------------------------------------------------------------------------------

    def get_console_output(self, ctxt, instance):
        path = self._settings.instance_path(instance.uuid, consoles.LOG_NAME)
        try:
            return consolelog.read(path)
        except FileNotFoundError as exc:
            raise exception.ConsoleLogNotFound(instance_id=instance.uuid) from exc

    def get_console(self, instance, kind):
        port = consoleports.port_of(self._guests.live_xml(instance.uuid), kind)
        if port is None:
            raise exception.ConsoleTypeUnavailable(console_type=console_obj.TYPES[kind])
        return self._settings.console_addresses[kind], port

    def update_images(self, ctxt, in_use):
        """Age the image cache; what the disks of this host lie on stays, whoever's they are."""
        if not self._settings.cache_ages:
            return
        needed = {imagecache.cache_name(image_id) for image_id in in_use}
        for name in os.listdir(self._settings.instances_path):
            if uuidutils.is_uuid_like(name.partition('_')[0]):
                needed |= imagebackend.backing_names(self._settings.instance_path(name))
        for name in self._cache.age(needed, self._settings.cache_minimum_age):
            LOG.info('Removed %s from the image cache: nobody used it any more', name)


def machine_of(path):
    """The machine type in a domain's XML in a file; None when there is no such file, or nothing in it."""
    try:
        kind = ElementTree.parse(path).find('os/type')
    except (OSError, ElementTree.ParseError):
        return None
    return kind.get('machine') if kind is not None else None


def _kernel_id(instance, image):
    return instance.kernel_id or image.property('kernel_id')


def _ramdisk_id(instance, image):
    return instance.ramdisk_id or image.property('ramdisk_id')


@contextlib.contextmanager
def _timed(step, instance):
    started = time.monotonic()
    yield
    LOG.info('%s took %.2f seconds', step, time.monotonic() - started, instance_uuid=instance.uuid)
