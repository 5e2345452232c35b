# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Client of the volume service (Cinder v3): volumes, snapshots and attachments.

A request with the caller's token sees what the caller may see. A context without one (it came over RPC) makes it a
request of the service user, which sees everything; so volumes are made where the caller's token is, in nova-api.
"""

import dataclasses
import http.client
import logging
import urllib.parse

from nova_lite import exception
from nova_lite import http as services

LOG = logging.getLogger(__name__)

SERVICE = 'volume'
# Attachments can be completed since 3.44, and several servers may have a volume whose type says so since 3.50.
MICROVERSION = '3.50'
PAGE = 500      # attachments in one answer
AVAILABLE, CREATING, DOWNLOADING, IN_USE, ERROR = 'available', 'creating', 'downloading', 'in-use', 'error'


@dataclasses.dataclass(frozen=True)
class Volume:
    """size in GiB; `attachments`: {uuid of a server that has it: attachment id}; `image_metadata`: what the volume
    keeps of the image that it was made from."""

    id: str
    status: str
    size: int
    name: str | None = None
    availability_zone: str | None = None
    bootable: bool = False
    multiattach: bool = False
    encrypted: bool = False
    volume_type: str | None = None
    image_metadata: dict = dataclasses.field(default_factory=dict)
    attachments: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """size in GiB; `volume_id`: of what it was taken."""

    id: str
    status: str
    size: int
    volume_id: str


@dataclasses.dataclass(frozen=True)
class Attachment:
    """connection_info: {'driver_volume_type', 'data'}, how the host reaches the volume; {} while none is known."""

    id: str
    volume_id: str
    instance_id: str | None
    status: str
    connection_info: dict = dataclasses.field(default_factory=dict)


def from_conf(conf):
    """The client by `[cinder]`."""
    if conf.cinder.auth_type and not conf.service_user.send_service_user_token:
        LOG.error('[service_user]send_service_user_token is not set: volumes cannot be detached safely, and a volume '
                  'service that knows the danger refuses to detach them.')
    kind, name, interface = conf.cinder.catalog_info.split(':')
    adapter = services.adapter(
        conf, 'cinder', service_type=kind, service_name=name or None, interface=interface.removesuffix('URL'),
        connect_retries=conf.cinder.http_retries)
    return API(adapter, conf.cinder.cross_az_attach)


class API:
    """`adapter`: a keystoneauth Adapter for the volume service; `cross_az_attach`: zones do not matter."""

    def __init__(self, adapter, cross_az_attach=True):
        self._adapter = adapter
        self.cross_az_attach = cross_az_attach

    # ---- volumes -------------------------------------------------------------------------------------------------

    def get(self, ctxt, volume_id):
        """The Volume. :raises VolumeNotFound: also when it is not the caller's; CinderConnectionFailed:"""
        missing = exception.VolumeNotFound(volume_id=volume_id)
        return _volume(self._call(ctxt, 'GET', '/volumes/' + _quoted(volume_id), missing)['volume'])

    def create(self, ctxt, size, name, *, snapshot_id=None, image_id=None, volume_type=None, availability_zone=None):
        """Have a volume of `size` GiB made; it is there when its status says so. :returns: the Volume

        :raises Invalid: of that size, source or type there can be none; VolumeLimitExceeded, CinderConnectionFailed:
        """
        wanted = {'size': size, 'name': name, 'description': '', 'snapshot_id': snapshot_id, 'imageRef': image_id,
                  'volume_type': volume_type, 'availability_zone': availability_zone}
        body = {'volume': {key: value for key, value in wanted.items() if value is not None}}
        return _volume(self._call(ctxt, 'POST', '/volumes', None, body)['volume'])

    def delete(self, ctxt, volume_id):
        """Have a volume deleted; one that is gone is fine. :raises InvalidVolume: it may not be deleted now"""
        self._delete(ctxt, '/volumes/' + _quoted(volume_id))

    def get_snapshot(self, ctxt, snapshot_id):
        """:raises SnapshotNotFound, CinderConnectionFailed:"""
        missing = exception.SnapshotNotFound(snapshot_id=snapshot_id)
        found = self._call(ctxt, 'GET', '/snapshots/' + _quoted(snapshot_id), missing)['snapshot']
        return Snapshot(id=found['id'], status=found['status'], size=found['size'], volume_id=found['volume_id'])

    # ---- may a server have it ------------------------------------------------------------------------------------

    def check_attach(self, ctxt, volume, instance=None):
        """:raises InvalidVolume: its status, its other servers or its zone forbid that the Instance gets it"""
        if instance is not None and instance.uuid in volume.attachments:
            raise exception.InvalidVolume(reason='volume %s is already attached to this server' % volume.id)
        if volume.status == IN_USE and not volume.multiattach:
            raise exception.InvalidVolume(reason='volume %s is already attached to another server' % volume.id)
        if volume.status not in (AVAILABLE, IN_USE):
            raise exception.InvalidVolume(reason='volume %s has the status %s, and must be %s'
                                          % (volume.id, volume.status, AVAILABLE))
        if instance is not None:
            self.check_availability_zone(volume, instance.availability_zone)

    def check_availability_zone(self, volume, zone):
        """:raises InvalidVolume: volumes may not cross zones, and this one is in another than `zone` (None: any)"""
        if not self.cross_az_attach and zone is not None and zone != volume.availability_zone:
            raise exception.InvalidVolume(reason='volume %s is in the availability zone %s, the server in %s'
                                          % (volume.id, volume.availability_zone, zone))

    # ---- attachments ---------------------------------------------------------------------------------------------

    def attachment_create(self, ctxt, volume_id, instance_id):
        """Reserve a volume for a server. :returns: the Attachment

        :raises VolumeNotFound; InvalidVolume: somebody else has it, or it is not whole yet; CinderConnectionFailed:
        """
        body = {'attachment': {'volume_uuid': volume_id, 'instance_uuid': instance_id}}
        missing = exception.VolumeNotFound(volume_id=volume_id)
        return _attachment(self._call(ctxt, 'POST', '/attachments', missing, body)['attachment'])

    def attachment_update(self, ctxt, attachment_id, connector, mountpoint):
        """Let a host reach the volume. connector: the driver's get_volume_connector. :returns: the Attachment

        :raises VolumeAttachmentNotFound, InvalidVolume, CinderConnectionFailed:
        """
        body = {'attachment': {'connector': {**connector, 'mountpoint': mountpoint}}}
        return _attachment(self._call(ctxt, 'PUT', '/attachments/' + _quoted(attachment_id),
                                      _no_attachment(attachment_id), body)['attachment'])

    def attachment_complete(self, ctxt, attachment_id):
        """The server has the volume: it is in use. :raises VolumeAttachmentNotFound, CinderConnectionFailed:"""
        self._call(ctxt, 'POST', '/attachments/%s/action' % _quoted(attachment_id), _no_attachment(attachment_id),
                   {'os-complete': {}})

    def attachment_delete(self, ctxt, attachment_id):
        """Let go of a volume; an attachment that is gone is fine.

        :raises Conflict: the service takes this from services only, and no service token was sent
        """
        self._delete(ctxt, '/attachments/' + _quoted(attachment_id))

    def attachment_get_all(self, ctxt, instance_id=None):
        """[Attachment…] that a server has, or all there are, without connection_info, whoever recorded them."""
        found, query = [], {'limit': PAGE, 'all_tenants': 1}
        if instance_id is not None:
            query['instance_id'] = instance_id
        while True:
            page = self._call(ctxt, 'GET', '/attachments?' + urllib.parse.urlencode(query), None)['attachments']
            found += [_attachment(item) for item in page]
            if len(page) < PAGE:
                return found
            query['marker'] = page[-1]['id']

    # ---- requests ------------------------------------------------------------------------------------------------

    def _call(self, ctxt, method, path, missing, body=None):
        """The body of the answer, None where it has none. missing: what a 404 means."""
        response = self._request(ctxt, method, path, body)
        if response.status_code >= http.client.BAD_REQUEST:
            raise _refusal(response, missing)
        return services.body(response, SERVICE) if response.status_code != http.client.NO_CONTENT else None

    def _delete(self, ctxt, path):
        response = self._request(ctxt, 'DELETE', path, None)
        if response.status_code >= http.client.BAD_REQUEST and response.status_code != http.client.NOT_FOUND:
            raise _refusal(response, None)

    def _request(self, ctxt, method, path, body):
        caller = services.on_behalf_of(ctxt)
        caller['headers'] = {**caller['headers'], 'OpenStack-API-Version': 'volume ' + MICROVERSION}
        if body is not None:
            caller['json'] = body
        try:
            return services.request(self._adapter, method, path, SERVICE, endpoint_override=self._endpoint(ctxt),
                                    **caller)
        except exception.CinderConnectionFailed:
            raise
        except exception.ServiceUnreachable as exc:
            raise exception.CinderConnectionFailed(reason=exc.kwargs['reason']) from exc

    def _endpoint(self, ctxt):
        """The service's URL. Where it has a project's id in it, that has to be the caller's."""
        url, own = services.endpoint(self._adapter, SERVICE)
        if ctxt.auth_token and own and url.endswith('/' + own):
            return url.removesuffix(own) + ctxt.project_id
        return url


