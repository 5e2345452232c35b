# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The files of a guest that gets another flavor or host.

Three directories: `<uuid>` is what the guest runs from; `<uuid>_resize` is what it ran from before, kept until the
resize is confirmed; `<uuid>_incoming` is a copy that is not complete yet. Each step is one rename, so that a crash
leaves either side of it.
"""

import os
import shutil

from oslo_utils import units

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.virt import images
from nova_lite.virt.libvirt import blockinfo
from nova_lite.virt.libvirt import imagebackend
from nova_lite.virt.libvirt import rescue
from nova_lite.virt.libvirt import transfer
from nova_lite.virt.libvirt.domain import spec as guest

BEFORE, INCOMING = '_resize', '_incoming'
ROOT_NAME, SWAP_NAME = 'disk', 'disk.swap'
WHOLE = '.whole'


class Files:
    """The directories of one guest; `directory` is `<uuid>`."""

    def __init__(self, directory, access):
        self.directory = directory
        self.before = directory + BEFORE
        self.incoming = directory + INCOMING
        self._access = access

    @property
    def _origin(self):
        """Where the guest's files are, or where :meth:`put_aside` put them. :raises HypervisorError: nowhere"""
        for path in (self.directory, self.before):
            if os.path.isdir(path):
                return path
        raise exception.HypervisorError('The disks of the instance are missing on its host.')

    def begin(self):
        """What an earlier resize kept is not what the guest runs from now: nobody may go back to it any more."""
        if os.path.isdir(self.directory):
            shutil.rmtree(self.incoming, ignore_errors=True)
            self.forget_before()

    def formats(self):
        """{name: format} of the disks as recorded."""
        return {os.path.basename(path): kind for path, kind in imagebackend.read_info(self._origin).items()
                if not path.endswith(rescue.SUFFIX)}

    def check_growth(self, instance, flavor, block_devices):
        """:raises ResizeError: a disk would be smaller than now."""
        kind = self.formats().get(ROOT_NAME)
        if kind is not None and instance.image_meta.disk_format != 'iso':
            size = images.info(os.path.join(self._origin, ROOT_NAME), kind, in_use=True)['virtual-size']
            if flavor.root_gb < instance.flavor.root_gb or flavor.root_gb and flavor.root_gb * units.Gi < size:
                raise exception.ResizeError(reason='Unable to resize disk down.')
        ephemerals = [bdm for bdm in block_devices if bdm.source_type == 'blank' and bdm.destination_type == 'local'
                      and bdm.guest_format != blockinfo.SWAP_FORMAT and not bdm.no_device]
        used = sum(bdm.volume_size or 0 for bdm in ephemerals) or instance.flavor.ephemeral_gb
        if flavor.ephemeral_gb < used:
            raise exception.ResizeError(reason='Unable to resize disk down.')

    def put_aside(self):
        """Keep the files for a revert."""
        if os.path.isdir(self.directory):
            os.rename(self.directory, self.before)

    def copy_here(self):
        """Make a copy for the new guest on this host."""
        shutil.rmtree(self.incoming, ignore_errors=True)
        self._access.make_directory(self.incoming)
        for name in self._names():
            imagebackend.copy(os.path.join(self.before, name), os.path.join(self.incoming, name))

    def copy_to(self, host):
        """Make a copy on another host, of disks that lie on nothing: what is in the image cache there is not known."""
        for name, kind in self.formats().items():
            path = os.path.join(self.before, name)
            if kind == 'qcow2' and imagebackend.backing_file(path):
                size = images.info(path, kind)['virtual-size']
                images.convert(path, kind, path + WHOLE, kind, size)
                os.rename(path + WHOLE, path)
        concurrency.run_native(transfer.send, [os.path.join(self.before, name) for name in self._names()],
                               host, self.incoming)

    def _names(self):
        """Names of the files that the new guest needs."""
        return [entry.name for entry in os.scandir(self.before) if entry.is_file(follow_symlinks=False)
                and not entry.name.endswith((WHOLE, rescue.SUFFIX))]

    def take_in(self):
        """Give the new guest its files. :raises HypervisorError: there are none"""
        if os.path.isdir(self.incoming):
            if os.path.isdir(self.directory):
                shutil.rmtree(self.directory)
            os.rename(self.incoming, self.directory)
        if not os.path.isdir(self.directory):
            raise exception.HypervisorError('The disks of the instance are missing on its host.')
        self._access.make_directory(self.directory)

    def grow(self, disks):
        """Make the disks as large as these Disks of a GuestSpec; a swap disk of another size is made anew later."""
        formats = imagebackend.read_info(self.directory)
        for disk in disks:
            path = os.path.join(self.directory, disk.name)
            if path not in formats or not os.path.exists(path):
                continue
            if disk.kind in (guest.ROOT, guest.EPHEMERAL) and disk.device == 'disk':
                images.grow(path, formats[path], disk.size)
            elif disk.kind == guest.SWAP and images.info(path, formats[path])['virtual-size'] != disk.size:
                os.unlink(path)
        if not any(disk.kind == guest.SWAP for disk in disks) and os.path.exists(self._swap):
            os.unlink(self._swap)

    @property
    def _swap(self):
        return os.path.join(self.directory, SWAP_NAME)

    def bring_back(self):
        """Undo put_aside and what came after it."""
        shutil.rmtree(self.incoming, ignore_errors=True)
        if os.path.isdir(self.before):
            if os.path.isdir(self.directory):
                shutil.rmtree(self.directory)
            os.rename(self.before, self.directory)

    def forget_before(self):
        if os.path.isdir(self.before):
            shutil.rmtree(self.before)
