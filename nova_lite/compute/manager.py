# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-compute on one host: its RPC methods, periodic tasks and start.

The work itself is in `compute/tasks`: an RPC method checks for duplicates, and hands over to a green thread of its own.
"""

import contextlib
import time

import oslo_messaging
from oslo_log import log

from nova_lite import concurrency
from nova_lite import context
from nova_lite import exception
from nova_lite import rpc
from nova_lite.compute import resource_tracker
from nova_lite.compute import rpcapi
from nova_lite.compute import toolbox
from nova_lite.compute.tasks import build
from nova_lite.compute.tasks import console
from nova_lite.compute.tasks import delete
from nova_lite.compute.tasks import device_names
from nova_lite.compute.tasks import diagnostics
from nova_lite.compute.tasks import network_info
from nova_lite.compute.tasks import orphans
from nova_lite.compute.tasks import power
from nova_lite.compute.tasks import reconcile
from nova_lite.compute.tasks import task
from nova_lite.compute.tasks.operations import engine
from nova_lite.compute.tasks.operations import remaking
from nova_lite.objects import console as console_obj
from nova_lite.virt import abilities

LOG = log.getLogger(__name__)

BINARY = 'nova-compute'
DEBOUNCE = 2.0              # seconds from a lifecycle event to the look at the guest: a reboot is two events
SETTLE = 15.0               # seconds after an interrupted spawn: what the hypervisor was doing then has ended
CONFIRM_INTERVAL = 60       # seconds between looks for resizes that nobody confirmed
STOP_PATIENCE = 5.0         # seconds that builds under way get to end when the service is stopped
FIRST_PAUSE, LONGEST_PAUSE = 1, 10


class ComputeManager:
    """driver: a virt.driver.ComputeDriver; clients: a toolbox.Clients; conductor: a conductor_client.Conductor;
    notifier: a notifications.InstanceNotifier; settings: a settings.Settings."""

    target = oslo_messaging.Target(version=rpcapi.VERSION)
    topic = rpcapi.TOPIC

    def __init__(self, host, settings, driver, clients, conductor, notifier):
        self.host = host
        self.endpoints = [self]
        self._settings = settings
        self._driver = driver
        self._tracker = resource_tracker.ResourceTracker(host, driver, conductor, clients.placement, settings)
        self.tools = toolbox.Toolbox(
            host=host, settings=settings, driver=driver, network=clients.network, placement=clients.placement,
            volume=clients.volume, image=clients.image, conductor=conductor, notifier=notifier, tracker=self._tracker)
        limit = settings.max_concurrent_builds
        self._build_semaphore = concurrency.Semaphore(limit) if limit else contextlib.nullcontext()
        self._healer = network_info.Healer(self.tools)
        self._deletes = set()       # uuids that are being terminated
        self._events = set()        # uuids whose lifecycle event waits to be looked at

    # ---- RPC -----------------------------------------------------------------------------------------------------

    def build_and_run_instance(self, ctxt, build_request):
        """Build the instance of a BuildRequest; an order that is being carried out already is dropped."""
        uuid = build_request.instance.uuid
        if uuid in self.tools.builds:
            LOG.info('This build is under way already', instance_uuid=uuid)
            return
        order = self.tools.builds[uuid] = build.Build(self.tools, ctxt, build_request)
        concurrency.spawn(self._locked_do_build_and_run_instance, order)

    def _locked_do_build_and_run_instance(self, order):
        """Carry out a build, when its turn comes, under the lock of its instance."""
        try:
            with self._build_semaphore:
                order.run()
        finally:
            del self.tools.builds[order.uuid]
        if order.task.interrupted:
            concurrency.spawn_after(SETTLE, orphans.look_at, self.tools, order.uuid)

    def abort_build(self, ctxt, instance_uuid):
        """The deadline of a build is past: undo it, and let the conductor try another host."""
        order = self.tools.builds.get(instance_uuid)
        step = order.task.step if order is not None else 'before it was begun'
        reason = exception.OperationTimedOut(operation='The build', step=step)
        if order is not None:
            order.task.interrupt(reason)
        else:
            concurrency.spawn(reconcile.AbandonedBuild(self.tools, ctxt, instance_uuid, reason).run)

    def terminate_instance(self, ctxt, instance_uuid):
        """Remove an instance and all that it holds. A build of it under way notices, and is undone first."""
        order = self.tools.builds.get(instance_uuid)
        if order is not None:
            order.task.interrupt(task.TakenAway('the server is being deleted', deleting=True))
        for run in list(self.tools.operations.values()):
            if run.instance_uuid == instance_uuid:
                run.task.interrupt(task.TakenAway('the server is being deleted', deleting=True))
        if instance_uuid not in self._deletes:
            self._deletes.add(instance_uuid)
            concurrency.spawn(self._do_terminate_instance, ctxt, instance_uuid)

    def _do_terminate_instance(self, ctxt, instance_uuid):
        removal = delete.Delete(self.tools, ctxt, instance_uuid)
        try:
            removal.run()
        finally:
            self._deletes.discard(instance_uuid)
        if removal.task.instance is None:       # its record is gone: so should be the guest
            orphans.look_at(self.tools, instance_uuid)

    def run_operation(self, ctxt, instance_uuid, operation_uuid):
        """Carry an operation on; one that this host is at work on already is left alone."""
        engine.start(self.tools, ctxt, instance_uuid, operation_uuid)

    @rpc.expected_errors
    def finish_operation(self, ctxt, instance_uuid, operation_uuid):
        """As run_operation, and wait for the end. :returns: what comes of it :raises: what it failed with"""
        return engine.carry_out(self.tools, ctxt, instance_uuid, operation_uuid)

    def abort_operation(self, ctxt, instance_uuid, operation_uuid):
        """The deadline of an operation is past: undo it."""
        engine.abort(self.tools, ctxt, instance_uuid, operation_uuid)

    def force_live_migration(self, ctxt, instance_uuid):
        """Have a live migration that is under way end soon."""
        concurrency.spawn(self._force_live_migration, ctxt, instance_uuid)

    def _force_live_migration(self, ctxt, instance_uuid):
        try:
            self._driver.live_migration_force_complete(self.tools.conductor.instance_get(ctxt, instance_uuid))
        except exception.InstanceNotFound:
            LOG.info('There is no such guest any more', instance_uuid=instance_uuid)

    def abort_live_migration(self, ctxt, instance_uuid, operation_uuid, migration_id):
        """Undo a live migration, if the guest is here still."""
        run = self.tools.operations.get(operation_uuid)
        if run is not None:
            run.task.interrupt(exception.MigrationAborted(migration_id=migration_id))

    @rpc.expected_errors
    def list_guests(self, ctxt):
        """{'guests': [uuid…], 'directories': [uuid…] or None} that are on this host, whosever they are."""
        guests, directories = self._driver.list_traces()
        return {'guests': guests, 'directories': directories}

    def remove_stray_guest(self, ctxt, instance_uuid):
        """Remove the guest and the directory of a uuid, unless it is an instance of this host."""
        concurrency.spawn(orphans.look_at, self.tools, instance_uuid, orphans.REAP)

    @rpc.expected_errors
    def get_console_output(self, ctxt, instance, tail_length=None):
        """The console log as text. :raises ConsoleLogNotFound, InstanceNotReady:"""
        return console.get_console_output(self.tools, ctxt, instance, tail_length)

    @rpc.expected_errors
    def get_diagnostics(self, ctxt, instance, versioned):
        """The counters of a guest. :raises InstanceInvalidState, DiagnosticsNotSupported:"""
        return diagnostics.get_diagnostics(self.tools, instance, versioned)

    @rpc.expected_errors
    def get_vnc_console(self, ctxt, instance, console_type):
        """{'host', 'port', 'internal_access_path', 'access_url_base'} of a guest's screen by VNC.

        :raises ConsoleTypeInvalid, ConsoleTypeUnavailable, InstanceNotReady:
        """
        return console.get_console(self.tools, instance, console_obj.VNC, console_type)

    @rpc.expected_errors
    def reserve_block_device_name(self, ctxt, instance, block_devices, bdm):
        """A free name for a further volume of a guest."""
        return device_names.further(self._driver, instance, block_devices, bdm)

    @rpc.expected_errors
    def get_spice_console(self, ctxt, instance, console_type):
        """The same of a screen by SPICE."""
        return console.get_console(self.tools, instance, console_obj.SPICE, console_type)

    @rpc.expected_errors
    def get_serial_console(self, ctxt, instance, console_type):
        """The same of a serial line."""
        return console.get_console(self.tools, instance, console_obj.SERIAL, console_type)

    @rpc.expected_errors
    def validate_console_port(self, ctxt, instance, port, console_type):
        """Whether a port is that of a guest's console now."""
        return console.has_port(self.tools, instance, port, console_type)

    # ---- start and stop: hooks of service.Service ----------------------------------------------------------------

    def init_host(self):
        """Connect, finish or undo what an earlier life left, count and report; waits for whom that needs."""
        _until_done('the hypervisor', lambda: self._driver.init_host(self.host))
        if self._settings.handle_lifecycle_events:
            self._driver.register_event_listener(self._lifecycle_event)
        _until_done('nova-conductor', lambda: reconcile.reconcile(self.tools))
        _until_done('nova-conductor and Placement', self._update_available_resource)

    def post_start(self):
        """Nothing waits for the RPC server to run."""

    def stop(self):
        """Let builds under way end for a few seconds; the next start undoes what did not."""
        deadline = time.monotonic() + STOP_PATIENCE
        while self.tools.builds and time.monotonic() < deadline:
            concurrency.sleep(0.1)

    # ---- periodic tasks ------------------------------------------------------------------------------------------

    def report(self):
        """The heartbeat. One that is lost does no harm: the next is due soon."""
        try:
            self.tools.conductor.service_report(context.admin_context(), self.host, BINARY, self.topic)
        except exception.Unavailable as exc:
            LOG.warning('The heartbeat was not heard: %s', exc)

    def periodic_tasks(self):
        settings = self._settings
        return [
            ('update_available_resource', settings.update_resources_interval, self._update_available_resource),
            ('_sync_power_states', settings.sync_power_state_interval, self._sync_power_states),
            ('_cleanup_running_deleted_instances', settings.running_deleted_instance_poll_interval,
             self._cleanup_running_deleted_instances),
            ('_poll_shelved_instances', settings.shelved_poll_interval if settings.shelved_offload_time >= 0 else 0,
             self._poll_shelved_instances),
            ('_reclaim_queued_deletes', settings.reclaim_instance_interval, self._reclaim_queued_deletes),
            ('_heal_instance_info_cache', settings.heal_instance_info_cache_interval, self._heal_instance_info_cache),
            ('_poll_unconfirmed_resizes', CONFIRM_INTERVAL if settings.resize_confirm_window else 0,
             self._poll_unconfirmed_resizes),
            ('_run_image_cache_manager_pass', settings.image_cache_interval, self._run_image_cache_manager_pass),
        ]

    def _update_available_resource(self):
        self._tracker.update_available_resource(context.admin_context())

    def _instances(self):
        return self.tools.conductor.instance_get_all_by_host(context.admin_context(), self.host)

    def _sync_power_states(self):
        power.sync_all(self.tools, self._instances())

    def _cleanup_running_deleted_instances(self):
        orphans.find_and_reap(self.tools, [instance.uuid for instance in self._instances()])

    def _poll_shelved_instances(self):
        self.tools.conductor.offload_old_shelved(
            context.admin_context(), self.host, self._settings.shelved_offload_time)

    def _reclaim_queued_deletes(self):
        self.tools.conductor.reclaim_queued_deletes(
            context.admin_context(), self.host, self._settings.reclaim_instance_interval)

    def _heal_instance_info_cache(self):
        self._healer.heal_next(self._instances)

    def _poll_unconfirmed_resizes(self):
        self.tools.conductor.confirm_old_resizes(
            context.admin_context(), self.host, self._settings.resize_confirm_window)

    def _run_image_cache_manager_pass(self):
        if not isinstance(self._driver, abilities.ImageCache):
            return
        in_use = {image_id for instance in self._instances()
                  for image_id in (instance.image_ref, instance.kernel_id, instance.ramdisk_id,
                                   instance.system_metadata.get(remaking.RESCUE_IMAGE)) if image_id}
        in_use |= {order.request.image.id for order in self.tools.builds.values() if order.request.image.id}
        self._driver.update_images(context.admin_context(), in_use)

    # ---- the hypervisor's own events -----------------------------------------------------------------------------

    def _lifecycle_event(self, event):
        """Look at a guest soon after its power state changed; several events in the meantime are one look."""
        if event.uuid not in self._events:
            self._events.add(event.uuid)
            concurrency.spawn_after(DEBOUNCE, self._after_lifecycle_event, event.uuid)

    def _after_lifecycle_event(self, uuid):
        self._events.discard(uuid)
        power.sync(self.tools, uuid)


def _until_done(whom, function):
    """Call a function until it succeeds: whom it needs may start later than this service."""
    pause = FIRST_PAUSE
    while True:
        try:
            return function()
        except (exception.Unavailable, exception.HypervisorError, OSError) as exc:
            LOG.warning('Waiting for %s, trying again in %d seconds: %s', whom, pause, exc)
        concurrency.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
