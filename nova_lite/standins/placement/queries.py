# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The query strings of Placement: resources, traits, aggregates and trees that a caller asks for."""

import dataclasses
import re

from nova_lite.standins import rest
from nova_lite.standins.placement import records

KINDS = ('resources', 'required', 'member_of', 'in_tree')  # the parameters of a request group, before its suffix
GROUPED = (  # their forms, by the microversion that brought each
    (33, KINDS, '[a-zA-Z0-9_-]{1,64}'), (31, KINDS, '[1-9][0-9]*'), (25, KINDS[:3], '[1-9][0-9]*'))
PATTERNS = [(minimum, re.compile(r'(%s)(%s)?\Z' % ('|'.join(kinds), suffix)), [
    '^%s(%s)?$' % (kind, suffix) for kind in kinds]) for minimum, kinds, suffix in GROUPED]
INTEGER = re.compile(r'-?[0-9]{1,18}\Z')
LIMIT = re.compile(r'0*[1-9][0-9]*\Z', re.ASCII)
BAD_VALUE, MISSING = 'placement.query.bad_value', 'placement.query.missing_value'


@dataclasses.dataclass(slots=True)
class Traits:
    """`required`: sets of which one trait each must be there; `forbidden`: traits that must not be."""

    required: list = dataclasses.field(default_factory=list)
    forbidden: set = dataclasses.field(default_factory=set)

    def allow(self, traits):
        """Whether a set of traits is what was asked for."""
        return self.forbidden.isdisjoint(traits) and all(not any_of.isdisjoint(traits)
                                                         for any_of in self.required)

    def __bool__(self):
        return bool(self.required or self.forbidden)


@dataclasses.dataclass(slots=True)
class Aggregates:
    """`required`: sets of which one aggregate each must be there; `forbidden`: aggregates that must not be."""

    required: list = dataclasses.field(default_factory=list)
    forbidden: set = dataclasses.field(default_factory=set)

    def allow(self, aggregates):
        return self.forbidden.isdisjoint(aggregates) and all(not any_of.isdisjoint(aggregates)
                                                             for any_of in self.required)

    def __bool__(self):
        return bool(self.required or self.forbidden)


@dataclasses.dataclass(slots=True)
class Group:
    """One request group: all that shares a suffix in the query string of allocation candidates."""

    suffix: str
    resources: dict = dataclasses.field(default_factory=dict)
    traits: Traits = dataclasses.field(default_factory=Traits)
    aggregates: Aggregates = dataclasses.field(default_factory=Aggregates)
    in_tree: str | None = None


def bad(message, kind=BAD_VALUE):
    return rest.Fault(400, message, kind)


def grouped(version):
    """What the parameters of request groups look like at a microversion; None before there were any."""
    return next((pattern for minimum, pattern, _ in PATTERNS if version >= minimum), None)


def check_names(request, allowed, groups=False):
    """400 for a parameter that the route does not have; `groups`: whether it has those of request groups."""
    pattern = grouped(request.version) if groups else None
    for name in request.query:
        if name in allowed or (pattern is not None and pattern.match(name)):
            continue
        if pattern is None:
            raise bad('Invalid query string parameters: Additional properties are not allowed (\'%s\' was '
                      'unexpected)' % name[:128])
        forms = next(forms for _, form, forms in PATTERNS if form is pattern)
        raise bad('Invalid query string parameters: \'%s\' does not match any of the regexes: %s' % (
            name[:128], ', '.join('\'%s\'' % form for form in sorted(forms))))


def single(request, name):
    """The first value of a parameter, None when it does not stand there."""
    values = request.query.get(name)
    return values[0] if values else None


def limit(request):
    """The number that `limit` gives, None where there is none."""
    text = single(request, 'limit')
    if text is None:
        return None
    if not LIMIT.match(text):
        raise bad('Invalid query string parameters: \'%s\' does not match \'^[1-9][0-9]*$\' '
                  'Failed validating \'pattern\'' % text[:32])
    return int(text[:18])


