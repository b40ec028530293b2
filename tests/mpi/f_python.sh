#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The module trnsci.mpi, by mpi4py.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/../e2e/tap"
# shellcheck source=tests/mpi/ranks
. "$(dirname "$0")/ranks"
python=${PYTHON:-/usr/bin/python3}
if [ ! -d "$build/python/trnsci" ] || ! "$python" -c 'import mpi4py, numpy' 2>/dev/null; then
	echo "1..0 # SKIP no python3-mpi4py, or the Python package is not built"
	exit 0
fi
export PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1
ranks 3 "$python" "$(dirname "$0")/use.py" "$work"
