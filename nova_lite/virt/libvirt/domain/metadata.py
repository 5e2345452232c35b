# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Whose guest a domain is: Nova's metadata element, which tools of the host read."""

from xml.etree import ElementTree

from nova_lite.virt.libvirt.domain import elements

NAMESPACE = 'http://openstack.org/xmlns/libvirt/nova/1.1'
VERSION = '0.1.0'
ElementTree.register_namespace('nova', NAMESPACE)


def tag(name):
    return '{%s}%s' % (NAMESPACE, name)


def configure(domain, spec):
    instance, flavor = spec.instance, spec.instance.flavor
    top = elements.add(elements.add(domain, 'metadata'), tag('instance'))
    elements.add(top, tag('package'), version=VERSION)
    elements.add(top, tag('name'), instance.display_name)
    elements.add(top, tag('creationTime'), spec.created_at.strftime('%Y-%m-%d %H:%M:%S'))
    size = elements.add(top, tag('flavor'), name=flavor.name)
    for name, value in (('memory', flavor.memory_mb), ('disk', flavor.root_gb), ('swap', flavor.swap),
                        ('ephemeral', flavor.ephemeral_gb), ('vcpus', flavor.vcpus)):
        elements.add(size, tag(name), value)
    owner = elements.add(top, tag('owner'))
    elements.add(owner, tag('user'), uuid=instance.user_id)
    elements.add(owner, tag('project'), uuid=instance.project_id)
    if spec.image.id:
        elements.add(top, tag('root'), type='image', uuid=spec.image.id)
    ports = elements.add(top, tag('ports'))
    for vif in spec.vifs:
        port = elements.add(ports, tag('port'), uuid=vif.id)
        for fixed in vif.fixed_ips:
            elements.add(port, tag('ip'), type='fixed', address=fixed.address, ipVersion=fixed.version)