def _quoted(identifier):
    return urllib.parse.quote(str(identifier), safe='')


def _no_attachment(attachment_id):
    return exception.VolumeAttachmentNotFound(attachment_id=attachment_id)


def _refusal(response, missing):
    """Our exception for an answer of 4xx or 5xx."""
    text = _message(response) or 'HTTP %d' % response.status_code
    if response.status_code == http.client.NOT_FOUND:
        return missing or exception.Invalid(text)
    if response.status_code == http.client.BAD_REQUEST:
        prefix = 'Invalid volume: '
        return (exception.InvalidVolume(reason=text.removeprefix(prefix)) if text.startswith(prefix)
                else exception.Invalid(text))
    if response.status_code == http.client.REQUEST_ENTITY_TOO_LARGE:
        return exception.VolumeLimitExceeded(reason=text)
    if response.status_code == http.client.FORBIDDEN:
        return exception.Forbidden(text)
    if response.status_code == http.client.CONFLICT:
        return exception.Conflict(text)
    return exception.CinderConnectionFailed(reason='HTTP %d' % response.status_code)


def _message(response):
    """What an error body of the volume service says, '' where it is none of its own."""
    try:
        [fault] = response.json().values()
        return fault['message']
    except (ValueError, KeyError, TypeError, AttributeError):
        return ''


def _volume(found):
    return Volume(
        id=found['id'], status=found['status'], size=found['size'], name=found.get('name'),
        availability_zone=found.get('availability_zone'), bootable=str(found.get('bootable')).lower() == 'true',
        multiattach=bool(found.get('multiattach')), encrypted=bool(found.get('encrypted')),
        volume_type=found.get('volume_type'), image_metadata=found.get('volume_image_metadata') or {},
        attachments={item['server_id']: item.get('attachment_id') for item in found.get('attachments', ())})


def _attachment(found):
    return Attachment(id=found['id'], volume_id=found['volume_id'], instance_id=found.get('instance'),
                      status=found['status'], connection_info=_connection(found.get('connection_info')))


def _connection(found):
    """{'driver_volume_type', 'data'} of what the service tells in one; {} of nothing."""
    if not found:
        return {}
    return {'driver_volume_type': found.get('driver_volume_type'),
            'data': {name: value for name, value in found.items() if name != 'driver_volume_type'}}
