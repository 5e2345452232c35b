# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What other systems are told. Nothing is sent until `[oslo_messaging_notifications] driver` is set."""

from oslo_config import cfg

OPTIONS = {
    'notifications': [
        cfg.StrOpt('notification_format', default='unversioned', choices=('unversioned', 'versioned', 'both'),
                   help='The form that the consumers of notifications expect: `unversioned` (the flat payloads of '
                        'compute.instance.create.end), `versioned` (the objects of instance.create.end) or both.'),
        cfg.ListOpt('versioned_notifications_topics', default=['versioned_notifications'],
                    help='Topics for versioned notifications. Name one more for each further consumer.'),
    ],
}
