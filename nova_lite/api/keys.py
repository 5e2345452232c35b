# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Key pairs as such: checked, fingerprinted, and made for users who bring none (up to microversion 2.91)."""

import base64
import datetime
import hashlib
import re

from cryptography import exceptions as crypto_exc
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509 import oid

from nova_lite import exception

RSA_BITS = 2048
CERTIFICATE_DAYS = 3650
COMMENT = 'Generated-by-Nova'
USER_PRINCIPAL_NAME = x509.ObjectIdentifier('1.3.6.1.4.1.311.20.2.3')

# Kinds of public keys that OpenSSH takes and cryptography does not read: their form alone is checked.
_OPAQUE = re.compile(r'(sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com|ssh-dss)\Z')
INVALID = 'Keypair data is invalid: failed to generate fingerprint'


def ssh_fingerprint(public_key):
    """The MD5 fingerprint of an OpenSSH public key, as `aa:bb:…`. :raises exception.Invalid: it is no such key"""
    try:
        kind, blob = public_key.split(None, 2)[:2]
        if not _OPAQUE.match(kind):
            serialization.load_ssh_public_key(('%s %s' % (kind, blob)).encode())
        raw = base64.b64decode(blob, validate=True)
        name = kind.encode()
        if raw[:4 + len(name)] != len(name).to_bytes(4, 'big') + name:
            raise ValueError('the key is of another kind than it says')
    except (ValueError, TypeError, crypto_exc.UnsupportedAlgorithm) as exc:
        raise exception.Invalid(INVALID) from exc
    return _colons(hashlib.md5(raw, usedforsecurity=False).hexdigest())


def x509_fingerprint(certificate):
    """The SHA-1 fingerprint of a PEM certificate, as `aa:bb:…`. :raises exception.Invalid: it is none"""
    try:
        loaded = x509.load_pem_x509_certificate(certificate.encode())
        return _colons(loaded.fingerprint(hashes.SHA1()).hex())
    except (ValueError, TypeError, crypto_exc.UnsupportedAlgorithm) as exc:
        raise exception.Invalid(INVALID) from exc


def make_ssh():
    """(private key as PEM, public key in OpenSSH's form)."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=RSA_BITS)
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return _private_pem(key), '%s %s\n' % (public.decode(), COMMENT)


def make_x509(user_id):
    """(private key as PEM, self-signed certificate for `user_id` as PEM), for log-ins of Windows guests."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=RSA_BITS)
    name = x509.Name([x509.NameAttribute(oid.NameOID.COMMON_NAME, user_id[:64])])
    now = datetime.datetime.now(datetime.timezone.utc)
    # the user principal name: a DER UTF8String (length below 128)
    principal = b'\x0c' + bytes([len(user_id.encode()[:100])]) + user_id.encode()[:100]
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now).not_valid_after(now + datetime.timedelta(days=CERTIFICATE_DAYS))
        .add_extension(x509.ExtendedKeyUsage([oid.ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.OtherName(USER_PRINCIPAL_NAME, principal)]), critical=False)
        .sign(key, hashes.SHA256()))
    return _private_pem(key), certificate.public_bytes(serialization.Encoding.PEM).decode()


def _private_pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
                             serialization.NoEncryption()).decode()


def _colons(digest):
    return ':'.join(digest[index:index + 2] for index in range(0, len(digest), 2))
