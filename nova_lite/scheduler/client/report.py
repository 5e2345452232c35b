# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The Placement client: candidates and claims for the scheduler, providers and inventories for nova-compute.

Placement API reference: https://docs.openstack.org/api-ref/placement/
"""

import logging
import urllib.parse

from nova_lite import exception
from nova_lite import http

LOG = logging.getLogger(__name__)

VERSION = '1.36'            # allocations with consumer generations, provider summaries with all resources
CONFLICT_TRIES = 4          # somebody else changed the same provider or consumer: read again and repeat
_CONCURRENT_UPDATE = 'placement.concurrent_update'


class ReportClient:
    """`adapter` is a keystoneauth Adapter for the placement endpoint.

    Every method raises ServiceUnreachable when Placement does not answer or answers what it never should.
    """

    def __init__(self, adapter):
        self._adapter = adapter

    def _request(self, method, url, ok, **kwargs):
        response = http.request(self._adapter, method, url, 'placement',
                                headers={'OpenStack-API-Version': 'placement %s' % VERSION}, **kwargs)
        if response.status_code not in ok:
            LOG.error('Placement answered %d to %s %s: %s', response.status_code, method, url, response.text[:500])
            raise exception.ServiceUnreachable(service='placement', reason='HTTP %d' % response.status_code)
        return response

    # ---- for the scheduler -------------------------------------------------------------------------------------

    def get_allocation_candidates(self, resources, limit, in_tree=None):
        """The providers with room for `resources` ({class: amount}).

        :returns: ({provider uuid: allocation request}, {provider uuid: {class: amount in use now}})
        """
        query = {'resources': ','.join('%s:%d' % item for item in sorted(resources.items())), 'limit': limit}
        if in_tree:
            query['in_tree'] = in_tree
        body = self._request('GET', '/allocation_candidates?%s' % urllib.parse.urlencode(query), (200,)).json()
        requests = {next(iter(request['allocations'])): request for request in body['allocation_requests']}
        used = {uuid: {name: figures['used'] for name, figures in summary['resources'].items()}
                for uuid, summary in body['provider_summaries'].items()}
        return requests, used

    def claim_resources(self, ctxt, consumer_uuid, allocation_request, project_id, user_id, version=VERSION):
        """Make `allocation_request` the whole allocation of a consumer.

        :returns: False when the provider has no room for it any more.
        """
        body = dict(allocation_request, project_id=project_id, user_id=user_id, consumer_generation=None)
        body.pop('mappings', None)
        for _ in range(CONFLICT_TRIES):
            response = self._request('PUT', '/allocations/%s' % consumer_uuid, (204, 409), json=body)
            if response.status_code == 204:
                return True
            if not _is_concurrent(response):
                return False
            current = self._request('GET', '/allocations/%s' % consumer_uuid, (200,)).json()
            body['consumer_generation'] = current.get('consumer_generation')
        return False

    def move_allocations(self, ctxt, from_uuid, to):
        """Have what one consumer holds held by another instead of what that held; nothing is done when the first holds
        nothing. to: an Instance, or a Migration with its project and user.

        :raises AllocationConflict: others change them all the time
        """
        for _ in range(CONFLICT_TRIES):
            held = self._held(from_uuid)
            if not held['allocations']:
                return
            allocations = {provider: {'resources': item['resources']} for provider, item in held['allocations'].items()}
            owner = {'project_id': held['project_id'], 'user_id': held['user_id']}
            body = {from_uuid: {'allocations': {}, 'consumer_generation': held['consumer_generation'], **owner},
                    to.uuid: {'allocations': allocations,
                              'consumer_generation': self._held(to.uuid).get('consumer_generation'), **owner}}
            if self._request('POST', '/allocations', (204, 409), json=body).status_code == 204:
                return
        raise exception.AllocationConflict(host='of the instance')

    def _held(self, consumer_uuid):
        return self._request('GET', '/allocations/%s' % consumer_uuid, (200,)).json()

    # ---- for whoever frees ---------------------------------------------------------------------------------------

    def delete_allocation_for_instance(self, ctxt, consumer_uuid):
        """Give back all that an instance holds; holding nothing is fine."""
        self._request('DELETE', '/allocations/%s' % consumer_uuid, (204, 404))

    def get_providers(self):
        """{provider uuid: name} of the whole cloud."""
        found = self._request('GET', '/resource_providers', (200,)).json()['resource_providers']
        return {provider['uuid']: provider['name'] for provider in found}

    # ---- for nova-compute ----------------------------------------------------------------------------------------

    def get_allocations_for_provider(self, ctxt, provider_uuid):
        """{consumer uuid: {resource class: amount}} on a provider; empty when there is no such provider."""
        response = self._request('GET', '/resource_providers/%s/allocations' % provider_uuid, (200, 404))
        if response.status_code == 404:
            return {}
        return {uuid: value['resources'] for uuid, value in response.json()['allocations'].items()}

    def update_provider(self, ctxt, provider_uuid, name, inventories, traits):
        """Make a provider of this name with exactly these inventories and traits, or change it into that.

        inventories: {class: {total, reserved, allocation_ratio, min_unit, max_unit, step_size}}.
        :raises AllocationConflict: more is in use than the new inventory has, or another provider has the name.
        """
        for _ in range(CONFLICT_TRIES):
            generation = self._ensure_provider(provider_uuid, name)
            generation = self._put_if_changed(provider_uuid, 'inventories', inventories, generation)
            if generation is not None:
                generation = self._put_if_changed(provider_uuid, 'traits', sorted(traits), generation)
            if generation is not None:
                return
        raise exception.AllocationConflict(host=name)

    def _ensure_provider(self, provider_uuid, name):
        response = self._request('GET', '/resource_providers/%s' % provider_uuid, (200, 404))
        if response.status_code == 404:
            self._free_name(provider_uuid, name)
            body = {'name': name, 'uuid': provider_uuid}
            response = self._request('POST', '/resource_providers', (200, 409), json=body)
            if response.status_code == 409:
                response = self._request('GET', '/resource_providers/%s' % provider_uuid, (200, 404))
        if response.status_code == 404:     # the name belongs to an earlier life that servers still hold
            raise exception.AllocationConflict(host=name)
        return response.json()['generation']

    def _free_name(self, provider_uuid, name):
        """A node of this name with another uuid is from an earlier life of the host: remove it when it is unused."""
        query = urllib.parse.urlencode({'name': name})
        for provider in self._request('GET', '/resource_providers?%s' % query, (200,)).json()['resource_providers']:
            if provider['uuid'] != provider_uuid:
                self._request('DELETE', '/resource_providers/%s' % provider['uuid'], (204, 404, 409))

    def _put_if_changed(self, provider_uuid, what, wanted, generation):
        """PUT inventories or traits unless they are so already; → the new generation, or None on a conflict."""
        url = '/resource_providers/%s/%s' % (provider_uuid, what)
        current = self._request('GET', url, (200,)).json()
        if what == 'traits':
            same = sorted(current['traits']) == wanted
        else:
            same = {name: {key: inventory.get(key) for key in wanted.get(name, {})}
                    for name, inventory in current['inventories'].items()} == wanted
        if same:
            return current['resource_provider_generation']
        for trait in wanted if what == 'traits' else ():
            if trait.startswith('CUSTOM_'):
                self._request('PUT', '/traits/%s' % trait, (201, 204))
        response = self._request('PUT', url, (200, 409),
                                 json={what: wanted, 'resource_provider_generation': generation})
        return response.json()['resource_provider_generation'] if response.status_code == 200 else None

    def delete_provider(self, ctxt, provider_uuid):
        """Remove a provider. :returns: False while allocations hold it."""
        return self._request('DELETE', '/resource_providers/%s' % provider_uuid, (204, 404, 409)).status_code != 409


def _is_concurrent(response):
    """Whether a 409 says that a generation was stale (repeat) rather than that there is no room."""
    try:
        return any(error.get('code') == _CONCURRENT_UPDATE for error in response.json()['errors'])
    except (ValueError, KeyError, TypeError):
        return False
