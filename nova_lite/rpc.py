# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""AMQP RPC and notifications: transport, serializer, clients, servers.

Every message carries the caller's context and objects in the envelope of `objects/base.py`.
"""

import functools
import logging

import oslo_messaging as messaging
from kombu import exceptions as kombu_exc
from oslo_messaging.rpc import dispatcher

from nova_lite import context
from nova_lite import exception
from nova_lite.objects import base
from nova_lite.objects import registry  # noqa: F401 (messages may carry any of them)

LOG = logging.getLogger(__name__)

# Time-out classes of calls, in seconds. A call names its class, never a number.
QUICK = 10          # answered from memory or one database transaction
NORMAL = 60         # touches other services or a hypervisor
LONG = 1800         # moves data; the server sends heartbeats meanwhile (call_monitor_timeout)
HEARTBEAT = 30      # a LONG call fails this soon when the server has died

EXPECTED_ERRORS = (exception.NovaException,)

# the last one comes through when not even the first connection could be made
UNREACHABLE = (messaging.MessagingTimeout, messaging.MessageDeliveryFailure, kombu_exc.OperationalError)


class Serializer(messaging.Serializer):
    """Context and objects to and from what JSON can carry."""

    def serialize_entity(self, ctxt, entity):
        return base.to_primitive(entity)

    def deserialize_entity(self, ctxt, entity):
        return base.from_primitive(entity)

    def serialize_context(self, ctxt):
        return ctxt.to_dict()

    def deserialize_context(self, ctxt):
        return context.RequestContext.from_dict(ctxt)


class NotificationSerializer(Serializer):
    """Payloads are what their consumers expect to read already: they go out as they are."""

    def serialize_entity(self, ctxt, entity):
        return entity


class Transport:
    """The connections of one process to the message queue, by its configuration (`transport_url`)."""

    def __init__(self, conf):
        self._conf = conf
        self._rpc = messaging.get_rpc_transport(conf, allowed_remote_exmods=[exception.__name__])
        self._notification = None

    def client(self, topic, version):
        """An RPC client whose calls go to `topic` with at least the given `version` of its interface."""
        target = messaging.Target(topic=topic, version=version)
        return messaging.get_rpc_client(self._rpc, target, serializer=Serializer())

    def server(self, topic, host, endpoints):
        """An RPC server that answers for topic and topic.host with the methods of `endpoints`."""
        return messaging.get_rpc_server(
            self._rpc, messaging.Target(topic=topic, server=host), endpoints, executor='eventlet',
            serializer=Serializer(), access_policy=dispatcher.DefaultRPCAccessPolicy)

    def notifier(self, publisher_id, topics=None):
        """A Notifier for the configured topics or those given; None when no driver is configured: nobody listens."""
        if self._notification is None:
            self._notification = messaging.get_notification_transport(self._conf)
        notifier = messaging.Notifier(
            self._notification, publisher_id=publisher_id, serializer=NotificationSerializer(), topics=topics)
        return notifier if set(self._conf.oslo_messaging_notifications.driver) - {'', 'noop'} else None

    def cleanup(self):
        self._rpc.cleanup()
        if self._notification is not None:
            self._notification.cleanup()


def translates_errors(function):
    """Decorator for rpcapi methods: what oslo.messaging raises becomes our Unavailable family."""
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except UNREACHABLE as exc:
            LOG.warning('RPC %s failed: %s', function.__qualname__, exc)
            raise exception.MessagingUnavailable() from exc
    return wrapper


def expected_errors(function):
    """Decorator for RPC endpoints: our own exceptions go back to the caller without a traceback in this log."""
    return functools.wraps(function)(messaging.expected_exceptions(*EXPECTED_ERRORS)(function))
