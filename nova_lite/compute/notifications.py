# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Tells other systems (billing, dashboards, …) what happens to instances, in the forms that they are configured for.

A notification that cannot be sent is logged and forgotten: it never fails or stops what it is about.
"""

import logging

from nova_lite.compute import notification_payloads as payloads

LOG = logging.getLogger(__name__)

START, END, ERROR = 'start', 'end', 'error'
CREATE, DELETE = 'create', 'delete'
LEGACY_FORMATS, VERSIONED_FORMATS = ('unversioned', 'both'), ('versioned', 'both')


class InstanceNotifier:
    """legacy, versioned: oslo.messaging Notifiers, or None for a form that nobody wants."""

    def __init__(self, legacy=None, versioned=None):
        self._legacy = legacy
        self._versioned = versioned

    def notify(self, ctxt, instance, action, phase, *, block_devices=(), exc=None):
        """`action`: CREATE or DELETE; `phase`: START, END or ERROR (with the exception)."""
        if self._legacy is None and self._versioned is None:
            return
        try:
            if self._legacy is not None:
                payload = payloads.legacy(instance, **_extra(instance, action, phase, exc))
                self._emit(self._legacy, ctxt, 'compute.instance.%s.%s' % (action, phase), payload, phase)
            if self._versioned is not None:
                kind = payloads.INSTANCE_CREATE if action == CREATE else payloads.INSTANCE_ACTION
                payload = payloads.versioned(kind, ctxt, instance, block_devices, exc)
                self._emit(self._versioned, ctxt, 'instance.%s.%s' % (action, phase), payload, phase)
        except Exception:       # whatever a notification driver raises
            LOG.exception('The notification %s.%s could not be sent', action, phase)
        ctxt.update_store()     # oslo.messaging sends a copy, which puts itself in the place of the original

    @staticmethod
    def _emit(notifier, ctxt, event_type, payload, phase):
        send = notifier.error if phase == ERROR else notifier.info
        send(ctxt, event_type, payload)


def _extra(instance, action, phase, exc):
    """What a flat payload has besides the fields of every one."""
    if action != CREATE:
        return {}
    if phase == START:
        return {'image_name': instance.image_meta.name or ''}
    if phase == END:
        return {'fixed_ips': payloads.fixed_ips(instance.network_info), 'message': 'Success'}
    return {'message': str(exc), 'exception': type(exc).__name__, 'code': 500}


def from_conf(conf, transport, host):
    """The InstanceNotifier of a host by `[notifications]`; transport: an rpc.Transport."""
    form, settings = conf.notifications.notification_format, conf.notifications
    legacy = transport.notifier('compute.%s' % host) if form in LEGACY_FORMATS else None
    versioned = None
    if form in VERSIONED_FORMATS:
        versioned = transport.notifier('nova-compute:%s' % host, topics=settings.versioned_notifications_topics)
    return InstanceNotifier(legacy, versioned)
