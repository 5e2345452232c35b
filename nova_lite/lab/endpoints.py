# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where each service of a cloud answers, stand-in or real, and who logs in there."""

import requests

from nova_lite.lab import errors
from nova_lite.lab import options as lab_options
from nova_lite.lab import rest

REGION = "RegionOne"
SECONDS = 15        # for one answer of a real service


class Endpoints:
    """The services around one cloud's Nova. `keys` is what secrets.load returned."""

    def __init__(self, layout, options, keys):
        self._layout = layout
        self._keys = keys
        self._login = options.login
        self.real = {name: getattr(options, name) for name in lab_options.REAL if getattr(options, name)}
        self.stand_ins = tuple(name for name in lab_options.REAL if name not in self.real)
        self.region = self._login["region_name"] if "identity" in self.real else REGION

    def url(self, name, path=""):
        """The URL of a service, Nova's own included, with `path` behind it."""
        return self.real[name] + path if name in self.real else self._layout.url(name, path)

    def login(self, user):
        """How `user` (admin, demo, nova) logs in: a dict of keystoneauth's names for username, password, project and
        domains. A real Keystone is known by its service user only, who then stands for all.
        """
        if "identity" in self.real:
            return {name: value for name, value in self._login.items() if name != "region_name"}
        project, key = ("service", "service_password") if user == "nova" else (user, f"{user}_password")
        return {"username": user, "password": self._keys[key], "project_name": project,
                "user_domain_id": "default", "project_domain_id": "default"}

    def check(self):
        """LabError when a real service does not answer, answers with 5xx, or when the login is refused."""
        for name, url in self.real.items():
            try:
                status = requests.get(f"{url}/", timeout=SECONDS).status_code
            except requests.RequestException as exc:
                raise errors.LabError(f"--{name} {url} does not answer: {type(exc).__name__}") from exc
            if status >= 500:
                raise errors.LabError(f"--{name} {url} answers with HTTP {status}")
        if "identity" in self.real:
            rest.Cloud(self, "nova")
