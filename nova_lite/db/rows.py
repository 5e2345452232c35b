# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""From rows to objects and back: a field of an object is the column of the same name."""

import dataclasses
import functools


@functools.lru_cache(maxsize=None)
def columns(cls, table):
    """The columns of a table that are fields of a dataclass."""
    names = {field.name for field in dataclasses.fields(cls)}
    return tuple(column for column in table.columns if column.name in names)


def to_object(cls, table, row):
    """The object of a row that was selected with (at least) :func:`columns`."""
    values = row._mapping
    return cls(**{column.name: values[column] for column in columns(cls, table)})


def to_values(item, table, leave_out=('id',)):
    """{column: value} of an object for an INSERT."""
    return {column.name: getattr(item, column.name) for column in columns(type(item), table)
            if column.name not in leave_out}
