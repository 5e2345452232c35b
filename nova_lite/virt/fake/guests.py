# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The fake guests of a host: in memory, and in a journal of one line a change, so that they outlive nova-compute as
real guests would."""

import dataclasses
import json
import os
import pathlib

SUFFIX = '.journal'


@dataclasses.dataclass
class Guest:
    """state: one of compute/power_state.py; mac_addresses: of its interfaces; volumes: {device name: volume id}.
    suspended: its memory is saved; rescued: it runs from another image."""

    uuid: str
    name: str
    state: int
    display_name: str = ''
    mac_addresses: list[str] = dataclasses.field(default_factory=list)
    volumes: dict = dataclasses.field(default_factory=dict)
    suspended: bool = False
    rescued: bool = False


def load(path):
    """{uuid: Guest} from a journal; a last line that a kill cut short is left out."""
    guests = {}
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except FileNotFoundError:
        return guests
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if len(entry) > 1:
            guests[entry['uuid']] = Guest(**entry)
        else:
            guests.pop(entry['uuid'], None)
    return guests


class GuestStore:
    """The guests of one host, by uuid."""

    def __init__(self, path):
        self._path = pathlib.Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._guests = load(self._path)
        self._compact()
        self._journal = open(self._path, 'a', buffering=1)     # one write for each line, complete or not at all

    def _compact(self):
        """Begin the journal anew with what is there now."""
        fresh = self._path.with_suffix('.new')
        fresh.write_text(''.join(_line(guest) for guest in self._guests.values()))
        os.replace(fresh, self._path)

    def put(self, guest):
        self._guests[guest.uuid] = guest
        self._journal.write(_line(guest))

    def remove(self, uuid):
        """Forget a guest; one that is not there is fine."""
        if self._guests.pop(uuid, None) is not None:
            self._journal.write(json.dumps({'uuid': uuid}) + '\n')

    def get(self, uuid):
        """The Guest, or None."""
        return self._guests.get(uuid)

    def uuids(self):
        return list(self._guests)


def _line(guest):
    return json.dumps(dataclasses.asdict(guest)) + '\n'
