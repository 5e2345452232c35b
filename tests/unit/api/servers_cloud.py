# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The API of servers without sockets: the real application on an SQLite file, image and network services in memory.

Whatever would go out to conductor and compute is kept in `cast`.
"""

import contextlib
import io
import json
import re

import sqlalchemy as sa
from oslo_config import cfg

from nova_lite import context
from nova_lite import exception
from nova_lite.api import deploy
from nova_lite.api import enforcer
from nova_lite.api.openstack import frame
from nova_lite.api.openstack import links
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import routes
from nova_lite.compute import api as compute_api
from nova_lite.compute import api_clients
from nova_lite.conf import registry
from nova_lite.db import compute_nodes
from nova_lite.db import engine
from nova_lite.db import flavors
from nova_lite.db import instances
from nova_lite.db import models
from nova_lite.db import moves
from nova_lite.db import services
from nova_lite.image import glance
from nova_lite.network import neutron
from nova_lite.objects import base
from nova_lite.objects import flavor as flavor_obj
from nova_lite.objects import migration as migration_obj
from nova_lite.objects import service as service_obj
from tests.unit.compute_api import doubles

NOT_COUNTED = re.compile('(PRAGMA|BEGIN|COMMIT)', re.IGNORECASE)


class Answer:
    def __init__(self, status, headers, content):
        self.status = int(status[:3])
        self.headers = dict(headers)
        self.body = json.loads(content) if content else None

    @property
    def message(self):
        [fault] = self.body.values()
        assert fault['code'] == self.status
        return fault['message']


class Conductor:
    """conductor.api.ComputeTaskAPI: what is handed over has to survive the serializer."""

    def __init__(self, cast):
        self._cast = cast

    def build_instances(self, ctxt, build_requests):
        self._cast.append(('build_instances', base.from_primitive(base.to_primitive(build_requests))))

    def delete_instance(self, ctxt, instance_uuid):
        self._cast.append(('delete_instance', instance_uuid))

    def run_operation(self, ctxt, instance_uuid, operation_uuid):
        self._cast.append(('run_operation', None, instance_uuid, operation_uuid))


class Compute:
    """compute.rpcapi.ComputeAPI; `console` is what guests have printed; `away` the message queue's state."""

    def __init__(self, cast):
        self._cast = cast
        self.console = ''
        self.moves = []     # what was asked about live migrations
        self.away = False
        self.finish = None      # function (instance uuid, operation uuid) that stands for the host's work

    def terminate_instance(self, ctxt, host, instance_uuid):
        if self.away:
            raise exception.MessagingUnavailable()
        self._cast.append(('terminate_instance', host, instance_uuid))

    def run_operation(self, ctxt, host, instance_uuid, operation_uuid):
        if self.away:
            raise exception.MessagingUnavailable()
        self._cast.append(('run_operation', host, instance_uuid, operation_uuid))

    def finish_operation(self, ctxt, host, instance_uuid, operation_uuid):
        self._cast.append(('finish_operation', host, instance_uuid, operation_uuid))
        return self.finish(instance_uuid, operation_uuid)

    def reserve_block_device_name(self, ctxt, host, instance, block_devices, bdm):
        return bdm.device_name or '/dev/vd%s' % 'abcdefghij'[len(block_devices)]

    def abort_live_migration(self, ctxt, host, instance_uuid, operation_uuid, migration_id):
        self.moves.append(('abort', host, instance_uuid, operation_uuid, migration_id))

    def force_live_migration(self, ctxt, host, instance_uuid):
        self.moves.append(('force', host, instance_uuid))

    def get_console_output(self, ctxt, host, instance):
        return self.console

    def get_diagnostics(self, ctxt, host, instance, versioned):
        return {'host': host, 'versioned': versioned}


