#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws, sums and checkpoints over ranks.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
start_daemon --state-dir "$work/state"
"$cli" --socket "$socket" stream create ranks --seed 5 >/dev/null
DAEMON_SOCKET=$socket ranks 8 "$build/tests/mpi/arrays" "$work"
stop_daemon
