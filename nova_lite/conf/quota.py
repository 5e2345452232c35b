# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How much a project may use, and what a user may ask of one server."""

from oslo_config import cfg

_MOST = ' -1: no limit. A quota set for a project goes before it.'


def _limit(name, default, what):
    return cfg.IntOpt(name, default=default, min=-1, max=2 ** 31 - 1, help=what + _MOST)


OPTIONS = {
    None: [
        cfg.IntOpt('password_length', default=12, min=1, max=255, help='Characters of the passwords that Nova makes.'),
        cfg.IntOpt('max_local_block_devices', default=3, min=-1, max=1000,
                   help='Most disks on the host\'s own storage that one server may ask for, its root disk included. 0: '
                        'servers boot from volumes only. -1: no limit.'),
        cfg.BoolOpt('force_config_drive', default=False,
                    help='Give every server a config drive. Set it where guests cannot reach the metadata service.'),
    ],
    'api': [
        cfg.BoolOpt('enable_instance_password', default=True,
                    help='Whether the answer to a create request shows the server\'s password. Unset it where '
                         'images or hypervisors do not set passwords.'),
    ],
    'quota': [
        _limit('instances', 10, 'Servers of a project.'),
        _limit('cores', 20, 'Virtual processors of a project.'),
        _limit('ram', 50 * 1024, 'MiB of memory of a project.'),
        _limit('metadata_items', 128, 'Metadata items of one server.'),
        _limit('injected_files', 5, 'Files that a create request may put into a server.'),
        _limit('injected_file_content_bytes', 10 * 1024, 'Bytes of one such file.'),
        _limit('injected_file_path_length', 255, 'Bytes of the path of one such file.'),
        _limit('key_pairs', 100, 'Key pairs of a user.'),
        _limit('server_groups', 10, 'Server groups of a project.'),
        _limit('server_group_members', 10, 'Servers of one server group.'),
        cfg.BoolOpt('recheck_quota', default=True,
                    help='Count again after a server was recorded, and take it back when parallel requests went past '
                         'the quota together. Unset it to save a query per request.'),
    ],
}
