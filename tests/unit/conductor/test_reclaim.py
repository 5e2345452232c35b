# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Soft-deleted servers are deleted when their time is over, and not before."""

import datetime

from nova_lite.conductor.tasks import reclaim
from nova_lite.db import instances
from nova_lite.db import orders
from tests.fixtures import records


def soft_deleted(tools, ctxt, host, seconds):
    uuid = records.active(tools.db, ctxt, host).uuid
    since = orders.clock(tools.db) - datetime.timedelta(seconds=seconds)
    instances.transition(tools.db, uuid, 'soft_delete_requested')
    instances.transition(tools.db, uuid, 'soft_deleted', {'system_metadata': {'soft_deleted_at': since.isoformat()}})
    return uuid


def test_only_what_is_due_on_the_host(tools, ctxt):
    due, fresh = soft_deleted(tools, ctxt, 'host1', 100), soft_deleted(tools, ctxt, 'host1', 10)
    elsewhere, running = soft_deleted(tools, ctxt, 'host2', 100), records.active(tools.db, ctxt, 'host1').uuid
    restored = soft_deleted(tools, ctxt, 'host1', 100)
    instances.transition(tools.db, restored, 'restore_requested')
    reclaim.reclaim_queued_deletes(tools, 'host1', 60)
    assert tools.compute.casts == [('terminate', 'host1', due)]
    assert instances.get(tools.db, due).task_state == 'deleting'
    for uuid in (fresh, elsewhere, running):
        assert instances.get(tools.db, uuid).task_state is None
    assert instances.get(tools.db, restored).task_state == 'restoring'
    reclaim.reclaim_queued_deletes(tools, 'host1', 60)
    assert len(tools.compute.casts) == 1
