# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What this process has inside the namespaces of networks and routers: metadata proxies, and sockets to send from."""

import dataclasses
import socket

from nova_lite.standins.neutron.dataplane import metadata_proxy
from nova_lite.standins.neutron.dataplane import netns


@dataclasses.dataclass(frozen=True, slots=True)
class _Inside:
    identity: tuple  # the namespace's `netns.identity`
    proxy: metadata_proxy.MetadataProxy
    sender: socket.socket


class Listeners:
    """One metadata proxy and one UDP socket for each namespace, by the namespace's name."""

    def __init__(self, forwarder):
        self._forwarder = forwarder
        self._inside = {}

    def ensure(self, namespace, owner_at):
        """Have a proxy listen in the namespace that has the name now; `owner_at` as for `MetadataProxy`."""
        if self.current(namespace):
            return
        self.close(namespace)
        identity = netns.identity(namespace)
        listener, sender = netns.sockets(namespace, metadata_proxy.ADDRESS, metadata_proxy.PORT)
        self._inside[namespace] = _Inside(
            identity, metadata_proxy.MetadataProxy(listener, self._forwarder, owner_at), sender)

    def current(self, namespace):
        """Whether they are in the namespace that has the name now."""
        inside = self._inside.get(namespace)
        return inside is not None and inside.identity == netns.identity(namespace)

    def sender(self, namespace):
        """The UDP socket inside."""
        return self._inside[namespace].sender

    def close(self, namespace):
        inside = self._inside.pop(namespace, None)
        if inside is not None:
            inside.proxy.stop()
            inside.sender.close()

    def close_all(self):
        for namespace in list(self._inside):
            self.close(namespace)
