# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The placement service put together: one table of routes over one ledger."""

from nova_lite.standins import rest
from nova_lite.standins.placement import allocations
from nova_lite.standins.placement import candidates
from nova_lite.standins.placement import inventories
from nova_lite.standins.placement import ledger as ledgers
from nova_lite.standins.placement import names
from nova_lite.standins.placement import providers
from nova_lite.standins.placement import versions


def application(store, identify, challenge=None):
    """The WSGI application. `identify(token)` gives the caller's identity or None."""
    ledger = ledgers.Ledger(store)
    routes = [rest.Route('GET', '/', versions.show, public=True)]
    for part in (providers.Providers(ledger), inventories.Inventories(ledger),
                 allocations.Allocations(ledger), candidates.Candidates(ledger), names.Traits(ledger),
                 names.Classes(ledger)):
        routes += part.routes()
    return rest.App('placement', routes, identify=identify, render_fault=versions.render,
                    before=versions.before, challenge=challenge)
