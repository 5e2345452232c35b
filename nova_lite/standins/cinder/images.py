# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The image service as volumes need it, over its REST API."""

import contextlib
import os

import requests

from nova_lite.standins import rest
from nova_lite.standins.cinder import faults

TIMEOUT = (10, 60)  # seconds to connect, and to wait for the next bytes
CHUNK = 1 << 20


class Gone(Exception):
    """The image is not there any more, or not in a state to be used."""


class Images:
    """`url` is the service's own, `service_token()` gives a token that may read and fill every image.

    What a user may see is asked with the user's own token, when the request comes. The bytes move later, with the
    service's, for they may move when that token has expired.
    """

    def __init__(self, url, service_token, session=None):
        self._url = url.rstrip('/')
        self._service_token = service_token
        self._session = session or requests.Session()
        self._session.trust_env = False

    def show(self, identifier, token):
        """The record of an image. 400: there is none for this user."""
        if not rest.is_uuid(identifier):
            raise _invisible()
        with self._call('GET', '/' + identifier, token) as answer:
            if answer.status_code in (403, 404):
                raise _invisible()
            return self._body(answer, 200)

    def create(self, fields, token):
        """A new image's record; the user's own fault where the image service refuses it."""
        with self._call('POST', '', token, json=fields) as answer:
            if 400 <= answer.status_code < 500 and answer.status_code != 401:
                raise rest.Fault(answer.status_code if answer.status_code in (403, 409, 413) else 400,
                                 'The image service refuses the image: %s' % _reason(answer))
            return self._body(answer, 201)

    def read(self, identifier):
        """(record, iterator of the bytes) of an image. :raises Gone: it cannot be read."""
        token = self._service_token()
        with self._call('GET', '/' + identifier, token) as answer:
            if answer.status_code == 404:
                raise Gone('The image %s is gone.' % identifier)
            image = self._body(answer, 200)
        if image['status'] != 'active':
            raise Gone('The image %s is not active.' % identifier)
        return image, self._pieces(identifier, token)

    def _pieces(self, identifier, token):
        with self._call('GET', '/%s/file' % identifier, token, stream=True) as answer:
            if answer.status_code != 200:
                raise Gone('The content of the image %s cannot be read: %s' % (identifier, _reason(answer)))
            yield from answer.iter_content(CHUNK)

    def fill(self, identifier, path):
        """Let an image have the content of a file. :raises Gone: it is gone, or has content already."""
        with open(path, 'rb') as file:
            size = os.fstat(file.fileno()).st_size
            with self._call('PUT', '/%s/file' % identifier, self._service_token(), data=file, headers={
                    'Content-Type': 'application/octet-stream', 'Content-Length': str(size)}) as answer:
                if answer.status_code in (404, 409, 410):
                    raise Gone(_reason(answer))
                if answer.status_code >= 400:
                    raise rest.Fault(503, 'The image service refuses the content: %s' % _reason(answer))

    def delete(self, identifier):
        """Remove an image that got no content; one that is gone already is fine."""
        with contextlib.suppress(rest.Fault), self._call('DELETE', '/' + identifier, self._service_token()):
            pass

    @contextlib.contextmanager
    def _call(self, method, path, token, headers=None, **arguments):
        try:
            with self._session.request(method, self._url + '/v2/images' + path, timeout=TIMEOUT, headers={
                    'X-Auth-Token': token, **(headers or {})}, **arguments) as answer:
                yield answer
        except requests.RequestException as error:
            raise rest.Fault(503, 'The image service does not answer: %s' % type(error).__name__) from error

    def _body(self, answer, status):
        if answer.status_code != status:
            raise rest.Fault(503, 'The image service answers %d: %s' % (answer.status_code, _reason(answer)))
        return answer.json()


def _invisible():
    return faults.bad('Invalid image identifier or unable to access requested image.')


def _reason(answer):
    """What an error says, on one line."""
    try:
        return str(answer.json()['error']['message'])[:300]
    except (ValueError, KeyError, TypeError):
        return ' '.join(answer.text.split())[:300]
