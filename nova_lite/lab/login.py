# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The service user's login at a real Keystone: from a clouds.yaml, from OS_* variables, or as the last time."""

import dataclasses
import os
import pathlib

import yaml

from nova_lite.lab import errors

NEEDED = ("username", "password", "project_name")
FILES = ("clouds.yaml", "~/.config/openstack/clouds.yaml", "/etc/openstack/clouds.yaml")


def resolve(options, environment=os.environ):
    """`options` with its `login`, a dict of `NEEDED`, the domains and region_name; None without a real Keystone.

    What the command line names wins, then OS_USERNAME and its like where --identity is said, then the record.
    """
    if not options.identity:
        return dataclasses.replace(options, cloud=None, login=None)
    if "cloud" in options.said:
        return dataclasses.replace(options, login=_of_cloud(options.cloud, environment))
    if options.login and not ("identity" in options.said and environment.get("OS_USERNAME")):
        return options
    values = {name.removeprefix("OS_").lower(): value for name, value in environment.items()
              if name.startswith("OS_") and value}
    login = _login(values, "the environment (OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME; or use --cloud NAME)")
    return dataclasses.replace(options, cloud=None, login=login)


def _of_cloud(name, environment):
    given = environment.get("OS_CLIENT_CONFIG_FILE")
    paths = [pathlib.Path(path).expanduser() for path in ([given] if given else FILES)]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise errors.LabError(f"--cloud {name}: no clouds.yaml in {', '.join(map(str, paths))}")
    try:
        cloud = yaml.safe_load(path.read_text())["clouds"][name]
        values = {**cloud["auth"], **({"region_name": cloud["region_name"]} if cloud.get("region_name") else {})}
    except OSError as exc:
        raise errors.LabError(f"{path} cannot be read: {exc.strerror}") from exc
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise errors.LabError(f"{path} describes no cloud {name} with its auth") from exc
    return _login(values, f"the cloud {name} in {path}")


def _login(values, where):
    missing = [name for name in NEEDED if not values.get(name)]
    if missing:
        raise errors.LabError(f"no {', '.join(missing)} for the real Keystone in {where}")
    login = {name: str(values[name]) for name in NEEDED}
    for domain in ("user_domain", "project_domain"):
        by_name = values.get(f"{domain}_name") and not values.get(f"{domain}_id")
        key = f"{domain}_name" if by_name else f"{domain}_id"
        login[key] = str(values.get(key) or "default")
    return login | {"region_name": str(values.get("region_name") or "RegionOne")}
