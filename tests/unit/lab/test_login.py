# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The login at a real Keystone: where it comes from, and what is said when it does not."""

import pytest

from nova_lite.lab import errors
from nova_lite.lab import login
from nova_lite.lab import options as lab_options

URL = "http://keystone:5000"
KNOWN = {"username": "old"}
VARIABLES = {"OS_USERNAME": "nova", "OS_PASSWORD": "p", "OS_PROJECT_NAME": "service",
             "OS_USER_DOMAIN_NAME": "Services", "OS_REGION_NAME": "north"}
CLOUDS = """
clouds:
  north:
    region_name: N1
    auth: {auth_url: http://elsewhere, username: nova, password: 12345, project_name: service, user_domain_id: d1}
  secretless:
    auth: {username: nova, project_name: service}
  empty:
"""


def resolve(environment, **values):
    return login.resolve(lab_options.Options(identity=URL, **values), environment)


@pytest.fixture
def clouds(tmp_path):
    path = tmp_path / "clouds.yaml"
    path.write_text(CLOUDS)
    return {"OS_CLIENT_CONFIG_FILE": str(path)}


def test_from_the_environment():
    assert resolve(VARIABLES, said=frozenset(["identity"]), login=KNOWN).login == {
        "username": "nova", "password": "p", "project_name": "service", "user_domain_name": "Services",
        "project_domain_id": "default", "region_name": "north"}


def test_from_a_clouds_yaml(clouds):
    assert resolve(clouds | VARIABLES, cloud="north", said=frozenset(["cloud"])).login == {
        "username": "nova", "password": "12345", "project_name": "service", "user_domain_id": "d1",
        "project_domain_id": "default", "region_name": "N1"}


def test_a_later_start_takes_the_recorded_login():
    assert resolve(VARIABLES, login=KNOWN).login == KNOWN
    assert resolve({}, login=KNOWN, said=frozenset(["identity"])).login == KNOWN


def test_the_stand_in_needs_none():
    options = lab_options.Options(identity="", cloud="north", login=KNOWN)
    assert (login.resolve(options, VARIABLES).login, login.resolve(options, {}).cloud) == (None, None)


@pytest.mark.parametrize(("cloud", "message"), [
    ("south", "describes no cloud south"), ("empty", "describes no cloud empty"), ("secretless", "no password for"),
])
def test_what_is_missing_is_said(clouds, cloud, message):
    with pytest.raises(errors.LabError, match=message):
        resolve(clouds, cloud=cloud, said=frozenset(["cloud"]))


def test_no_login_at_all(tmp_path):
    with pytest.raises(errors.LabError, match="no username, password, project_name for the real Keystone"):
        resolve({})
    with pytest.raises(errors.LabError, match="no clouds.yaml in"):
        resolve({"OS_CLIENT_CONFIG_FILE": str(tmp_path / "none")}, cloud="x", said=frozenset(["cloud"]))
