# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The operations on a built server, as the crash matrix runs them: how each is asked for, and from which state.

The steps come from the operations themselves, so a new step is covered without a new test.
"""

import collections.abc
import dataclasses
import threading
import types
from unittest import mock

from nova_lite.compute.tasks.operations import registry
from nova_lite.objects import operation as operation_obj
from tests.fixtures import cloud
from tests.fixtures import volumes


@dataclasses.dataclass(frozen=True)
class Row:
    """body: of the action; or request(admin, uuid): asks for it in another way. before: operations that bring an ACTIVE
    server into the state that this one starts from. end: the status of the server after it. crosses_hosts: the steps
    are not all done by the server's first host, so that a fault takes the first server that comes, of as many."""

    end: str
    body: dict | None = None
    before: tuple = ()
    request: collections.abc.Callable | None = None
    crosses_hosts: bool = False

    def ask(self, admin, uuid):
        if self.request is not None:
            return self.request(admin, uuid)
        return admin.request('POST', '/servers/%s/action' % uuid, json=self.body)


ACCEPTED = types.SimpleNamespace(status_code=202, text='')


def interfaces(admin, uuid):
    return admin.get('/servers/%s/os-interface' % uuid)['interfaceAttachments']


def image(admin, uuid):
    return admin.get('/servers/%s' % uuid)['server']['image']['id']


def aside(admin, *args, **kwargs):
    """Send a request that is answered when all is done, and let it be: what comes of it is looked at elsewhere."""
    threading.Thread(target=admin.request, args=args, kwargs=kwargs, daemon=True).start()
    return ACCEPTED


def _unshelve_where_it_was(admin, uuid):
    """The host that had the server has the fault points of its case."""
    actions = '/servers/%s/os-instance-actions' % uuid
    offload = next(item for item in admin.get(actions)['instanceActions'] if item['action'] == 'shelveOffload')
    [event] = admin.get('%s/%s' % (actions, offload['request_id']))['instanceAction']['events']
    return admin.request('POST', '/servers/%s/action' % uuid, json={'unshelve': {'host': event['host']}})


def attach_volume(admin, uuid):
    """One volume for each try, whichever of them the server has got by then."""
    return volumes.attach(admin, uuid, volumes.make(admin))


def detach_volume(admin, uuid):
    return volumes.detach(admin, uuid, volumes.attached(admin, uuid)[0]['volumeId'])


def swap_volume(admin, uuid):
    old = volumes.attached(admin, uuid)[0]['volumeId']
    return admin.request('PUT', '/servers/%s/os-volume_attachments/%s' % (uuid, old),
                         json={'volumeAttachment': {'volumeId': volumes.make(admin)}})


ROWS = {
    'attach_volume': Row('ACTIVE', request=attach_volume),
    'detach_volume': Row('ACTIVE', before=('attach_volume',), request=detach_volume),
    'swap_volume': Row('ACTIVE', before=('attach_volume',), request=swap_volume),
    'start': Row('ACTIVE', {'os-start': None}, ('stop',)),
    'stop': Row('SHUTOFF', {'os-stop': None}),
    'soft_reboot': Row('ACTIVE', {'reboot': {'type': 'SOFT'}}),
    'hard_reboot': Row('ACTIVE', {'reboot': {'type': 'HARD'}}),
    'pause': Row('PAUSED', {'pause': None}),
    'unpause': Row('ACTIVE', {'unpause': None}, ('pause',)),
    'suspend': Row('SUSPENDED', {'suspend': None}),
    'shelve': Row('SHELVED', {'shelve': None}),
    'shelve_offload': Row('SHELVED_OFFLOADED', {'shelveOffload': None}, ('shelve',)),
    'unshelve': Row('ACTIVE', {'unshelve': None}, ('shelve',)),
    'soft_delete': Row('SOFT_DELETED', request=lambda admin, uuid: admin.request('DELETE', '/servers/%s' % uuid)),
    'restore': Row('ACTIVE', {'restore': None}, ('soft_delete',)),
    'rescue': Row('RESCUE', {'rescue': None}),
    'unrescue': Row('ACTIVE', {'unrescue': None}, ('rescue',)),
    'rebuild': Row('ACTIVE', request=lambda admin, uuid: admin.request(
        'POST', '/servers/%s/action' % uuid, json={'rebuild': {'imageRef': image(admin, uuid)}})),
    'attach_interface': Row('ACTIVE', request=lambda admin, uuid: aside(
        admin, 'POST', '/servers/%s/os-interface' % uuid, json={'interfaceAttachment': {
            'net_id': interfaces(admin, uuid)[0]['net_id']}})),
    'detach_interface': Row('ACTIVE', request=lambda admin, uuid: admin.request(
        'DELETE', '/servers/%s/os-interface/%s' % (uuid, interfaces(admin, uuid)[0]['port_id']))),
    'unshelve_offloaded': Row('ACTIVE', request=_unshelve_where_it_was, before=('shelve', 'shelve_offload')),
    'create_image': Row('ACTIVE', {'createImage': {'name': 'copy'}}),
    'create_backup': Row('ACTIVE', {'createBackup': {'name': 'copy', 'backup_type': 'daily', 'rotation': 1}}),
    'resume': Row('ACTIVE', {'resume': None}, ('suspend',)),
    'trigger_crash_dump': Row('ACTIVE', {'trigger_crash_dump': None}),
    'set_admin_password': Row('ACTIVE', {'changePassword': {'adminPass': 'new'}}),
    'resize': Row('VERIFY_RESIZE', {'resize': {'flavorRef': '1'}}, crosses_hosts=True),
    'migrate': Row('VERIFY_RESIZE', {'migrate': None}, crosses_hosts=True),
    'confirm_resize': Row('ACTIVE', {'confirmResize': None}, ('resize',), crosses_hosts=True),
    'live_migrate': Row('ACTIVE', {'os-migrateLive': {'host': None, 'block_migration': 'auto'}}, crosses_hosts=True),
    'revert_resize': Row('ACTIVE', {'revertResize': None}, ('resize',), crosses_hosts=True),
}

