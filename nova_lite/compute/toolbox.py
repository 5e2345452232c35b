# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the operations of one host work with: its clients, its driver, its locks and who is at work."""

import dataclasses

from nova_lite import concurrency
from nova_lite.compute import conductor_client
from nova_lite.compute import notifications
from nova_lite.compute import resource_tracker
from nova_lite.compute import settings
from nova_lite.image import glance
from nova_lite.network import neutron
from nova_lite.scheduler.client import report
from nova_lite.virt import driver
from nova_lite.volume import cinder

DELETES_AT_ONCE = 16    # what they ask of other services and of the message queue stays bounded


@dataclasses.dataclass(frozen=True)
class Clients:
    """Of the services that a host asks."""

    network: neutron.API
    placement: report.ReportClient
    volume: cinder.API
    image: glance.API


@dataclasses.dataclass
class Toolbox:
    """builds: {instance uuid: tasks.build.Build} from the order's arrival to the end of the build; operations:
    {operation uuid: tasks.operations.engine.Run} likewise; delete_turns: held by each removal that is at work."""

    host: str
    settings: settings.Settings
    driver: driver.ComputeDriver
    network: neutron.API
    placement: report.ReportClient
    volume: cinder.API
    image: glance.API
    conductor: conductor_client.Conductor
    notifier: notifications.InstanceNotifier
    tracker: resource_tracker.ResourceTracker
    locks: concurrency.NamedLocks = dataclasses.field(default_factory=concurrency.NamedLocks)
    builds: dict = dataclasses.field(default_factory=dict)
    operations: dict = dataclasses.field(default_factory=dict)
    delete_turns: concurrency.Semaphore = dataclasses.field(
        default_factory=lambda: concurrency.Semaphore(DELETES_AT_ONCE))
