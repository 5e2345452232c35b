# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is under way on an instance (the API's `OS-EXT-STS:task_state`); None when nothing is."""

SCHEDULING = 'scheduling'
NETWORKING = 'networking'
BLOCK_DEVICE_MAPPING = 'block_device_mapping'
SPAWNING = 'spawning'
DELETING = 'deleting'
POWERING_OFF = 'powering-off'
POWERING_ON = 'powering-on'
REBOOTING = 'rebooting'
REBOOTING_HARD = 'rebooting_hard'
PAUSING = 'pausing'
UNPAUSING = 'unpausing'
SUSPENDING = 'suspending'
RESUMING = 'resuming'
RESCUING = 'rescuing'
UNRESCUING = 'unrescuing'
UPDATING_PASSWORD = 'updating_password'
REBUILDING = 'rebuilding'
REBUILD_BLOCK_DEVICE_MAPPING = 'rebuild_block_device_mapping'
REBUILD_SPAWNING = 'rebuild_spawning'
IMAGE_SNAPSHOT_PENDING = 'image_snapshot_pending'
IMAGE_SNAPSHOT = 'image_snapshot'
IMAGE_PENDING_UPLOAD = 'image_pending_upload'
IMAGE_UPLOADING = 'image_uploading'
IMAGE_BACKUP = 'image_backup'
RESIZE_PREP = 'resize_prep'
RESIZE_MIGRATING = 'resize_migrating'
RESIZE_MIGRATED = 'resize_migrated'
RESIZE_FINISH = 'resize_finish'
RESIZE_REVERTING = 'resize_reverting'
RESIZE_CONFIRMING = 'resize_confirming'
MIGRATING = 'migrating'
SHELVING = 'shelving'
SHELVING_IMAGE_PENDING_UPLOAD = 'shelving_image_pending_upload'
SHELVING_IMAGE_UPLOADING = 'shelving_image_uploading'
SHELVING_OFFLOADING = 'shelving_offloading'
UNSHELVING = 'unshelving'
SOFT_DELETING = 'soft-deleting'
RESTORING = 'restoring'

ALL = frozenset(value for name, value in list(globals().items()) if name.isupper())
BUILD = (SCHEDULING, None, NETWORKING, BLOCK_DEVICE_MAPPING, SPAWNING)
# What an operation on a built server may have set; None: some show nothing.
OPERATION = (None, *sorted(ALL - {SCHEDULING, NETWORKING, BLOCK_DEVICE_MAPPING, SPAWNING, DELETING}))
