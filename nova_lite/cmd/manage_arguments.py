# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of nova-manage's commands, and the tables that they print."""

import argparse
import datetime

import prettytable


def argument(*names, **details):
    """An argument of a command, as argparse's add_argument takes it."""
    return names, details


def switch(*names, **details):
    """An option without value."""
    return names, {'action': 'store_true', **details}


def time(text):
    """The naive UTC time of an ISO 8601 date, with or without a time of day."""
    try:
        when = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError('%r is not a date like 2026-01-31 or 2026-01-31T12:00:00' % text) from None
    return when.astimezone(datetime.timezone.utc).replace(tzinfo=None) if when.tzinfo else when


def positive(text):
    """A whole number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError('must be a positive number')
    return number


def print_table(columns, rows):
    """Print rows (of texts or numbers) under the names of their columns."""
    table = prettytable.PrettyTable(columns)
    table.align = 'l'
    table.add_rows([['' if value is None else value for value in row] for row in rows])
    print(table)