ELSEWHERE = ('evacuate',)       # needs a host that is down: see test_moves.py


def step_names(name):
    """The names of an operation's steps, in order."""
    record = operation_obj.Operation(uuid='o', instance_uuid='i', name=name, request_id='r')
    made = registry.operation(name)(mock.MagicMock(), None, mock.MagicMock(), record)
    return [step.name for step in made.steps()]


@dataclasses.dataclass(frozen=True)
class Case:
    """One step of one operation."""

    name: str
    step: str

    def __str__(self):
        return '%s.%s' % (self.name, self.step)

    @property
    def point(self):
        return 'operation.%s.%s' % (self.name, self.step)


CASES = [Case(name, step) for name in ROWS for step in step_names(name)]


class Servers:
    """A server for each case, each on a host of its own, so that a fault meets no other."""

    def __init__(self, stack):
        self.stack = stack
        self.admin = stack.client()
        self.hosts = dict(zip(CASES, stack.host_names(), strict=False))
        self.uuids = {}

    def boot(self):
        volumes.without_limits(self.admin)
        image, network = self.stack.image_id(self.admin), self.stack.network_id(self.admin)
        for case in CASES:
            answer = self.admin.request('POST', '/servers', ok=202, json={'server': {
                'name': str(case).replace('_', '-'), 'imageRef': image, 'flavorRef': '42',
                'networks': [{'uuid': network}], 'availability_zone': 'nova:%s' % self.hosts[case]}})
            self.uuids[case] = answer.json()['server']['id']
        self.expect(dict.fromkeys(CASES, 'ACTIVE'))

    def prepare(self, cases=CASES):
        """Bring servers, which are ACTIVE, into the state that their operations start from."""
        for depth in range(max((len(ROWS[case.name].before) for case in cases), default=0)):
            wanted = {}
            for case in cases:
                before = ROWS[case.name].before
                if depth < len(before):
                    self.asked(case, ROWS[before[depth]])
                    wanted[case] = ROWS[before[depth]].end
            self.expect(wanted)

    def asked(self, case, row=None):
        answer = (row or ROWS[case.name]).ask(self.admin, self.uuids[case])
        assert answer.status_code in (200, 202, 204), '%s: %s' % (case, answer.text)

    def ask_again(self, cases):
        """Ask for the operations once more. What went on while a host was not heard of may have changed the state: a
        hard reboot brings such a server back to where everything began."""
        elsewhere = [case for case in cases if ROWS[case.name].ask(self.admin, self.uuids[case]).status_code == 409]
        for case in elsewhere:
            self.asked(case, ROWS['hard_reboot'])
        self.expect(dict.fromkeys(elsewhere, 'ACTIVE'))
        self.prepare(elsewhere)
        for case in elsewhere:
            self.asked(case)

    def status(self, case):
        """The status once nothing is under way; None before."""
        answer = self.admin.request('GET', '/servers/%s' % self.uuids[case])
        if answer.status_code == 404:
            return 'DELETED'
        server = answer.json()['server']
        if server['OS-EXT-STS:task_state'] or server['status'] == 'BUILD' or self.uuids[case] in self.busy():
            return None
        return server['status']

    def busy(self):
        """uuids of the servers that an operation is under way on."""
        return {row['instance_uuid'] for row in self.stack.rows('SELECT instance_uuid FROM operations')}

    def settle(self, cases, seconds=90):
        """{case: status} once nothing is under way on any of them."""
        found = {}

        def done():
            found.update({case: self.status(case) for case in cases if found.get(case) is None})
            return all(found[case] for case in cases)
        try:
            cloud.wait_for(done, seconds, poll=0.3)
        except AssertionError:
            raise AssertionError('stuck: %s' % ', '.join(str(case) for case in cases if not found[case])) from None
        return found

    def expect(self, wanted, seconds=90):
        """Wait until each case has the status that it should end with."""
        found = self.settle(list(wanted), seconds)
        wrong = ['%s is %s and not %s' % (case, found[case], status) for case, status in wanted.items()
                 if found[case] != status]
        assert not wrong, '; '.join(wrong)

    def delete(self):
        for uuid in self.uuids.values():
            self.admin.request('POST', '/servers/%s/action' % uuid, ok=(202, 404), json={'forceDelete': None})
        cloud.wait_for(lambda: all(self.status(case) == 'DELETED' for case in CASES), 60, poll=0.3)
        volumes.delete_all(self.admin)
