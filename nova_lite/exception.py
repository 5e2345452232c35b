# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, in families.

The family decides the answer to a client (`api/openstack/faults.py` has the one table); the class and its message say
what happened.  A message is a sentence a tenant may read: no host names, paths or addresses of the installation.
"""


class NovaException(Exception):
    """Base of all. `msg_fmt` is filled from the keyword arguments; `message` replaces it whole."""

    msg_fmt = 'An unknown exception occurred.'

    def __init__(self, message=None, **kwargs):
        self.kwargs = kwargs
        super().__init__(message or self.msg_fmt % kwargs)

    @property
    def message(self):
        return self.args[0]


# ---- families ------------------------------------------------------------------------------------------------

class Invalid(NovaException):
    """The request cannot be right (400)."""


class Forbidden(NovaException):
    """The caller may not do this (403)."""


class NotFound(NovaException):
    """What was named does not exist for the caller (404)."""


class Conflict(NovaException):
    """The state of things forbids it now (409)."""


class Unavailable(NovaException):
    """Another service does not answer (503)."""


class Abort(NovaException):
    """Ends an operation on the server side; the user reads it as the server's fault."""


# ---- Invalid -------------------------------------------------------------------------------------------------

class FlavorNotUsable(Invalid):
    msg_fmt = 'Flavor %(flavor_id)s could not be found.'


class ImageNotUsable(Invalid):
    msg_fmt = 'Image %(image_id)s is unacceptable: %(reason)s'


class ImageNotActive(Invalid):
    msg_fmt = 'Image %(image_id)s is not active.'


class FlavorDiskSmallerThanImage(Invalid):
    msg_fmt = ("Flavor's disk is too small for requested image. Flavor disk is %(flavor_size)d bytes, "
               'image is %(image_size)d bytes.')


class FlavorDiskSmallerThanMinDisk(Invalid):
    msg_fmt = ('The created instance\'s disk would be too small. Flavor disk is %(flavor_size)d GiB, '
               'minimum size is %(image_min_disk)d GiB.')


class FlavorMemoryTooSmall(Invalid):
    msg_fmt = "Flavor's memory is too small for requested image."


class UnableToAutoAllocateNetwork(Invalid):
    msg_fmt = 'Unable to automatically allocate a network for project %(project_id)s'


class FixedIpInvalid(Invalid):
    msg_fmt = 'Fixed IP address %(address)s is not valid.'


class InvalidVolume(Invalid):
    msg_fmt = 'Invalid volume: %(reason)s'


class InvalidBDM(Invalid):
    msg_fmt = 'Block Device Mapping is Invalid: %(reason)s'


class ConsoleTypeInvalid(Invalid):
    msg_fmt = 'Invalid console type %(console_type)s'


class ConsoleTypeUnavailable(Invalid):
    msg_fmt = 'Unavailable console type %(console_type)s.'


# ---- Forbidden -----------------------------------------------------------------------------------------------

class PolicyNotAuthorized(Forbidden):
    msg_fmt = "Policy doesn't allow %(action)s to be performed."


class OverQuota(Forbidden):
    msg_fmt = ('Quota exceeded for %(overs)s: Requested %(requested)s, but already used %(used)s of %(allowed)s '
               '%(overs)s')


class QuotaError(Forbidden):
    msg_fmt = 'Quota exceeded: %(reason)s'


class ImageQuotaExceeded(Forbidden):
    msg_fmt = 'Quota exceeded or out of space for image %(image_id)s in the image service.'


class ImageRefused(Forbidden):
    msg_fmt = 'The image service refuses it: %(reason)s'


class PortLimitExceeded(Forbidden):
    msg_fmt = 'Maximum number of ports exceeded'


class VolumeLimitExceeded(Forbidden):
    msg_fmt = 'The volume service refuses it: %(reason)s'


# ---- NotFound ------------------------------------------------------------------------------------------------

class InstanceNotFound(NotFound):
    msg_fmt = 'Instance %(instance_id)s could not be found.'


class FlavorNotFound(NotFound):
    msg_fmt = 'Flavor %(flavor_id)s could not be found.'


