# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of a list: sorted by any keys, after a marker, each row once whatever else changes meanwhile."""

import datetime

import sqlalchemy as sa

_LEAST = {str: '', int: -1, float: -1.0, datetime.datetime: datetime.datetime(1970, 1, 1)}


def page(query, keys, limit, marker_values=None):
    """A SELECT ordered by keys, after the row whose keys have `marker_values`, cut at `limit` rows (None: all).

    keys: [(column, 'asc' or 'desc')…]; together they have to be different for each row.
    """
    expressions = [(_comparable(column), direction) for column, direction in keys]
    if marker_values is not None:
        query = query.where(_after(expressions, marker_values))
    query = query.order_by(*(expression.desc() if direction == 'desc' else expression.asc()
                             for expression, direction in expressions))
    return query if limit is None else query.limit(limit)


def key_values(connection, keys, condition):
    """The keys' values of the row that matches, or None when there is none."""
    row = connection.execute(sa.select(*(_comparable(column).label('key%d' % index)
                                         for index, (column, _) in enumerate(keys))).where(condition)).first()
    return None if row is None else tuple(row)


def _comparable(column):
    """The column as something that every database sorts and compares alike: with NULL as the least value."""
    if isinstance(column.type, sa.Boolean):
        return sa.case((column, 1), else_=0)
    if not column.nullable:
        return column
    return sa.func.coalesce(column, sa.literal(_LEAST[column.type.python_type], column.type))


def _after(expressions, values):
    alternatives, equal = [], []
    for (expression, direction), value in zip(expressions, values, strict=True):
        step = expression < value if direction == 'desc' else expression > value
        alternatives.append(sa.and_(*equal, step))
        equal.append(expression == value)
    return sa.or_(*alternatives)
