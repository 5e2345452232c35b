# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The volume service, Cinder v3: its parts put together, and its work that outlives a request."""

import os
import socket
import threading

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import actions
from nova_lite.standins.cinder import attachments
from nova_lite.standins.cinder import connections
from nova_lite.standins.cinder import exports
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import files
from nova_lite.standins.cinder import images
from nova_lite.standins.cinder import jobs
from nova_lite.standins.cinder import metadata
from nova_lite.standins.cinder import quotas
from nova_lite.standins.cinder import records as record_module
from nova_lite.standins.cinder import service
from nova_lite.standins.cinder import snapshots
from nova_lite.standins.cinder import transfers
from nova_lite.standins.cinder import types
from nova_lite.standins.cinder import uploads
from nova_lite.standins.cinder import versions
from nova_lite.standins.cinder import views
from nova_lite.standins.cinder import volumes
from nova_lite.standins.cinder import worker

PORTS = 500  # exports at the same time


class Cinder:
    """The volume service of one installation: `app` for its port; `start` and `stop` for the work behind it."""

    def __init__(self, conf, store, identity, run=None, session=None):
        """`identity` identifies callers and gives the service's own tokens; `run` runs what would hold up others.

        `session` is the requests.Session for calls to the image service.
        """
        options = conf.volume
        self._records = record_module.Records(store)
        self.files = files.Files(options.path or os.path.join(conf.state_path, 'volumes'), run or _call)
        self.jobs = jobs.Jobs()
        host = options.host or socket.gethostname()
        address = options.export_address if options.export == 'nbd' else None
        self.exports = exports.Exports(self._records, self.files, exports.Where(
            host, address, range(options.export_port, min(options.export_port + PORTS, 65536))))
        self._watch = exports.Watch(self.exports)
        library = images.Images(conf.real.image or _own_url(conf), lambda: identity.service_token('cinder'), session)
        self.app = rest.App('volume', self._routes(options, identity, library, host), identify=identity.identify,
                            render_fault=faults.render, before=versions.before, challenge=identity.challenge)

    def _routes(self, options, identity, library, host):
        records = self._records
        backend = service.Service(records, host)
        kinds = types.Types(records, options.default_volume_type)
        limits = quotas.Quotas(records, {
            'volumes': options.quota_volumes, 'snapshots': options.quota_snapshots,
            'gigabytes': options.quota_gigabytes, 'per_volume_gigabytes': options.per_volume_size_limit})
        self.worker = worker.Worker(records, self.files, library, exports=self.exports, jobs=self.jobs,
                                    service=backend)
        shown = views.Views(records, backend.place, backend.id)
        held = attachments.Attachments(records, self.exports, access.ServiceTokens(identity.identify))
        disks = volumes.Volumes(records, shown, self.worker, types=kinds, quotas=limits, images=library)
        parts = [
            disks, kinds, limits, held, metadata.Metadata(records, 'volume'), metadata.Metadata(records, 'snapshot'),
            snapshots.Snapshots(records, shown, self.worker, limits),
            actions.Actions(records, self.worker, types=kinds, quotas=limits, volumes=disks, others={
                **connections.Connections(records, self.exports, held).actions(),
                **uploads.Uploads(records, self.worker, library).actions()}),
            transfers.Transfers(records, kinds, limits), service.Discovery(records, backend, self.files)]
        return versions.documents() + [route for part in parts for route in versions.routes(part.routes())]

    def start(self):
        """Go on with the work that an earlier process has begun, and look after the exports; returns at once."""
        self.worker.recover()
        threading.Thread(target=self._watch.run, daemon=True).start()

    def stop(self):
        """Exports stay for the guests; work that is under way begins again at the next start."""
        self._watch.stop()


def _call(function, *args):
    return function(*args)


def _own_url(conf):
    """The image service of this process."""
    host = {'0.0.0.0': '127.0.0.1', '::': '::1'}.get(conf.listen, conf.listen)
    return 'http://%s:%d' % ('[%s]' % host if ':' in host else host, conf.ports.image)
