# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the host has to have ready before a guest's interfaces can be plugged."""

import logging
import os
from xml.etree import ElementTree

from nova_lite import exception
from nova_lite.virt.libvirt import connection as libvirt_door
from nova_lite.virt.libvirt import filters
from nova_lite.virt.libvirt.domain import interfaces

LOG = logging.getLogger(__name__)

BRIDGE = 'bridge'
BINDING_FAILED = 'binding_failed'


def check(vif, sys_net='/sys/class/net'):
    """Whether this host can plug a vif. :raises PortBindingFailed, VirtualInterfaceCreateException: it cannot."""
    if vif.vif_type == BINDING_FAILED:
        raise exception.PortBindingFailed(port_id=vif.id)
    if vif.vif_type != BRIDGE or not vif.bridge:
        LOG.error('Port %s has the binding %s, which this driver cannot plug', vif.id, vif.vif_type)
        raise exception.VirtualInterfaceCreateException()
    if not os.path.isdir(os.path.join(sys_net, vif.bridge, 'bridge')):
        LOG.error('There is no bridge %s for port %s', vif.bridge, vif.id)
        raise exception.VirtualInterfaceCreateException()


def finder(vif):
    """A function that finds the interface of a vif in the tree of a domain."""
    path = "devices/interface/mac[@address='%s']/.." % vif.address.lower()
    return lambda tree: tree.find(path)


def document(vif, model):
    """The XML of the interface of a vif, which the guest sees as `model`."""
    parent = ElementTree.Element('devices')
    return ElementTree.tostring(interfaces.add(parent, vif, model), encoding='unicode')


class Filters:
    """The filters that libvirt has to know before a guest names them; each is defined once in a process's life, and
    again when somebody removed it."""

    def __init__(self, connection):
        self._connection = connection
        self._defined = set()

    def ensure(self, vifs):
        """Define what the filters of these vifs need."""
        names = {filters.filter_name(vif) for vif in vifs if vif.port_security}
        if names:
            self._connection.call('set up its network filters', _ensure, names, frozenset(self._defined))
            self._defined |= names


def _ensure(connection, names, defined):
    for name in names:
        if name not in defined or not _exists(connection, name):
            for document in filters.definitions(name):
                connection.nwfilterDefineXML(document)


def _exists(connection, name):
    try:
        return bool(connection.nwfilterLookupByName(name))
    except libvirt_door.Error as exc:
        if exc.get_error_code() == libvirt_door.NO_NWFILTER:
            return False
        raise
