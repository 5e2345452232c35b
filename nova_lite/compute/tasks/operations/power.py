# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations on a guest as it stands: start, stop, reboot, pause, suspend and their opposites.

Each is one step of the driver, which may be repeated; what a failed one left of the guest's state is compared and
recorded afterwards, so there is nothing to undo.
"""

from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import operation
from nova_lite.virt import abilities


class _OneStep(operation.ServerOperation):
    step = None

    def steps(self):
        return [steps.Step(self.step, self.do)]

    def do(self):
        raise NotImplementedError

    def network_info(self):
        return self.instance.network_info


class Start(_OneStep):
    event, notification, finished, step = 'compute_start_instance', 'power_on', 'started', 'power_on'

    def do(self):
        self.ability(abilities.Power, 'start').power_on(
            self.ctxt, self.instance, self.network_info(), self.block_devices)


class Stop(_OneStep):
    event, notification, finished, step = 'compute_stop_instance', 'power_off', 'stopped', 'power_off'

    def do(self):
        settings = self.tools.settings
        self.ability(abilities.Power, 'stop').power_off(
            self.instance, settings.shutdown_timeout, settings.shutdown_retry_interval)


class _Reboot(_OneStep):
    event, notification, finished, step = 'compute_reboot_instance', 'reboot', 'rebooted', 'reboot'
    kind = None

    def do(self):
        self.ability(abilities.Power, 'reboot').reboot(
            self.ctxt, self.instance, self.network_info(), self.kind, self.block_devices)


class SoftReboot(_Reboot):
    kind = 'SOFT'


class HardReboot(_Reboot):
    kind = 'HARD'


class Pause(_OneStep):
    event, notification, finished, step = 'compute_pause_instance', 'pause', 'paused', 'pause'

    def do(self):
        self.ability(abilities.Pause, 'pause').pause(self.instance)


class Unpause(_OneStep):
    event, notification, finished, step = 'compute_unpause_instance', 'unpause', 'unpaused', 'unpause'

    def do(self):
        self.ability(abilities.Pause, 'unpause').unpause(self.instance)


class Suspend(_OneStep):
    event, notification, finished, step = 'compute_suspend_instance', 'suspend', 'suspended', 'suspend'

    def do(self):
        self.ability(abilities.Suspend, 'suspend').suspend(self.ctxt, self.instance)


class Resume(_OneStep):
    event, notification, finished, step = 'compute_resume_instance', 'resume', 'resumed', 'resume'

    def do(self):
        self.ability(abilities.Suspend, 'resume').resume(
            self.ctxt, self.instance, self.network_info(), self.block_devices)
