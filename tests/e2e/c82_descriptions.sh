#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every description of a parameter states what `describe` does; see c82_descriptions.py.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
root=$(cd "$(dirname "$0")/../.." && pwd)
/usr/bin/python3 -c 'import msgpack' 2>/dev/null || { echo "1..0 # SKIP python3-msgpack is not installed"; exit 0; }
start_daemon
/usr/bin/python3 "$root/tests/e2e/c82_descriptions.py" "$root" "$cli" "$socket"