class ImageNotFound(NotFound):
    msg_fmt = 'Image %(image_id)s could not be found.'


class NetworkNotFound(NotFound):
    msg_fmt = 'Network %(network_id)s could not be found.'


class PortNotFound(NotFound):
    msg_fmt = 'Port id %(port_id)s could not be found.'


class VolumeNotFound(NotFound):
    msg_fmt = 'Volume %(volume_id)s could not be found.'


class SnapshotNotFound(NotFound):
    msg_fmt = 'Snapshot %(snapshot_id)s could not be found.'


class VolumeAttachmentNotFound(NotFound):
    msg_fmt = 'Volume attachment %(attachment_id)s could not be found.'


class SecurityGroupNotFound(NotFound):
    msg_fmt = 'Security group %(security_group_id)s not found.'


class KeypairNotFound(NotFound):
    msg_fmt = 'Keypair %(name)s not found for user %(user_id)s'


class ServiceNotFound(NotFound):
    msg_fmt = 'Service %(service_id)s could not be found.'


class ComputeHostNotFound(NotFound):
    msg_fmt = 'Compute host %(host)s could not be found.'


class AggregateNotFound(NotFound):
    msg_fmt = 'Aggregate %(aggregate_id)s could not be found.'


class ActionNotFound(NotFound):
    msg_fmt = 'Action for request_id %(request_id)s on instance %(instance_uuid)s not found'


class MarkerNotFound(Invalid):
    msg_fmt = 'Marker %(marker)s could not be found.'


class ConsoleLogNotFound(NotFound):
    msg_fmt = 'Unable to get console log of instance %(instance_id)s'


# ---- Conflict ------------------------------------------------------------------------------------------------

class InstanceInvalidState(Conflict):
    msg_fmt = "Cannot '%(method)s' instance %(instance_uuid)s while it is in %(attr)s %(state)s"


class InstanceNotRunning(Conflict):
    msg_fmt = 'Instance %(instance_id)s is not running.'


class InstanceNotRescuable(Conflict):
    msg_fmt = 'Instance %(instance_id)s cannot be rescued: %(reason)s'


class GuestAgentNotEnabled(Conflict):
    msg_fmt = 'QEMU guest agent is not enabled'


class InstancePasswordSetFailed(Conflict):
    msg_fmt = 'Failed to set admin password on %(instance)s because %(reason)s'


class CrashDumpNotSupported(Conflict):
    msg_fmt = 'Triggering crash dump is not supported'


class DiagnosticsNotSupported(Conflict):
    msg_fmt = 'The hypervisor of the server keeps no diagnostics'


class InstanceNotReady(Conflict):
    msg_fmt = 'Instance %(instance_id)s is not ready'


class KeyPairExists(Conflict):
    msg_fmt = "Key pair '%(key_name)s' already exists."


class NetworkAmbiguous(Conflict):
    msg_fmt = 'Multiple possible networks found, use a Network ID to be more specific.'


class NoUniqueMatch(Conflict):
    msg_fmt = 'Multiple security groups found matching %(name)s. Use an ID to be more specific.'


class PortInUse(Conflict):
    msg_fmt = 'Port %(port_id)s is still in use.'


class FixedIpAlreadyInUse(Conflict):
    msg_fmt = 'Fixed IP address %(address)s is already in use on instance.'


class AggregateExists(Conflict):
    msg_fmt = 'Aggregate %(name)s already exists.'


class ServiceConflict(Conflict):
    msg_fmt = 'Service with host %(host)s binary %(binary)s exists.'


# ---- Unavailable ---------------------------------------------------------------------------------------------

class ServiceUnreachable(Unavailable):
    msg_fmt = 'The %(service)s service does not answer: %(reason)s'


class CinderConnectionFailed(ServiceUnreachable):
    msg_fmt = 'Connection to cinder host failed: %(reason)s'


class VolumeBusy(CinderConnectionFailed):
    """It will be possible when the volume service has finished what it does."""

    msg_fmt = 'Volume %(volume_id)s cannot be deleted while it is being made.'


class MessagingUnavailable(Unavailable):
    msg_fmt = 'The message queue does not answer.'


# ---- Abort: ends of operations on the server side ------------------------------------------------------------

