# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Objects that travel between the processes: plain dataclasses with a version, and their one serializer.

On the wire an object is `{'nova_object.name': …, 'nova_object.version': …, 'nova_object.data': {…}}`, the envelope of
Nova's own objects. A receiver accepts any minor version of its own major version: it ignores fields that it does not
know and takes the default for those that are missing.
"""

import dataclasses
import datetime
import functools
import typing

from nova_lite import exception

_REGISTRY = {}
NAME, VERSION, DATA = 'nova_object.name', 'nova_object.version', 'nova_object.data'
_PLAIN = 'dict'     # the envelope's name for a user's dict that has a key of the envelope


def register(version):
    """Class decorator: make a keyword-only dataclass known to the serializer under its class name."""
    def wrap(cls):
        cls = dataclasses.dataclass(kw_only=True)(cls)
        cls.VERSION = version
        _REGISTRY[cls.__name__] = cls
        return cls
    return wrap


@functools.lru_cache(maxsize=None)
def _layout(cls):
    """((field name, holds a date), …) of a registered class."""
    hints = typing.get_type_hints(cls)
    return tuple((field.name, datetime.datetime in (hints[field.name], *typing.get_args(hints[field.name])))
                 for field in dataclasses.fields(cls))


def to_primitive(value):
    """Dicts, lists, strings, numbers, None from objects nested in each other to any depth."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if dataclasses.is_dataclass(value):
        return {NAME: type(value).__name__, VERSION: value.VERSION,
                DATA: {name: to_primitive(getattr(value, name)) for name, _ in _layout(type(value))}}
    if isinstance(value, dict):
        items = {key: to_primitive(item) for key, item in value.items()}
        return {NAME: _PLAIN, VERSION: '1.0', DATA: items} if NAME in items else items
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_primitive(item) for item in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return value


def from_primitive(value):
    """The inverse of :func:`to_primitive`.

    :raises ObjectVersionMismatch: an object of another major version, or one that this process does not know.
    """
    if isinstance(value, list):
        return [from_primitive(item) for item in value]
    if not isinstance(value, dict):
        return value
    if NAME not in value:
        return {key: from_primitive(item) for key, item in value.items()}
    if value[NAME] == _PLAIN:
        return {key: from_primitive(item) for key, item in value[DATA].items()}
    cls = _REGISTRY.get(value[NAME])
    if cls is None or cls.VERSION.split('.')[0] != value[VERSION].split('.')[0]:
        raise exception.ObjectVersionMismatch(name=value[NAME], got=value[VERSION],
                                              supported=cls.VERSION if cls else 'none')
    data, fields = value[DATA], {}
    for name, is_date in _layout(cls):
        if name in data:
            item = data[name]
            if is_date:
                fields[name] = item and datetime.datetime.fromisoformat(item)
            else:
                fields[name] = from_primitive(item)
    return cls(**fields)


def utcnow():
    """Now, as a naive datetime in UTC: the one form of time in objects and database."""
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
