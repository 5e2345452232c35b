# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""From the query of a list request to the filters and the order of db/instances.py."""

from oslo_utils import strutils

from nova_lite import exception
from nova_lite.api import policies
from nova_lite.api.openstack import formats
from nova_lite.api.openstack.compute.schemas import servers as schema
from nova_lite.api.openstack.compute.views import servers as view
from nova_lite.compute import vm_states

TAGS = ('tags', 'tags-any', 'not-tags', 'not-tags-any')
# what who is no administrator may filter by, from which microversion on; other filters of theirs are ignored
FOR_ALL = {
    'reservation_id': (2, 1), 'name': (2, 1), 'status': (2, 1), 'image': (2, 1), 'flavor': (2, 1), 'ip': (2, 1),
    'changes-since': (2, 1), 'all_tenants': (2, 1), 'ip6': (2, 5), **dict.fromkeys(TAGS, (2, 26)),
    'changes-before': (2, 66), 'locked': (2, 73),
    **dict.fromkeys(('availability_zone', 'config_drive', 'key_name', 'created_at', 'launched_at', 'terminated_at',
                     'power_state', 'task_state', 'vm_state', 'progress', 'user_id'), (2, 83)),
}
# parameter → filter, for those whose value is taken as it is
PLAIN = {
    'name': 'display_name', 'display_name': 'display_name', 'description': 'display_description',
    'display_description': 'display_description', 'image': 'image_ref', 'image_ref': 'image_ref', 'flavor': 'flavorid',
    'tenant_id': 'project_id', 'project_id': 'project_id', 'ip': 'ip', 'ip6': 'ip6',
    **{name: name for name in (
        'access_ip_v4', 'access_ip_v6', 'availability_zone', 'created_at', 'host', 'hostname', 'kernel_id', 'key_name',
        'launched_at', 'node', 'ramdisk_id', 'reservation_id', 'root_device_name', 'task_state', 'terminated_at',
        'user_id', 'uuid', 'vm_state')},
}
BOOLEANS = {'locked': 'locked', 'config_drive': 'config_drive', 'auto_disk_config': 'auto_disk_config'}
NUMBERS = {'launch_index', 'power_state', 'progress'}
ADMIN_SORT_KEYS = {'host', 'node'}
MAX_DIGITS = 10         # of a number in a filter
NEWEST_FIRST = [('created_at', 'desc')]


def filters(req, all_projects_rule):
    """{filter: value} of a list request; None when nothing can match it.

    :raises Invalid: a value that makes no sense; Forbidden: the caller may not ask this
    """
    everything = req.allows(policies.SERVERS % 'allow_all_filters')
    asked = {name: values for name, values in req.query.items()
             if everything or req.version >= FOR_ALL.get(name, (99,))}
    found = {PLAIN[name]: values[-1] for name, values in asked.items() if name in PLAIN}
    found |= {BOOLEANS[name]: _boolean(name, values[-1]) for name, values in asked.items() if name in BOOLEANS}
    found |= {name: _number(name, values[-1]) for name, values in asked.items() if name in NUMBERS}
    found |= {name.replace('-', '_'): values[-1].split(',') for name, values in asked.items() if name in TAGS}
    _add_times(asked, found)
    if 'status' in asked and not _add_status(req, asked['status'], found):
        return None
    _add_deleted(req, asked, found)
    if not _all_projects(req, asked, found, all_projects_rule):
        found['project_id'] = req.context.project_id
    return found


def sort(req):
    """[(key, direction)…]; the newest first where nothing is asked for."""
    directions = req.query.get('sort_dir', [])
    keys = [(key, directions[index] if index < len(directions) else (directions or ['desc'])[0])
            for index, key in enumerate(req.query.get('sort_key', []))]
    usable = [(key, direction) for key, direction in keys if key in schema.SORT_KEYS or key == 'locked'
              if req.context.is_admin or key not in ADMIN_SORT_KEYS]
    return usable or NEWEST_FIRST


def _add_times(asked, found):
    for name in ('changes-since', 'changes-before'):
        if name in asked:
            found[name.replace('-', '_')] = formats.to_datetime(asked[name][-1])
    if 'changes-since' in asked and 'changes-before' in asked and found['changes_since'] > found['changes_before']:
        raise exception.Invalid('The value of changes-since must be less than or equal to changes-before.')


def _add_status(req, names, found):
    states = [vm_state for name in names for vm_state in view.vm_states_of(name)]
    if not states and req.version >= (2, 38):
        raise exception.Invalid('Invalid status value')
    if states == [vm_states.DELETED] and not req.context.is_admin:
        raise exception.Forbidden('Only administrators may list deleted instances')
    found['vm_state'] = states
    return bool(states)


def _add_deleted(req, asked, found):
    """Which servers are listed as to being deleted: those that are not, unless times of change are asked for."""
    if found.get('vm_state') == [vm_states.DELETED]:
        found['deleted'] = True
    elif 'deleted' in asked:
        found['deleted'] = strutils.bool_from_string(asked['deleted'][-1])
    elif 'changes_since' not in found and 'changes_before' not in found:
        found['deleted'] = False
        if 'vm_state' not in found and not ('soft_deleted' in asked and _boolean('soft_deleted',
                                                                                 asked['soft_deleted'][-1])):
            found['soft_deleted'] = False       # what can be restored is shown to who asks for it


def _all_projects(req, asked, found, rule):
    """Whether the list goes over all projects. :raises Forbidden: the caller may not see them"""
    text = asked.get('all_tenants', [None])[-1]
    if text is not None:
        everywhere = text == '' or _boolean('all_tenants', text)
    else:
        # as ever, tenant_id counts only together with all_tenants
        everywhere = asked.get('project_id', [req.context.project_id])[-1] != req.context.project_id
    if everywhere:
        req.authorize(rule=rule)
    return everywhere


def _boolean(name, text):
    try:
        return strutils.bool_from_string(text, strict=True)
    except ValueError as exc:
        raise exception.Invalid('Invalid value for %s: %s' % (name, text[:64])) from exc


def _number(name, text):
    try:
        if len(text) <= MAX_DIGITS:
            return int(text)
    except ValueError:
        pass
    raise exception.Invalid('Invalid value for %s: %s' % (name, text[:64]))