class Cloud:
    def __init__(self, directory, volume=None, **options):
        self.conf = cfg.ConfigOpts()
        registry.register_all(self.conf)
        self.conf([], project='nova', default_config_files=[], default_config_dirs=[])
        for name, value in options.items():
            group, _, option = name.rpartition('__')
            self.conf.set_override(option, value, group or None)
        self.db = engine.Database('sqlite:///%s/nova.sqlite' % directory)
        models.metadata.create_all(self.db.engine)
        self.statements = []
        sa.event.listen(self.db.engine, 'before_cursor_execute', self._note)
        self.roles = ['reader', 'member']
        self.cast, self.glance, self.neutron = [], doubles.Glance(), doubles.Neutron()
        self.compute = Compute(self.cast)
        rules = self.rules = enforcer.Enforcer(self.conf)
        self.api = compute_api.API(
            self.conf, self.db, rules, api_clients.Clients(
                image=glance.API(self.glance), network=neutron.API(self.neutron), volume=volume),
            conductor=Conductor(self.cast), compute=self.compute)
        app = deploy.build_application(routes.TABLE, deploy.Services(
            conf=self.conf, db=self.db, enforcer=rules, compute_api=self.api,
            network=neutron.API(self.neutron)))
        self._app = frame.FaultWrapper(app)
        self.flavor('1')
        self.image = self.glance.add(hw_disk_bus='virtio')
        self.network = self.neutron.add_network('p1')

    def _note(self, connection, cursor, statement, *rest):
        if not NOT_COUNTED.match(statement):
            self.statements.append(statement)

    @contextlib.contextmanager
    def counted(self):
        """{'sql': n, 'http': n} of what is done inside, filled in at its end."""
        before, told = (len(self.statements), self.glance.count() + self.neutron.count()), {}
        yield told
        told.update(sql=len(self.statements) - before[0], http=self.glance.count() + self.neutron.count() - before[1])

    # ---- what there is -------------------------------------------------------------------------------------------

    def flavor(self, flavorid, **fields):
        values = {'name': 'flavor-%s' % flavorid, 'memory_mb': 512, 'vcpus': 1, 'root_gb': 1, **fields}
        return flavors.create(self.db, flavor_obj.Flavor(flavorid=flavorid, **values))

    def host(self, name='host1'):
        services.report(self.db, name, 'nova-compute', 'compute')

    def node(self, host, name):
        compute_nodes.save(self.db, service_obj.ComputeNode(
            uuid=doubles.new_id(), host=host, hypervisor_hostname=name, vcpus=8, memory_mb=1000, local_gb=100))

    def run(self, uuid, host='host1', **values):
        """Let a server become active on a host."""
        with self.db.engine.begin() as connection:
            connection.execute(sa.update(models.instances).where(models.instances.c.uuid == uuid).values(
                {'vm_state': 'active', 'task_state': None, 'host': host, 'node': host, 'power_state': 1, **values}))

    def resized(self, uuid, **fields):
        """Record the migration of a server that was resized. :returns: it"""
        instance = instances.get(self.db, uuid)
        values = {'source_compute': 'host1', 'source_node': 'host1', 'dest_compute': 'host1', 'dest_node': 'host1',
                  'migration_type': 'resize', 'status': 'finished', 'old_vm_state': 'active', 'user_id': 'u-p1',
                  'project_id': 'p1', **fields}
        return moves.ensure(self.db, migration_obj.Migration(
            uuid=doubles.new_id(), instance_uuid=uuid, old_flavor=instance.flavor, new_flavor=instance.flavor,
            **values))

    # ---- requests ------------------------------------------------------------------------------------------------

    def ask(self, method, path, body=None, *, project='p1', version='2.1', admin=False, legacy=False, raw=None):
        path, _, query = path.partition('?')
        content = raw if raw is not None else json.dumps(body).encode() if body is not None else b''
        roles = self.roles + (['admin'] if admin else [])
        environ = {
            'REQUEST_METHOD': method, 'SCRIPT_NAME': '/v2' if legacy else '/v2.1', 'PATH_INFO': path,
            'QUERY_STRING': query, 'CONTENT_TYPE': 'application/json', 'CONTENT_LENGTH': str(len(content)),
            'wsgi.input': io.BytesIO(content), 'wsgi.url_scheme': 'http', 'HTTP_HOST': 'cloud:8774',
            links.VERSION_PATH: '/v2' if legacy else '/v2.1', wsgi.LEGACY: legacy,
            'HTTP_OPENSTACK_API_VERSION': 'compute %s' % version,
            wsgi.CONTEXT: context.RequestContext(
                user_id='u-%s' % project, project_id=project, roles=roles, is_admin=admin, overwrite=False,
                auth_token=None if admin else 'token-%s' % project)}
        told = []
        content = b''.join(self._app(environ, lambda status, headers: told.extend((status, headers))))
        return Answer(*told, content)

    def order(self, hints=None, **fields):
        """The body of a create request; a field of None is left out."""
        server = {'name': 'web', 'imageRef': self.image, 'flavorRef': '1', 'networks': [{'uuid': self.network}],
                  **fields}
        body = {'server': {key.replace('__', ':'): value for key, value in server.items() if value is not None}}
        return body if hints is None else {**body, 'os:scheduler_hints': hints}

    def create(self, version='2.1', project='p1', admin=False, hints=None, **fields):
        return self.ask('POST', '/servers', self.order(hints, **fields), version=version, project=project, admin=admin)

    def make(self, version='2.1', project='p1', admin=False, hints=None, **fields):
        """The id of a server that was accepted."""
        answer = self.create(version, project, admin, hints, **fields)
        assert answer.status == 202, answer.body
        return answer.body['server']['id']

    def last_order_of(self, uuid):
        """The BuildRequest of a server, which was the last that was made."""
        order = self.last_order()
        assert order.instance.uuid == uuid
        return order

    def last_order(self):
        """The first BuildRequest of the last cast."""
        name, build_requests = self.cast[-1]
        assert name == 'build_instances'
        return build_requests[0]

    def count_servers(self):
        return len(instances.list_(self.db, {}))
