#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests wait for events, or by the harness (tests/harness/wait.h, daemon.sh): no other sleep, which is too short on a busy
# machine and too long on a free one. What is under tests/bench measures; the injected fault of a slow call is one.
set -u
cd "$(dirname "$0")/../.." || exit 1

sleeps='\b(usleep|nanosleep|clock_nanosleep|thrd_sleep|sleep|time)\([^)]|\bpoll\((NULL|0),|\bselect\(0,|\b(pause_ms|wait_pause)\('
found=$({
	find tests \( -name '*.c' -o -name '*.h' \) ! -path 'tests/bench/*' ! -path 'tests/harness/*' ! -path 'tests/faults/*' \
		-exec grep -nE "$sleeps" {} +
	find tests ! -path 'tests/harness/*' ! -path 'tests/rules/*' \( -name '*.sh' -o -name tap -o -name boot \) \
		-exec grep -nE '(^|[;&|( 	])sleep [0-9$]' {} +
	find tests -name '*.py' ! -path 'tests/bench/*' -exec grep -nE '\bsleep\(' {} +
} | grep -vE ':[0-9]+:[ 	]*(/?\*|#)')
echo 1..1
if [ -n "$found" ]; then
	echo "not ok 1 - expected AWAIT, or a function of tests/harness/wait.h that says why time passes"
	echo "$found" | sed 's/^/# /'
	exit 1
fi
echo "ok 1 - no test sleeps but by the harness"
