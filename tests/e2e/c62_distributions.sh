#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every distribution in ranks, and by every variant of the kernels; and its bytes of this stream format, which never change.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
vectors=$(cd "$(dirname "$0")/../vectors" && pwd)/distributions.txt
cd "$work" || exit 1

code "selftest --distributions" 0 "$cli" selftest --distributions
sed 1d "$work/out" >table
"$cli" rand --help | awk '/^  [a-z]/ && $1 != "colored" {print $1}' | sort >distributions
same "every distribution is in the table" "$(cat distributions)" "$(awk '{print $1}' table | sort -u)"
same "every row has joined in ranks and by every variant" "" "$(grep -v '  ok    ok of [1-9]' table)"
# DISTRIBUTION [METHOD] DTYPE HASH
same "the bytes of stream format 1" "$(grep -v '^#\|:' "$vectors")" "$(sed 's/  ok .*//; s/  */ /g' table)"
code "selftest --distributions with a wrong number" 2 "$cli" selftest --distributions --samples many
if [ -n "${TRNSCI_FULL:-}" ]; then
	code "selftest --distributions of longer draws" 0 "$cli" selftest --distributions --samples 200003
	sed 's/^/# /' "$work/out"
else
	code "selftest --distributions of longer draws" 0 "$cli" selftest --distributions --samples 5003
fi
finish
