# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""From the option `compute_driver` to a driver. Only the driver that is asked for is imported: what one needs of the
machine (libvirt's library, say) another does not."""

import importlib

from nova_lite import exception

OWN = 'nova_lite.virt.%s.driver'


class DriverNotUsable(exception.NovaException):
    msg_fmt = 'compute_driver %(name)s cannot be used: %(reason)s'


def load(name, conf, image):
    """A new driver by `conf`: `libvirt.LibvirtDriver`, `fake.FakeDriver`, or the dotted path of another class.

    A driver class has a method `from_conf(conf, image)`; image: an image.glance.API.
    :raises DriverNotUsable: there is no such class, or what it needs is not installed
    """
    module_name, _, class_name = name.rpartition('.')
    if '.' not in module_name:
        module_name = OWN % module_name
    try:
        driver_class = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as exc:
        raise DriverNotUsable(name=name, reason=exc) from exc
    return driver_class.from_conf(conf, image)
