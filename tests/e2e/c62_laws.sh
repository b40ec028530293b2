#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every law in ranks, and by every variant of the kernels; and its bytes of this stream format, which never change.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
vectors=$(cd "$(dirname "$0")/../vectors" && pwd)/laws.txt
cd "$work" || exit 1

code "selftest --laws" 0 "$cli" selftest --laws
sed 1d "$work/out" >table
"$cli" rand --help | awk '/^  [a-z]/ {print $1}' | sort >laws
same "every law is in the table" "$(cat laws)" "$(awk '{print $1}' table | sort -u)"
same "every row has joined in ranks and by every variant" "" "$(grep -v '  ok    ok of [1-9]' table)"
# LAW [METHOD] DTYPE HASH
same "the bytes of stream format 1" "$(grep -v '^#' "$vectors")" "$(sed 's/  ok .*//; s/  */ /g' table)"
code "selftest --laws with a wrong number" 2 "$cli" selftest --laws --samples many
if [ -n "${TRNSCI_FULL:-}" ]; then
	code "selftest --laws of longer draws" 0 "$cli" selftest --laws --samples 200003
	sed 's/^/# /' "$work/out"
else
	code "selftest --laws of longer draws" 0 "$cli" selftest --laws --samples 5003
fi
finish