class UnexpectedTaskStateError(Abort):
    """A compare-and-swap on the state failed: somebody else moved the instance on."""

    msg_fmt = ('Conflict updating instance %(instance_uuid)s. Expected: %(expected)s. Actual: %(actual)s')


class UnexpectedDeletingTaskStateError(UnexpectedTaskStateError):
    """The instance is being deleted, or gone."""


class OperationGone(Abort):
    """An operation has ended, or another host carries it out."""

    msg_fmt = 'Operation %(operation_uuid)s is not under way any more.'


class OperationFailed(Abort):
    msg_fmt = '%(operation)s failed: %(reason)s'


class InvalidTransition(Abort):
    msg_fmt = 'No transition %(event)s from vm_state %(vm_state)s, task_state %(task_state)s.'


class NoValidHost(Abort):
    msg_fmt = 'No valid host was found. %(reason)s'


class MaxRetriesExceeded(NoValidHost):
    msg_fmt = 'Exceeded maximum number of retries. %(reason)s'


class ComputeResourcesUnavailable(Abort):
    msg_fmt = 'Insufficient compute resources: %(reason)s.'


class GroupAffinityViolation(Abort):
    msg_fmt = 'The server group policy %(policy)s cannot be kept on this host.'


class BuildAbort(Abort):
    """The build cannot succeed on any host: no reschedule."""

    msg_fmt = 'Build of instance %(instance_uuid)s aborted: %(reason)s'


class RescheduledException(Abort):
    """The build failed on this host; another may do."""

    msg_fmt = 'Build of instance %(instance_uuid)s was re-scheduled: %(reason)s'


class OperationTimedOut(Abort):
    msg_fmt = '%(operation)s did not finish in time: the last step was %(step)s.'


class ImageDownloadFailed(Abort):
    msg_fmt = 'Image %(image_id)s could not be downloaded: %(reason)s'


class ImageChecksumMismatch(ImageDownloadFailed):
    msg_fmt = 'Image %(image_id)s is corrupt: its checksum does not match.'


class ImageUnacceptable(Abort):
    msg_fmt = 'Image %(image_id)s is unacceptable: %(reason)s'


class DiskFull(Abort):
    msg_fmt = 'There is no space left on the host for %(what)s.'


class VolumeNotCreated(Abort):
    msg_fmt = 'Volume %(volume_id)s did not finish being created: %(reason)s'


class VolumeUnsupported(Abort):
    msg_fmt = 'Volumes of the kind %(kind)s cannot be attached by this hypervisor: %(reason)s'


class DeviceDetachFailed(Abort):
    msg_fmt = 'Device detach failed for %(device)s: %(reason)s'


class VirtualInterfaceCreateException(Abort):
    msg_fmt = 'Virtual Interface creation failed'


class PortBindingFailed(Abort):
    msg_fmt = 'Binding failed for port %(port_id)s.'


class NoMoreFixedIps(Abort):
    msg_fmt = 'No fixed IP addresses available for network: %(net)s'


class MigrationAborted(Abort):
    msg_fmt = 'Live migration %(migration_id)s was aborted.'


class ResizeError(Abort):
    """Refused before anything was changed: the instance goes on as it was."""

    msg_fmt = 'Resize error: %(reason)s'


class SnapshotNotPossible(Abort):
    msg_fmt = 'Instance %(instance_id)s cannot be copied to an image: %(reason)s'


class GuestAgentError(Abort):
    msg_fmt = 'The guest agent of instance %(instance_id)s did not %(operation)s.'


class HypervisorError(Abort):
    """The hypervisor refused; the text is its own, for admins (`details`)."""

    msg_fmt = 'The hypervisor could not %(operation)s: %(reason)s'


class AllocationConflict(Abort):
    msg_fmt = 'The resources on host %(host)s were taken by somebody else.'


# ---- wiring --------------------------------------------------------------------------------------------------

class ObjectVersionMismatch(NovaException):
    msg_fmt = 'Object %(name)s has version %(got)s, this process understands %(supported)s.'


class DropReply(Exception):
    """Raised by a fault point: the caller of this RPC shall not get an answer."""
