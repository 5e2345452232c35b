# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The cloud as one of its users sees it: plain REST."""

import requests

from nova_lite.lab import errors


class Cloud:
    """REST calls of one user of the cloud, each answered with parsed JSON or a LabError."""

    def __init__(self, endpoints, user):
        """`endpoints` is the cloud's endpoints.Endpoints, which knows how `user` logs in."""
        self._endpoints = endpoints
        self._session = requests.Session()
        login = endpoints.login(user)
        scope = {"project": {"name": login["project_name"], "domain": _domain(login, "project")}}
        identity = {"methods": ["password"], "password": {"user": {
            "name": login["username"], "password": login["password"], "domain": _domain(login, "user")}}}
        answer = self._request("POST", "identity", "/v3/auth/tokens",
                               json={"auth": {"identity": identity, "scope": scope}})
        self.token = answer.headers["X-Subject-Token"]
        self.project_id = answer.json()["token"]["project"]["id"]
        self._session.headers["X-Auth-Token"] = self.token

    def get(self, service, path, **parameters):
        return self._request("GET", service, path, params=parameters).json()

    def post(self, service, path, body):
        answer = self._request("POST", service, path, json=body)
        return answer.json() if answer.content else {}

    def delete(self, service, path):
        self._request("DELETE", service, path)

    def upload(self, path, data):
        self._request("PUT", "image", path, data=data, headers={"Content-Type": "application/octet-stream"})

    def _request(self, method, service, path, **arguments):
        url = self._endpoints.url(service, path)
        try:
            answer = self._session.request(method, url, timeout=120, **arguments)
        except requests.RequestException as exc:
            raise errors.LabError(f"{method} {url}: {exc}") from exc
        if answer.status_code >= 400:
            raise errors.LabError(f"{method} {url}: {answer.status_code} {' '.join(answer.text.split())[:300]}")
        return answer


def _domain(login, kind):
    key = "id" if f"{kind}_domain_id" in login else "name"
    return {key: login[f"{kind}_domain_{key}"]}
