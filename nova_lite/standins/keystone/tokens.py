# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Tokens: what one says, sealed by Fernet, and the check of one against the directory as it is now.

A token holds user, scope, methods and times, nothing else. Roles are looked up at each check, so a role that
was taken away, or a user who was disabled, is felt at once.
"""

import base64
import dataclasses
import json
import os
import time

from cryptography import fernet

from nova_lite.standins import identity

MAX_TOKEN = 2048
CACHED = 4096


@dataclasses.dataclass(slots=True, frozen=True)
class Scope:
    """What a token is for: kind is project, domain, system or '' (unscoped); id is empty for the last two."""

    kind: str = ''
    id: str = ''


class Tokens:
    """Issues and checks tokens. `key` is a Fernet key, `lifetime` seconds."""

    def __init__(self, directory, key, lifetime):
        self._directory = directory
        self._fernet = fernet.Fernet(key)
        self._lifetime = lifetime
        self._cache = {}  # token: (generation of the directory, identity)

    def issue(self, user, scope, methods, parent=None, credential=None):
        """(token, identity) for `user`, a document; None where the scope is not theirs.

        `parent`, an identity, is the token that this one was got with, `credential` the document of the application
        credential: it lives no longer than these.
        """
        now = time.time()
        expires = parent.expires_at if parent else now + self._lifetime
        if credential and credential['expires_at']:
            expires = min(expires, credential['expires_at'])
        audit_ids = [base64.urlsafe_b64encode(os.urandom(16)).rstrip(b'=').decode()]
        if parent:
            audit_ids.append(parent.audit_ids[-1])
        content = [user['id'], scope.kind, scope.id, sorted(methods), now, expires, audit_ids]
        if credential:
            content.append(credential['id'])
        who = self._describe(content)
        if who is None:
            return None
        return self._fernet.encrypt(json.dumps(content, separators=(',', ':')).encode()).decode(), who

    def identify(self, token):
        """The identity behind a token; None when it is forged, expired, revoked or without meaning."""
        cached = self._cache.get(token)
        if cached is not None and cached[0] == self._directory.generation:
            who = cached[1]
        else:
            who = self._read(token)
            if who is not None:
                if len(self._cache) >= CACHED:
                    self._cache.clear()
                self._cache[token] = (self._directory.generation, who)
        return who if who is not None and who.expires_at > time.time() else None

    def _read(self, token):
        if len(token) > MAX_TOKEN:
            return None
        try:
            content = json.loads(self._fernet.decrypt(token))
        except (fernet.InvalidToken, ValueError):
            return None
        return self._describe(content)

    def _describe(self, content):
        user_id, kind, target_id, methods, issued, expires, audit_ids, *credential_id = content
        directory = self._directory
        user = directory.users.by_id.get(user_id)
        if user is None or not user['enabled'] or issued < user.get('valid_since', 0):
            return None
        domain = directory.domains.by_id[user['domain_id']]
        if not domain['enabled'] or audit_ids[0] in directory.revocations.by_id:
            return None
        scope = self._scope_fields(kind, target_id)
        if scope is None:
            return None
        roles = directory.effective(directory.held(user_id, kind, target_id)) if kind else []
        if credential_id:
            credential = directory.application_credentials.by_id.get(credential_id[0])
            if credential is None or (kind, target_id) != ('project', credential['project_id']):
                return None
            given = directory.effective([role for role in directory.roles if role['id'] in credential['roles']])
            roles = [role for role in roles if role in given]
            scope.update(application_credential_id=credential['id'], restricted=not credential['unrestricted'])
        if kind and not roles:
            return None
        return identity.Identity(
            user_id=user_id, user_name=user['name'], user_domain_id=user['domain_id'],
            roles=frozenset(role['name'] for role in roles), methods=tuple(methods), issued_at=issued,
            expires_at=expires, audit_ids=tuple(audit_ids), **scope)

    def _scope_fields(self, kind, target_id):
        """The fields of an identity that tell its scope, or None when the scope is gone or disabled."""
        if kind == 'project':
            project = self._directory.projects.by_id.get(target_id)
            if project is None or not project['enabled']:
                return None
            if not self._directory.domains.by_id[project['domain_id']]['enabled']:
                return None
            return {'project_id': project['id'], 'project_name': project['name'],
                    'project_domain_id': project['domain_id']}
        if kind == 'domain':
            domain = self._directory.domains.by_id.get(target_id)
            return {'domain_id': target_id} if domain and domain['enabled'] else None
        return {'system': kind == 'system'}


def load_key(path):
    """The key in the file at `path`, made (0600) when the file is not there."""
    try:
        with open(path, 'rb') as file:
            return file.read().strip()
    except FileNotFoundError:
        key = fernet.Fernet.generate_key()
        temporary = path + '.new'
        with open(os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), 'wb') as file:
            file.write(key)
        os.rename(temporary, path)
        return key
