#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of the pages of libtrnsci-mpi run, and print what they show.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/e2e/documents
. "$(dirname "$0")/../e2e/documents"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
root=$(cd "$(dirname "$0")/../.." && pwd)
start_daemon
export TRNSCI_SOCKET="$socket"
prints_all "$root/client/mpi/man/examples/group.c" ranks 4 "$build/man/examples/mpi_group" "$work"
finish
