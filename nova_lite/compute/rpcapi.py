# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What other processes ask of nova-compute on one host. Interface version 1.0, topic `compute`."""

from nova_lite import rpc

TOPIC = 'compute'
VERSION = '1.0'


class ComputeAPI:

    def __init__(self, transport):
        self._client = transport.client(TOPIC, VERSION)

    @rpc.translates_errors
    def build_and_run_instance(self, ctxt, host, build_request):
        """cast: build the instance of a BuildRequest on `host`."""
        self._client.prepare(server=host).cast(ctxt, 'build_and_run_instance', build_request=build_request)

    @rpc.translates_errors
    def terminate_instance(self, ctxt, host, instance_uuid):
        """cast: remove an instance (task_state is `deleting` already) and all that it holds."""
        self._client.prepare(server=host, retry=1).cast(ctxt, 'terminate_instance', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def abort_build(self, ctxt, host, instance_uuid):
        """cast: the deadline of a build is past; undo it on `host` and let the conductor try another."""
        self._client.prepare(server=host).cast(ctxt, 'abort_build', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def run_operation(self, ctxt, host, instance_uuid, operation_uuid):
        """cast: carry on an operation (objects.operation.Operation) from where its record says that it is."""
        self._client.prepare(server=host, retry=1).cast(ctxt, 'run_operation', instance_uuid=instance_uuid,
                                                        operation_uuid=operation_uuid)

    @rpc.translates_errors
    def finish_operation(self, ctxt, host, instance_uuid, operation_uuid):
        """call: as run_operation → what comes of it. :raises: what it failed with"""
        return self._client.prepare(server=host, timeout=rpc.NORMAL).call(
            ctxt, 'finish_operation', instance_uuid=instance_uuid, operation_uuid=operation_uuid)

    @rpc.translates_errors
    def reserve_block_device_name(self, ctxt, host, instance, block_devices, bdm):
        """call → the name (`/dev/vdb`) of a further volume, a BlockDeviceMapping. block_devices: what there is.

        :raises Invalid: the host has no room for it, or no volumes at all
        """
        return self._client.prepare(server=host, timeout=rpc.QUICK).call(
            ctxt, 'reserve_block_device_name', instance=instance, block_devices=block_devices, bdm=bdm)

    @rpc.translates_errors
    def abort_operation(self, ctxt, host, instance_uuid, operation_uuid):
        """cast: the deadline of an operation is past, or it is not wanted any more; undo it."""
        self._client.prepare(server=host).cast(ctxt, 'abort_operation', instance_uuid=instance_uuid,
                                               operation_uuid=operation_uuid)

    @rpc.translates_errors
    def get_diagnostics(self, ctxt, host, instance, versioned):
        """call → the counters of a guest; versioned: in the form of the API since microversion 2.48.

        :raises InstanceInvalidState, DiagnosticsNotSupported:
        """
        return self._client.prepare(server=host, timeout=rpc.NORMAL).call(
            ctxt, 'get_diagnostics', instance=instance, versioned=versioned)

    @rpc.translates_errors
    def force_live_migration(self, ctxt, host, instance_uuid):
        """cast: have the live migration of an instance end soon, whatever that does to the guest."""
        self._client.prepare(server=host).cast(ctxt, 'force_live_migration', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def abort_live_migration(self, ctxt, host, instance_uuid, operation_uuid, migration_id):
        """cast: have the live migration of an instance undone, if it has not left yet."""
        self._client.prepare(server=host).cast(ctxt, 'abort_live_migration', instance_uuid=instance_uuid,
                                               operation_uuid=operation_uuid, migration_id=migration_id)

    @rpc.translates_errors
    def list_guests(self, ctxt, host):
        """call → {'guests': [uuid…], 'directories': [uuid…] or None} that are on `host`, whosever they are."""
        return self._client.prepare(server=host, timeout=rpc.NORMAL).call(ctxt, 'list_guests')

    @rpc.translates_errors
    def remove_stray_guest(self, ctxt, host, instance_uuid):
        """cast: remove the guest and the directory of a uuid, unless it is an instance of `host`."""
        self._client.prepare(server=host).cast(ctxt, 'remove_stray_guest', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def get_console_output(self, ctxt, host, instance, tail_length=None):
        """call → the console log as text, newest last; `tail_length`: only that many last lines.

        :raises ConsoleLogNotFound, InstanceNotReady:
        """
        return self._client.prepare(server=host, timeout=rpc.NORMAL).call(
            ctxt, 'get_console_output', instance=instance, tail_length=tail_length)

    @rpc.translates_errors
    def get_vnc_console(self, ctxt, host, instance, console_type):
        """call → {'host', 'port', 'internal_access_path', 'access_url_base'} of a guest's screen by VNC.

        :raises ConsoleTypeInvalid, ConsoleTypeUnavailable, InstanceNotReady:
        """
        return self._get_console('get_vnc_console', ctxt, host, instance, console_type)

    @rpc.translates_errors
    def get_spice_console(self, ctxt, host, instance, console_type):
        """call: the same of a screen by SPICE."""
        return self._get_console('get_spice_console', ctxt, host, instance, console_type)

    @rpc.translates_errors
    def get_serial_console(self, ctxt, host, instance, console_type):
        """call: the same of a serial line."""
        return self._get_console('get_serial_console', ctxt, host, instance, console_type)

    def _get_console(self, method, ctxt, host, instance, console_type):
        return self._client.prepare(server=host, timeout=rpc.NORMAL).call(
            ctxt, method, instance=instance, console_type=console_type)

    @rpc.translates_errors
    def validate_console_port(self, ctxt, host, instance, port, console_type):
        """call → whether a port is that of a guest's console now."""
        return self._client.prepare(server=host, timeout=rpc.NORMAL).call(
            ctxt, 'validate_console_port', instance=instance, port=port, console_type=console_type)
