# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the operations of a conductor work with: its database, the clients of those it talks to, and its deadlines."""

import dataclasses
import datetime
import logging
import uuid

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import rpcapi as compute_rpcapi
from nova_lite.db import engine
from nova_lite.network import neutron
from nova_lite.objects import action as action_obj
from nova_lite.scheduler import rpcapi as scheduler_rpcapi
from nova_lite.scheduler.client import report
from nova_lite.volume import cinder

LOG = logging.getLogger(__name__)

AT_ONCE = 64            # operations under way in one process
WAITING = 10000         # that wait for their turn; the RPC thread, which has others to serve, does not wait with them
RETRIES = 60            # of an operation that could not reach the database
RETRY_PAUSE = 5         # seconds between those


@dataclasses.dataclass(frozen=True)
class Deadlines:
    """In seconds; what each of them means is said in conf/conductor.py. build 0: none."""

    resend: int
    take_over: int
    build: int


class Pool:
    """Runs operations off the RPC thread. None of them can end the process; what one left undone the sweep finds.

    An operation has to bear being repeated: that is done while the database does not answer.
    """

    def __init__(self):
        self._pool = concurrency.GreenPool(WAITING)
        self._turns = concurrency.Semaphore(AT_ONCE)

    def spawn(self, function, tools, ctxt, *args):
        """Run `function(tools, ctxt, *args)`, with `ctxt` in the log lines."""
        self._pool.spawn_n(self._guarded, function, tools, ctxt, *args)

    def _guarded(self, function, tools, ctxt, *args):
        ctxt.update_store()
        for _ in range(RETRIES):
            try:
                with self._turns:
                    function(tools, ctxt, *args)
                return
            except exception.Unavailable as exc:
                LOG.warning('%s will be tried again: %s', function.__name__, exc)
            except (Exception, concurrency.Timeout):
                LOG.exception('%s failed and is left to the sweep', function.__name__)
                return
            concurrency.sleep(RETRY_PAUSE)
        LOG.error('%s is left to the sweep', function.__name__)

    def running(self):
        return self._pool.running()


@dataclasses.dataclass
class Toolbox:
    """`run_id`: of this run of the conductor on `host`; every claim on an order begins with it. `first_sweep`: when."""

    host: str
    db: engine.Database
    scheduler: scheduler_rpcapi.SchedulerAPI
    compute: compute_rpcapi.ComputeAPI
    placement: report.ReportClient
    network: neutron.API
    volume: cinder.API
    deadlines: Deadlines
    max_attempts: int
    pool: Pool = dataclasses.field(default_factory=Pool)
    run_id: str = ''
    first_sweep: datetime.datetime | None = None

    def __post_init__(self):
        self.run_id = self.run_id or '%s:%s' % (self.host, uuid.uuid4().hex)

    def new_claim(self):
        """A claim on an order, different for each taking."""
        return '%s:%s' % (self.run_id, uuid.uuid4().hex)

    def step(self, ctxt, **fields):
        """A StepReport of this conductor for the request of a context."""
        return action_obj.StepReport(host=self.host, request_id=ctxt.request_id, **fields)
