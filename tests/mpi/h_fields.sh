#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gaussian random fields over ranks.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
ranks 8 "$build/tests/mpi/fields"
