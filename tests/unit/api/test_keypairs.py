# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Key pairs over the microversions, and the keys themselves."""

import re

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric import ed25519

from nova_lite import exception
from nova_lite.api import keys

# a key made for this test; its MD5 fingerprint is what `ssh-keygen -l -E md5` says of it
PUBLIC = ('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl')
FINGERPRINT = re.compile(r'([0-9a-f]{2}:){15}[0-9a-f]{2}\Z')
OPENSSH = (serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)


def test_import_and_show(demo):
    made = demo(version='2.2').post('/os-keypairs', {'keypair': {'name': 'k', 'public_key': PUBLIC}}, 201)['keypair']
    assert FINGERPRINT.match(made['fingerprint'])
    assert made == {'name': 'k', 'public_key': PUBLIC, 'type': 'ssh', 'user_id': 'demo',
                    'fingerprint': made['fingerprint']}
    shown = demo(version='2.2').get('/os-keypairs/k')['keypair']
    assert set(shown) - set(made) == {'id', 'created_at', 'updated_at', 'deleted', 'deleted_at'}
    assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}', shown['created_at'])
    assert 'type' not in demo().get('/os-keypairs/k')['keypair']
    assert demo().get('/os-keypairs') == {'keypairs': [{'keypair': {
        'name': 'k', 'public_key': PUBLIC, 'fingerprint': made['fingerprint']}}]}


@pytest.mark.parametrize(('version', 'created', 'deleted'), [('2.1', 200, 202), ('2.2', 201, 204), ('2.104', 201, 204)])
def test_status_codes(demo, version, created, deleted):
    client = demo(version=version)
    client.post('/os-keypairs', {'keypair': {'name': 'k', 'public_key': PUBLIC}}, created)
    assert client.post('/os-keypairs', {'keypair': {'name': 'k', 'public_key': PUBLIC}}, 409) == (
        "Key pair 'k' already exists.")
    client.delete('/os-keypairs/k', deleted)
    client.delete('/os-keypairs/k', 404)
    client.get('/os-keypairs/k', 404)


def test_made_keys(demo):
    made = demo().post('/os-keypairs', {'keypair': {'name': 'k'}})['keypair']
    private = serialization.load_pem_private_key(made['private_key'].encode(), None)
    assert made['public_key'].startswith(private.public_key().public_bytes(*OPENSSH).decode())
    made = demo(version='2.2').post('/os-keypairs', {'keypair': {'name': 'x', 'type': 'x509'}}, 201)['keypair']
    certificate = x509.load_pem_x509_certificate(made['public_key'].encode())
    private = serialization.load_pem_private_key(made['private_key'].encode(), None)
    assert certificate.public_key().public_numbers() == private.public_key().public_numbers()
    assert len(made['fingerprint']) == 59
    assert 'private_key' not in demo(version='2.2').get('/os-keypairs/x')['keypair']
    demo(version='2.92').post('/os-keypairs', {'keypair': {'name': 'y'}}, 400)


@pytest.mark.parametrize(('version', 'values', 'status'), [
    ('2.91', {'name': 'a@b.c'}, 400), ('2.92', {'name': 'a@b.c'}, 201), ('2.2', {'name': 'a b_c-d'}, 201),
    ('2.2', {'name': 'ä'}, 400), ('2.2', {'name': ''}, 400), ('2.2', {'name': 'a' * 256}, 400),
    ('2.2', {'name': ' a'}, 400), ('2.2', {'type': 'pgp'}, 400), ('2.1', {'type': 'ssh'}, 400),
    ('2.9', {'user_id': 'demo'}, 400), ('2.10', {'user_id': 'demo'}, 201), ('2.10', {'user_id': 'other'}, 403),
    ('2.2', {'public_key': ''}, 400), ('2.2', {'public_key': 'ssh-rsa AAAA'}, 400),
    ('2.2', {'public_key': PUBLIC.replace('ed25519', 'rsa', 1)}, 400), ('2.2', {'type': 'x509'}, 400),
    ('2.2', {'public_key': 5}, 400), ('2.2', {'foo': 1}, 400)])
def test_refused_and_taken(demo, version, values, status):
    demo(version=version).post('/os-keypairs', {'keypair': {'name': 'k', 'public_key': PUBLIC} | values}, status)


def test_keys_belong_to_users(demo, admin):
    demo().post('/os-keypairs', {'keypair': {'name': 'k', 'public_key': PUBLIC}})
    assert demo('other').get('/os-keypairs') == {'keypairs': []}
    demo('other').get('/os-keypairs/k', 404)
    demo('other', version='2.10').get('/os-keypairs/k?user_id=demo', 403)
    demo('other', version='2.10').delete('/os-keypairs/k?user_id=demo', 403)
    demo('other', version='2.10').get('/os-keypairs?user_id=demo', 403)
    admin(version='2.10').get('/os-keypairs/k?user_id=demo')
    admin(version='2.9').get('/os-keypairs/k?user_id=demo', 404)
    admin(version='2.10').delete('/os-keypairs/k?user_id=demo')


def test_pages_and_quota(demo, admin):
    for number in range(3):
        demo().post('/os-keypairs', {'keypair': {'name': 'k%d' % number, 'public_key': PUBLIC}})
    page = demo(version='2.35').get('/os-keypairs?limit=2')
    assert [item['keypair']['name'] for item in page['keypairs']] == ['k0', 'k1']
    assert page['keypairs_links'][0]['href'].endswith('/os-keypairs?limit=2&marker=k1')
    assert len(demo(version='2.35').get('/os-keypairs?limit=2&marker=k1')['keypairs']) == 1
    assert len(demo(version='2.34').get('/os-keypairs?limit=2')['keypairs']) == 3
    demo(version='2.35').get('/os-keypairs?marker=nothing', 400)
    admin().put('/os-quota-sets/demo', {'quota_set': {'key_pairs': 3}})
    assert demo().post('/os-keypairs', {'keypair': {'name': 'k9', 'public_key': PUBLIC}}, 403) == (
        'Quota exceeded, too many key pairs.')


def test_fingerprints():
    for key in (ed25519.Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1())):
        text = key.public_key().public_bytes(*OPENSSH).decode()
        assert FINGERPRINT.match(keys.ssh_fingerprint(text))
        assert keys.ssh_fingerprint(text) == keys.ssh_fingerprint(text + ' user@host with blanks\n')
    assert keys.ssh_fingerprint(PUBLIC) == '65:96:2d:fc:e8:d5:a9:11:64:0c:0f:ea:00:6e:5b:bd'
    for text in ('', 'x', 'ssh-rsa', 'ssh-dss AAAA', 'ssh-ed25519 !!!', 'ssh-rsa ' + 'A' * 60000):
        with pytest.raises(exception.Invalid):
            keys.ssh_fingerprint(text)
    for text in ('', 'x', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'):
        with pytest.raises(exception.Invalid):
            keys.x509_fingerprint(text)
