# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Makes an image of a server's root disk (createImage), and backups of which only the newest are kept (createBackup).

The API has made the image already, without bytes. It gets them here, or is deleted: who sees it sees it whole or not at
all.
"""

import logging

from nova_lite import exception
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import operation
from nova_lite.virt import abilities

LOG = logging.getLogger(__name__)

CONTAINER = 'bare'
BACKUP = 'backup'


class ImageMaking(operation.ServerOperation):
    """An operation with a step that fills the image `self.arguments['image_id']`."""

    pending, uploading = 'image_pending_upload', 'image_uploading'     # transitions on the way

    @property
    def image_id(self):
        return self.arguments['image_id']

    def make_image(self):
        """Copy the root disk and give the copy to the image service.

        :raises ImageNotFound: the image was deleted meanwhile, and what drivers and the image service raise
        """
        driver = self.ability(abilities.Snapshots, 'making an image')
        with driver.snapshot(self.ctxt, self.instance, self.block_devices) as copy:
            self.task.transition(self.pending)
            self.tools.image.update(self.ctxt, self.image_id, {
                'disk_format': copy.disk_format, 'container_format': CONTAINER})
            self.task.transition(self.uploading)
            with open(copy.path, 'rb') as data:
                self.tools.image.upload(self.ctxt, self.image_id, data)

    def withdraw(self, exc):
        """Delete the image, unless it is to be kept whatever else failed."""
        if self.arguments.get('image_id') and not self.data.get('kept'):
            delete_image(self.tools, self.ctxt, self.image_id)


def delete_image(tools, ctxt, image_id):
    """Delete an image; one that is gone is fine."""
    try:
        tools.image.delete(ctxt, image_id)
    except exception.ImageNotFound:
        LOG.info('Image %s is gone already', image_id)


class CreateImage(ImageMaking):
    event, notification, finished = 'compute_snapshot_instance', 'snapshot', 'image_made'

    def steps(self):
        return [steps.Step('snapshot', self.make_image, transition='image_snapshot', interruptible=True)]


class CreateBackup(ImageMaking):
    """Arguments: image_id, backup_type and rotation: how many backups of the type are to be there afterwards."""

    event, notification, finished = 'compute_backup_instance', 'snapshot', 'image_made'

    def steps(self):
        copying = steps.Step('snapshot', self.make_image, transition='image_snapshot', interruptible=True)
        rotation = steps.Step('rotate_backups', self._rotate, self._keep)
        return [rotation] if self.arguments.get('rotation') == 0 else [copying, rotation]

    def _keep(self, exc):
        """Once older ones may have been deleted, the new backup stays, whatever fails; unless none is to stay."""
        self.data['kept'] = self.arguments['rotation'] > 0

    def _rotate(self):
        """Delete the oldest backups of the type, so that `rotation` are left, this one among them."""
        found = self.tools.image.list(self.ctxt, {
            'image_type': BACKUP, 'backup_type': self.arguments['backup_type'], 'instance_uuid': self.instance.uuid,
            'owner': self.instance.project_id})
        found.sort(key=lambda image: image['id'] != self.image_id)      # those of one second have no order of their own
        for image in found[self.arguments['rotation']:]:
            LOG.info('Deleting backup %s, of which there are newer ones', image['id'])
            try:
                delete_image(self.tools, self.ctxt, image['id'])
            except (exception.ImageRefused, exception.Conflict) as exc:
                LOG.warning('Backup %s stays: %s', image['id'], exc)