def resources(ledger, text, key='resources'):
    """{class: amount} from `VCPU:2,MEMORY_MB:1024`."""
    found = {}
    for part in text.strip().split(','):
        name, colon, amount = part.partition(':')
        if not (colon and name):
            raise bad('Badly formed resources parameter. Expected resources query string parameter in form: '
                      '?resources=VCPU:2,MEMORY_MB:1024. Got: %s.' % (part[:255] if text else 'empty string'))
        if not INTEGER.match(amount):
            raise bad('Requested resource %s expected positive integer amount. Got: %s.' % (name[:255], amount[:64]))
        if int(amount) < 1:
            raise bad('Requested resource %s requires amount >= 1. Got: %s.' % (name[:255], amount))
        if int(amount) > records.MAX:
            raise bad('Requested resource %s requires amount <= %d.' % (name[:255], records.MAX))
        if not ledger.knows_class(name):
            raise bad('Invalid resource class in %s parameter: No such resource class: %s' % (key, name[:255]))
        found[name] = int(amount)
    return found


def traits(ledger, values, version, key='required'):
    """Traits from the values of one `required` parameter; the forms grew with the microversions."""
    if len(values) > 1 and version < 39:
        values = values[-1:]
    wanted = Traits()
    for value in map(str.strip, values):
        if value.startswith('in:'):
            if version < 39:
                raise bad('The format \'in:HW_CPU_X86_VMX,CUSTOM_MAGIC\' only supported since microversion 1.39.')
            any_of = frozenset(_trait_names(value[3:], key, version))
            if any(name.startswith('!') for name in any_of):
                raise _bad_traits(value, key, version)
            wanted.required.append(any_of)
            continue
        for name in _trait_names(value, key, version):
            if name.startswith('!'):
                if version < 22:
                    raise _bad_traits(value, key, version)
                wanted.forbidden.add(name[1:])
            else:
                wanted.required.append(frozenset((name,)))
    unknown = sorted(name for any_of in (*wanted.required, wanted.forbidden) for name in any_of
                     if not ledger.knows_trait(name))
    if unknown:
        raise bad('No such trait(s): %s.' % ', '.join(unknown)[:1024])
    clash = {name for any_of in wanted.required if len(any_of) == 1 for name in any_of} & wanted.forbidden
    if clash:
        raise bad('Conflicting required and forbidden traits found in %s: %s' % (key, ', '.join(sorted(clash))))
    return wanted


def _trait_names(text, key, version):
    names = text.split(',')
    if not all(name.lstrip('!') for name in names):
        raise _bad_traits(text, key, version)
    return names


def _bad_traits(text, key, version):
    return bad('Invalid query string parameters: Expected \'%s\' parameter value of the form: '
               'HW_CPU_X86_VMX,%sCUSTOM_MAGIC. Got: %s' % (key, '!' if version >= 22 else '', text[:255]))


def aggregates(values, version, key='member_of'):
    """Aggregates from the values of one `member_of` parameter."""
    if len(values) > 1 and version < 24:
        raise bad('Multiple member_of parameters are not supported', 'placement.query.duplicate_key')
    wanted = Aggregates()
    for value in values:
        forbidden = value.startswith('!')
        if forbidden and version < 32:
            raise bad('Forbidden member_of parameters are not supported in the specified microversion')
        text = value[1:] if forbidden else value
        if text.startswith('in:'):
            text = text[3:]
        elif ',' in text:
            raise bad('Multiple values for \'%s\' must be prefixed with the \'in:\' or \'!in:\' keyword using the '
                      'valid microversion.' % key)
        names = frozenset(text.split(','))
        for name in names:
            if not rest.is_uuid(name):
                raise bad('Invalid query string parameters: Expected \'%s\' parameter to contain valid UUID(s).' % key)
        if forbidden:
            wanted.forbidden |= names
        else:
            wanted.required.append(names)
    return wanted


def groups(ledger, request):
    """{suffix: Group} from the query string of allocation candidates."""
    version, pattern = request.version, grouped(request.version)
    found = {}
    for name, values in request.query.items():
        match = pattern.match(name) if pattern else None
        kind, suffix = (match.group(1), match.group(2) or '') if match else (name, '')
        if kind not in KINDS:
            continue
        group = found.setdefault(suffix, Group(suffix))
        if kind == 'resources':
            group.resources = resources(ledger, single(request, name), name)
        elif kind == 'required':
            group.traits = traits(ledger, values, version, name)
        elif kind == 'member_of':
            group.aggregates = aggregates(values, version, name)
        else:
            group.in_tree = single(request, name)
            if not rest.is_uuid(group.in_tree):
                raise bad('Expected \'%s\' parameter to be a format of uuid' % name)
    return found
