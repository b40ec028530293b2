#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Transforms beside scipy.fft, through a daemon. scipy is installed for check-full; where it is not, this is skipped.
set -u
/usr/bin/python3 -c 'import msgpack, scipy.fft' 2>/dev/null || {
	echo "1..0 # SKIP python3-scipy is not installed"
	exit 0
}
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
script=$(cd "$(dirname "$0")" && pwd)/c42_scipy.py
start_daemon --threads 2
SOCKET=$socket CLI=$cli timeout 100 /usr/bin/python3 "$script"
