#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Errors of one rank are errors of all.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
ranks 4 "$build/tests/mpi/faults" "$work"
