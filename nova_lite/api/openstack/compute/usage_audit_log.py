# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the usage audits of a period have done. No nova-compute runs them, as without `instance_usage_audit`."""

import datetime

from nova_lite.api.openstack import faults
from nova_lite.db import services as services_db


class Controller:
    def __init__(self, services):
        self._db = services.db

    def index(self, req):
        return {'instance_usage_audit_logs': self._log(datetime.datetime.now(datetime.timezone.utc))}

    def show(self, req, id):
        try:
            before = datetime.datetime.fromisoformat(id)
        except ValueError:
            raise faults.HTTPError(400, 'Invalid timestamp for date %s' % id[:64]) from None
        return {'instance_usage_audit_log': self._log(before)}

    def _log(self, before):
        """The last whole month before a time."""
        end = before.replace(day=1, hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        if end.year == datetime.MINYEAR and end.month == 1:
            raise faults.HTTPError(400, 'There is no month before that date.')
        begin = (end - datetime.timedelta(days=1)).replace(day=1)
        hosts = [service.host for service in services_db.list_(self._db, binary='nova-compute')]
        return {'period_beginning': str(begin), 'period_ending': str(end), 'num_hosts': len(hosts),
                'num_hosts_done': 0, 'num_hosts_running': 0, 'num_hosts_not_run': len(hosts), 'hosts_not_run': hosts,
                'total_instances': 0, 'total_errors': 0, 'log': {},
                'overall_status': '0 of %d hosts done. 0 errors.' % len(hosts)}
