# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Builds one instance on this host: claim, networks, block devices, guest; or undoes it all and hands it back.

The order of things is `Build._do_build_and_run_instance`, `_build_and_run_instance` and `_steps`.
"""

import base64
import binascii
import time

from oslo_log import log

from nova_lite import concurrency
from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.compute import faults
from nova_lite.compute import notifications
from nova_lite.compute import power_state
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks import task
from nova_lite.objects import base
from nova_lite.virt import block_device
from nova_lite.virt import driver

LOG = log.getLogger(__name__)

# Events of the server's action `create`.
WHOLE, CLAIM, NETWORK = 'compute__do_build_and_run_instance', 'compute_instance_claim', 'compute_allocate_network'
BLOCK_DEVICES, SPAWN = 'compute_prep_block_device', 'compute_driver_spawn'
EVENTS = (WHOLE, CLAIM, NETWORK, BLOCK_DEVICES, SPAWN)

ROOT_INDEX = 0      # the boot_index of the root disk


class Build:
    """One build, from the order (a BuildRequest) to ACTIVE or back to the conductor."""

    def __init__(self, tools, ctxt, build_request):
        self.tools = tools
        self.ctxt = ctxt
        self.request = build_request
        self.uuid = build_request.instance.uuid
        self.task = task.InstanceTask(tools, ctxt, self.uuid, self._failed)
        self.group_pending = build_request.request_spec.instance_group is not None
        self._driver = tools.driver
        self._allocation = None                     # the green thread that makes the ports
        self._network_info = []
        self._injected_files = []
        self._root_device_name = None

    @property
    def instance(self):
        """The instance as the last transition left it."""
        return self.task.instance or self.request.instance

    @property
    def _host(self):
        return self.tools.host

    # ---- the build -----------------------------------------------------------------------------------------------

    def run(self):
        """The whole build, under the instance's lock; nothing is raised."""
        with self.task.hold():
            self._do_build_and_run_instance()

    def _do_build_and_run_instance(self):
        started = time.monotonic()
        self.task.check_interrupted()
        self.task.step = '_do_build_and_run_instance'
        LOG.info('Starting instance')
        node = self.request.node or self._driver.get_available_nodes()[0]
        self.task.transition('build_started', begin=(WHOLE, CLAIM), host=self._host, node=node)
        faultpoints.hit('compute.build_started', self._host)
        self._injected_files = self._decode_files()
        self._notify_about_instance_usage(notifications.START)
        try:
            self._build_and_run_instance(node)
        except task.TakenAway as exc:
            self._notify_about_instance_usage(notifications.ERROR, exc)
            raise
        LOG.info('Took %0.2f seconds to build instance.', time.monotonic() - started)
        self._notify_about_instance_usage(notifications.END)

    def _build_and_run_instance(self, node):
        """Everything between the claim on the node and its end: the claim is given back when any of it fails."""
        self.task.step = 'instance_claim'
        with self.tools.tracker.instance_claim(self.instance, node, self.request.limits):
            faultpoints.hit('compute.after_claim', self._host)
            self._validate_instance_group_policy()
            self.task.finish(CLAIM)
            steps.run(self.task, self._build_resources() + self._spawn())

    def _build_resources(self):
        """The steps that give the guest what it needs before it can be made."""
        return [
            steps.Step('_build_networks_for_instance', self._build_networks_for_instance, self._deallocate_network,
                       transition='networking', action=NETWORK, aside=True),
            steps.Step('prepare_for_spawn', self._prepare_for_spawn),
            steps.Step('_prep_block_device', self._prep_block_device, transition='block_device_mapping',
                       action=BLOCK_DEVICES, interruptible=True),
        ]

    def _spawn(self):
        """The steps that make the guest and tell everyone that it runs."""
        return [
            steps.Step('spawn', self._driver_spawn, self._driver_destroy, transition='spawning', action=SPAWN,
                       values=lambda: {'network_info': self._network_info}, interruptible=True),
            steps.Step('build_finished', self._finish),
        ]

    # ---- before the steps ----------------------------------------------------------------------------------------

    def _decode_files(self):
        """[(path, bytes)…] of the files to inject. :raises BuildAbort: one is no base64"""
        try:
            return [(path, base64.b64decode(contents, validate=True))
                    for path, contents in self.request.injected_files]
        except (binascii.Error, ValueError) as exc:
            raise exception.BuildAbort(instance_uuid=self.uuid, reason='an injected file is not base64') from exc

    def _validate_instance_group_policy(self):
        """Whether the server group's policy holds now that the claim has set the host: of members that were scheduled
        at the same time, each sees those that came here before it.

        :raises GroupAffinityViolation:
        """
        if not self.group_pending:
            return
        with self.tools.locks.hold(self.request.request_spec.instance_group.uuid):
            group = self.tools.conductor.instance_group_get_by_instance(self.ctxt, self.uuid)
            if group is not None and group.policy == 'anti-affinity':
                pending = {uuid for uuid, build in self.tools.builds.items() if build.group_pending}
                here = self.tools.tracker.instance_uuids() & set(group.members) - pending - {self.uuid}
                if len(here) >= int(group.rules.get('max_server_per_host', 1)):
                    raise exception.GroupAffinityViolation(policy=group.policy)
            elif group is not None and group.policy == 'affinity' and set(group.hosts) - {self._host}:
                raise exception.GroupAffinityViolation(policy=group.policy)
            self.group_pending = False

    # ---- networks ------------------------------------------------------------------------------------------------

    def _build_networks_for_instance(self):
        """Have the ports made aside, while devices are named and recorded."""
        faultpoints.hit('compute.before_network', self._host)
        self._allocation = concurrency.spawn(self._allocate_network)

    def _allocate_network(self):
        self.ctxt.update_store()
        started = time.monotonic()
        vifs = self.tools.network.allocate_for_instance(
            self.ctxt, self.instance, self.request.requested_networks, self.request.security_groups, self._host)
        faultpoints.hit('compute.after_port_create', self._host)
        LOG.info('Took %0.2f seconds to allocate network for instance.', time.monotonic() - started)
        return vifs

    def _wait_for_network(self):
        self._network_info = self._allocation.wait()
        self.task.finish(NETWORK)

    def _deallocate_network(self, exc):
        """Delete the ports that were made and unbind the user's, unless they serve another host by now."""
        if self._allocation is not None:
            try:
                self._allocation.wait()
            except (Exception, concurrency.Timeout):
                LOG.debug('The allocation of networks had failed')
        if self._elsewhere(exc):
            return
        started = time.monotonic()
        self.tools.network.deallocate_for_instance(
            self.ctxt, self.uuid, self._network_info, self.request.requested_networks)
        LOG.info('Took %0.2f seconds to deallocate network for instance.', time.monotonic() - started)

    def _elsewhere(self, exc):
        """Whether the instance was moved to another host, which then has (or frees) its ports."""
        if not isinstance(exc, task.TakenAway) or exc.deleting:
            return False
        try:
            return self.tools.conductor.instance_get(self.ctxt, self.uuid).host != self._host
        except exception.InstanceNotFound:
            return False

    # ---- block devices -------------------------------------------------------------------------------------------

    def _prepare_for_spawn(self):
        self._driver.prepare_for_spawn(self.instance)
        self._default_block_device_names()

    def _default_block_device_names(self):
        """Name the devices that the order leaves unnamed: the root disk, then the others."""
        devices = self.request.block_device_mapping
        root = next((bdm for bdm in devices if bdm.boot_index == ROOT_INDEX), None)
        name = root.device_name if root is not None else None
        name = name or self.instance.root_device_name or self._driver.default_root_device_name(
            self.instance, self.request.image, root)
        if root is not None:
            root.device_name = name
        self._driver.default_device_names_for_instance(self.instance, name, devices)
        self._root_device_name = name

    def _prep_block_device(self):
        """Have the block devices ready: volumes are attached to the host, disks of its own the driver makes with the
        guest. There is nothing to undo: who takes the order up again has the volumes reserved anew."""
        faultpoints.hit('compute.before_bdm', self._host)
        devices = self.request.block_device_mapping
        block_device.attach_block_devices(self.ctxt, self.instance, devices, self._volume_tools(devices))
        faultpoints.hit('compute.after_attach', self._host)
        self._wait_for_network()
        self._driver.prepare_networks_before_block_device_mapping(self.instance, self._network_info)
        if len(devices) > 1 or block_device.volumes(devices):   # of a lone disk, root_device_name says all
            self._save(devices)

    def _volume_tools(self, devices):
        settings = self.tools.settings
        return block_device.Tools(
            volume=self.tools.volume, driver=self._driver, save=lambda: self._save(devices),
            retries=settings.block_device_retries, interval=settings.block_device_interval)

    def _save(self, devices):
        self.tools.conductor.block_devices_save(self.ctxt, self.uuid, devices)

    # ---- the guest -----------------------------------------------------------------------------------------------

    def _driver_spawn(self):
        faultpoints.hit('compute.before_spawn', self._host)
        started = time.monotonic()
        self._driver.spawn(self.ctxt, driver.SpawnRequest(
            instance=self.instance, image=self.request.image, network_info=self._network_info,
            block_devices=self.request.block_device_mapping, admin_password=self.request.admin_password,
            injected_files=self._injected_files))
        LOG.info('Took %0.2f seconds to spawn the instance on the hypervisor.', time.monotonic() - started)
        faultpoints.hit('compute.after_spawn', self._host)

    def _driver_destroy(self, exc):
        """Remove the guest and its files, whatever of them there is."""
        started = time.monotonic()
        self._driver.destroy(self.ctxt, self.instance, self._network_info, self.request.block_device_mapping)
        LOG.info('Took %0.2f seconds to destroy the instance on the hypervisor.', time.monotonic() - started)

    def _get_power_state(self):
        try:
            return self._driver.get_info(self.instance).state
        except exception.InstanceNotFound:
            return power_state.NOSTATE

    def _finish(self):
        state = self._get_power_state()
        faultpoints.hit('compute.before_finish', self._host)
        self.task.final_transition('build_finished', power_state=state, launched_at=base.utcnow(),
                                   root_device_name=self._root_device_name, progress=0)

    # ---- the end -------------------------------------------------------------------------------------------------

    def _failed(self, exc):
        """The steps are undone: say so, and give the order back to the conductor."""
        fault, retry = faults.from_exception(exc, self._host, self.task.step), faults.may_reschedule(exc)
        LOG.info('Handing the build back: %s (%s)', fault.message,
                 'another host may do better' if retry else 'no host could do better')
        self._notify_about_instance_usage(notifications.ERROR, exc)
        self.task.report_failure(exc)
        self.tools.conductor.reschedule_instance(self.ctxt, self.request, self._host, fault, retry=retry)

    def _notify_about_instance_usage(self, phase, exc=None):
        self.tools.notifier.notify(self.ctxt, self.instance, notifications.CREATE, phase,
                                   block_devices=self.request.block_device_mapping, exc=exc)
