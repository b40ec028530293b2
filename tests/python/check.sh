#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package: the tests beside this file and the examples in its docstrings, by pytest. TRNSCI_FULL=1 adds the
# long ones.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${PYTHON:-/usr/bin/python3}
BUILD=$(realpath "${BUILD:-build}")
export BUILD
[ -d "$BUILD/python/trnsci" ] || {
	echo "1..0 # SKIP not built: python3-dev or numpy is missing, or a sanitizer is set"
	exit 0
}
# New memory is zero, freed memory is not: what is read without being set shows.
export PYTHONPATH="$BUILD/python:$PWD/tests/python" PYTHONDONTWRITEBYTECODE=1 PYTHONMALLOC=malloc MALLOC_PERTURB_=255
exec "$python" -m pytest -q -p tap -p no:cacheprovider -W error --doctest-modules "$BUILD/python/trnsci" tests/python "$@"
