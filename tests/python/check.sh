#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package: the tests beside this file and the examples in its docstrings, by pytest. TRNSCI_FULL=1 adds the
# long ones. Under AddressSanitizer those that use memory in unusual ways.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${PYTHON:-/usr/bin/python3}
BUILD=$(realpath "${BUILD:-build}")
export BUILD
[ -d "$BUILD/python/trnsci" ] || {
	echo "1..0 # SKIP not built: python3-dev or numpy is missing, or ThreadSanitizer is set"
	exit 0
}
# New memory is zero, freed memory is not: what is read without being set shows.
export PYTHONPATH="$BUILD/python:$PWD/tests/python" PYTHONDONTWRITEBYTECODE=1 PYTHONMALLOC=malloc MALLOC_PERTURB_=255
case ${SAN:-} in
*address*)
	# The interpreter has no sanitizer: its runtime must be loaded first. Python never frees all, and big requests are refused
	# by design; what is found ends the process and fails the test.
	runtimes=$(ldd "$BUILD"/python/trnsci/_core*.so | awk '/lib(a|ub)san/ { print $3 }' | tr '\n' ' ')
	[ -n "$runtimes" ] || {
		echo "1..0 # SKIP the sanitizer's runtime is not a shared library with this compiler"
		exit 0
	}
	export DAEMON_ASAN_OPTIONS="${ASAN_OPTIONS:-}" LD_PRELOAD="$runtimes"
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:allocator_may_return_null=1:log_path=stderr"
	unset MALLOC_PERTURB_
	set -- tests/python/test_entry_points.py tests/python/test_calls.py tests/python/test_tiles.py "$@"
	;;
*)
	set -- --doctest-modules "$BUILD/python/trnsci" tests/python "$@"
	;;
esac
exec "$python" -m pytest -q -p tap -p no:cacheprovider -W error "$@"
