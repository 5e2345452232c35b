# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The filters of `instances.list_` as SQL conditions."""

import datetime
import json
import re

import sqlalchemy as sa
from oslo_utils import timeutils

from nova_lite import exception
from nova_lite.compute import vm_states
from nova_lite.db import models
from nova_lite.db import types

_TABLE = models.instances

EXACT = frozenset((
    'uuid', 'project_id', 'user_id', 'vm_state', 'task_state', 'host', 'image_ref', 'flavorid', 'power_state',
    'launch_index', 'progress', 'locked', 'config_drive', 'auto_disk_config'))
PATTERNS = frozenset((      # regular expressions that have to match somewhere
    'display_name', 'display_description', 'hostname', 'node', 'availability_zone', 'key_name', 'reservation_id',
    'kernel_id', 'ramdisk_id', 'root_device_name', 'access_ip_v4', 'access_ip_v6'))
TIMES = frozenset(('created_at', 'launched_at', 'terminated_at'))
ADDRESSES = {'ip': 4, 'ip6': 6}     # matched after the query, see `address_test`
BOTH_DELETED_OR_NOT = ('changes_since', 'changes_before', 'ran_between')

MAX_PATTERN = 255           # characters
MAX_REPEATS = 3             # in a pattern; more, or repeated groups, could keep the processor busy for ever
_REPEAT = re.compile(r'(?<!\\)[*+?{]')
_REPEATED_GROUP = re.compile(r'\)[*+?{]|\\[1-9]|\(\?[^:]')


def conditions(filters):
    """[SQL condition…] for {filter: value}. :raises Invalid: an unknown filter, or a value that makes no sense"""
    result = []
    if 'deleted' in filters:
        result.append(_TABLE.c.deleted == filters['deleted'])
    elif not any(name in filters for name in BOTH_DELETED_OR_NOT):
        result.append(_TABLE.c.deleted == sa.false())
    for name, value in filters.items():
        if name in EXACT:
            result.append(_equals(_TABLE.c[name], value))
        elif name in PATTERNS:
            result.append(_TABLE.c[name].regexp_match(checked_pattern(value)))
        elif name in TIMES:
            result.append(_within_second(_TABLE.c[name], value))
        elif name in _SPECIAL:
            result.append(_SPECIAL[name](value))
        elif name != 'deleted' and name not in ADDRESSES:
            raise exception.Invalid('Unknown filter %s' % name)
    return result


def address_test(filters):
    """A function of an Instance for the filters `ip` and `ip6`, or None when neither is there."""
    patterns = {ADDRESSES[name]: re.compile(checked_pattern(value)) for name, value in filters.items()
                if name in ADDRESSES}
    if not patterns:
        return None

    def matches(instance):
        addresses = [ip for vif in instance.network_info for ip in vif.fixed_ips]
        return all(any(ip.version == version and pattern.match(ip.address) for ip in addresses)
                   for version, pattern in patterns.items())
    return matches


def checked_pattern(pattern):
    """The regular expression itself when it is one that is matched in bounded time. :raises Invalid:"""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as exc:
        raise exception.Invalid('Invalid regular expression: %s' % exc) from exc
    if (len(pattern) > MAX_PATTERN or len(_REPEAT.findall(pattern)) > MAX_REPEATS or _REPEATED_GROUP.search(pattern)):
        raise exception.Invalid('The regular expression is too complex')
    return pattern


def _equals(column, value):
    if isinstance(value, (list, tuple, set, frozenset)):
        some = [item for item in value if item is not None]
        condition = column.in_(some)
        return condition if len(some) == len(value) else sa.or_(condition, column.is_(None))
    return column.is_(None) if value is None else column == value


def _within_second(column, value):
    if isinstance(value, str):
        try:
            value = timeutils.normalize_time(timeutils.parse_isotime(value))
        except ValueError as exc:
            raise exception.Invalid('Invalid time: %s' % value[:64]) from exc
    start = value.replace(microsecond=0)
    return sa.and_(column >= start, column < start + datetime.timedelta(seconds=1))


def _ran_between(span):
    """It existed at some time between two times."""
    start, stop = span
    return sa.and_(_TABLE.c.launched_at < stop,
                   sa.or_(_TABLE.c.terminated_at.is_(None), _TABLE.c.terminated_at > start))


def _contains(column, *starts):
    """The JSON text of a column contains one of these beginnings of a list's or object's part.

    Inside a JSON string each quote has a backslash before it, so a part that begins with bracket or comma and ends with
    a quote is never found by chance. REPLACE, unlike LIKE, minds upper and lower case in every database.
    """
    text = sa.type_coerce(column, types.LongText)
    return sa.or_(*(sa.func.replace(text, start, '') != text for start in starts))


def _has_tag(tag):
    quoted = json.dumps(tag)
    return _contains(_TABLE.c.tags, '[' + quoted, ', ' + quoted)


def _has_item(column):
    def condition(wanted):
        """wanted: {key: value}, or a list of such"""
        pairs = [pair for part in (wanted if isinstance(wanted, list) else [wanted]) for pair in part.items()]
        return sa.and_(sa.true(), *(_contains(column, '{' + text, ', ' + text) for text in (
            '%s: %s' % (json.dumps(key), json.dumps(value)) for key, value in pairs)))
    return condition


_SPECIAL = {
    'changes_since': lambda time: _TABLE.c.updated_at >= time,
    'changes_before': lambda time: _TABLE.c.updated_at <= time,
    'ran_between': _ran_between,
    'soft_deleted': lambda soft: (_TABLE.c.vm_state == vm_states.SOFT_DELETED if soft
                                  else _TABLE.c.vm_state != vm_states.SOFT_DELETED),
    'tags': lambda tags: sa.and_(sa.true(), *map(_has_tag, tags)),
    'tags_any': lambda tags: sa.or_(sa.false(), *map(_has_tag, tags)),
    'not_tags': lambda tags: sa.not_(sa.and_(sa.true(), *map(_has_tag, tags))),
    'not_tags_any': lambda tags: sa.not_(sa.or_(sa.false(), *map(_has_tag, tags))),
    'metadata': _has_item(_TABLE.c.metadata),
    'system_metadata': _has_item(_TABLE.c.system_metadata),
}
