# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""All objects: whoever receives messages imports this, so that the serializer knows whatever may come."""

from nova_lite.objects import action
from nova_lite.objects import aggregate
from nova_lite.objects import block_device
from nova_lite.objects import flavor
from nova_lite.objects import image_meta
from nova_lite.objects import instance
from nova_lite.objects import instance_group
from nova_lite.objects import keypair
from nova_lite.objects import migration
from nova_lite.objects import network
from nova_lite.objects import operation
from nova_lite.objects import request_spec
from nova_lite.objects import service

MODULES = (action, aggregate, block_device, flavor, image_meta, instance, instance_group, keypair, migration, network,
           operation, request_spec, service)
