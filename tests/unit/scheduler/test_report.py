# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The Placement client against a whole Placement (the stand-in's application), without a socket."""

import json
import uuid

import pytest
import webob

from nova_lite import exception
from nova_lite.scheduler.client import report
from nova_lite.standins import identity
from nova_lite.standins import store as stores
from nova_lite.standins.placement import app

NODE = str(uuid.uuid4())
OTHER = str(uuid.uuid4())
INVENTORY = {'VCPU': {'total': 4, 'reserved': 0, 'allocation_ratio': 2.0, 'min_unit': 1, 'max_unit': 4, 'step_size': 1},
             'MEMORY_MB': {'total': 1024, 'reserved': 0, 'allocation_ratio': 1.0, 'min_unit': 1, 'max_unit': 1024,
                           'step_size': 1}}
WANTED = {'VCPU': 1, 'MEMORY_MB': 512}


class Adapter:
    """What the client sees of keystoneauth: `request(url, method)` → status_code, json(), text."""

    def __init__(self, application):
        self.application = application
        self.requests = []

    def request(self, url, method, json=None, headers=None, **_):
        self.requests.append('%s %s' % (method, url.partition('?')[0]))
        request = webob.Request.blank(url, method=method, headers=dict(headers or {}, **{'X-Auth-Token': 'admin'}))
        if json is not None:
            request.json = json
            request.content_type = 'application/json'
        return Response(request.get_response(self.application))


class Response:

    def __init__(self, answer):
        self.status_code = answer.status_int
        self.text = answer.text

    def json(self):
        return json.loads(self.text)


@pytest.fixture
def adapter(tmp_path):
    store = stores.Store('sqlite:///%s' % (tmp_path / 'placement.sqlite'))
    caller = identity.Identity('u', 'u', 'default', project_id='p', roles=frozenset({'admin', 'service'}))
    yield Adapter(app.application(store, lambda token: caller))
    store.close()


@pytest.fixture
def client(adapter):
    made = report.ReportClient(adapter)
    made.update_provider(None, NODE, 'host1', INVENTORY, {'COMPUTE_NODE', 'CUSTOM_LAB'})
    return made


def claim(client, consumer, amounts=None, node=NODE):
    request = {'allocations': {node: {'resources': amounts or WANTED}}}
    return client.claim_resources(None, consumer, request, 'project', 'user')


def test_a_candidate_is_claimed_shown_and_freed(client):
    requests, used = client.get_allocation_candidates(WANTED, 10)
    assert list(requests) == [NODE] and used[NODE]['VCPU'] == 0
    consumer = str(uuid.uuid4())
    assert client.claim_resources(None, consumer, requests[NODE], 'project', 'user')
    assert client.get_allocations_for_provider(None, NODE) == {consumer: WANTED}
    assert client.get_allocation_candidates(WANTED, 10)[1][NODE] == {'VCPU': 1, 'MEMORY_MB': 512}
    client.delete_allocation_for_instance(None, consumer)
    client.delete_allocation_for_instance(None, consumer)
    assert client.get_allocations_for_provider(None, NODE) == {}


def test_a_full_host_refuses_and_is_no_candidate(client):
    assert claim(client, str(uuid.uuid4())) and claim(client, str(uuid.uuid4()))
    assert client.get_allocation_candidates(WANTED, 10) == ({}, {})
    assert not claim(client, str(uuid.uuid4()))


def test_a_claim_replaces_what_the_instance_held_elsewhere(client):
    client.update_provider(None, OTHER, 'host2', INVENTORY, set())
    consumer = str(uuid.uuid4())
    assert claim(client, consumer) and claim(client, consumer, node=OTHER)
    assert client.get_allocations_for_provider(None, NODE) == {}
    assert client.get_allocations_for_provider(None, OTHER) == {consumer: WANTED}


def test_an_unchanged_provider_is_only_read(client, adapter):
    adapter.requests.clear()
    client.update_provider(None, NODE, 'host1', INVENTORY, {'COMPUTE_NODE', 'CUSTOM_LAB'})
    assert [line.split()[0] for line in adapter.requests] == ['GET'] * 3


def test_a_host_that_comes_back_under_another_uuid_takes_its_name_over(client):
    client.update_provider(None, OTHER, 'host1', INVENTORY, set())
    assert list(client.get_allocation_candidates(WANTED, 10)[0]) == [OTHER]


def test_a_name_that_another_provider_holds_with_its_servers_is_refused(client):
    claim(client, str(uuid.uuid4()))
    with pytest.raises(exception.AllocationConflict):
        client.update_provider(None, OTHER, 'host1', INVENTORY, set())


def test_an_inventory_below_what_is_in_use_is_refused(client):
    claim(client, str(uuid.uuid4()))
    with pytest.raises(exception.AllocationConflict):
        client.update_provider(None, NODE, 'host1', {'VCPU': INVENTORY['VCPU']}, set())


def test_a_placement_that_fails_is_unreachable_not_full(client, adapter):
    adapter.application = webob.Response(status=500)
    with pytest.raises(exception.ServiceUnreachable):
        claim(client, str(uuid.uuid4()))
    adapter.application = webob.Response(status=503)
    with pytest.raises(exception.ServiceUnreachable):
        client.get_allocation_candidates(WANTED, 10)
