#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Errors of one rank are errors of all.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
start_daemon
scalar_pid=$daemon_pid
OTHER_SOCKET=$socket socket=$work/scalar.sock
daemon_pid=
TRNSCI_CPU=scalar
export TRNSCI_CPU
start_daemon
unset TRNSCI_CPU
export OTHER_SOCKET SCALAR_SOCKET="$socket"
ranks 4 "$build/tests/mpi/faults" "$work"
stop_daemon
daemon_pid=$scalar_pid
