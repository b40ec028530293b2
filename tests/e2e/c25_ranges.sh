#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ends of what parameters can be, over the wire and embedded: infinite bounds, ranges of 2^64, 16-bit numbers.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

# both NAME OPTIONS... : the daemon's bytes are the embedded engine's; they stay in $work/out
both() {
	about=$1
	shift
	embedded=$("$cli" --embedded rand "$@" --format text)
	code "$about" 0 "$cli" --socket "$socket" rand "$@" --format text
	same "$about: the same by both" "$embedded" "$(cat "$work/out")"
}

start_daemon
both "a tail to infinity" truncated_normal -n 500 --low 3 --high inf
same "no value below the bound" 0 "$(awk '$1 < 3' "$work/out" | wc -l)"
both "a tail from minus infinity" truncated_normal -n 500 --low=-inf --high=-3 --dtype f64
same "no value above the bound" 0 "$(awk '$1 > -3' "$work/out" | wc -l)"
both "the whole normal distribution" truncated_normal -n 5 --low=-inf --high inf
code "an interval at infinity" 2 "$cli" --embedded rand truncated_normal -n 5 --low inf --high inf
code "a bound that is no number" 2 "$cli" --embedded rand truncated_normal -n 5 --low nan
code "an infinite bound of another distribution" 2 "$cli" --embedded rand uniform -n 5 --high inf
cat >program.json <<END
{"steps": [{"op": "truncated_normal", "n": 4, "low": 2, "high": "inf", "as": "x"}], "results": ["x"]}
END
code "an infinite bound in a program" 0 "$cli" --socket "$socket" run program.json --format text -o x.txt

both "all of u64" randint -n 100 --high 18446744073709551616 --dtype u64
same "all of u64: the words" "$("$cli" --embedded rand bits -n 100 --dtype u64 --format text)" "$(cat "$work/out")"
both "all of i64" randint -n 100 --low=-9223372036854775808 --high 9223372036854775808
both "all of u32" randint -n 100 --high 4294967296 --dtype u32
same "all of u32: the words" "$("$cli" --embedded rand bits -n 100 --format text)" "$(cat "$work/out")"
both "the last of u64" randint -n 3 --low 18446744073709551615 --high 18446744073709551616 --dtype u64
same "the last of u64" 18446744073709551615 "$(sort -u "$work/out")"
code "a bound beyond u64" 2 "$cli" --embedded rand randint -n 3 --high 18446744073709551617 --dtype u64
code "a bound below u64" 2 "$cli" --embedded rand randint -n 3 --low=-1 --high 3 --dtype u64
code "an end that is the least" 2 "$cli" --embedded rand randint -n 3 --low=-9223372036854775808 --high=-9223372036854775808

both "f16 as text" normal -n 100 --dtype f16 --method boxmuller64
# Nine digits distinguish a number of 16 bits from its neighbours, but are not all of it.
same "f16: multiples of 2^-24" 0 "$(awk '{x = ($1 + 100) * 16777216; d = x - int(x + 0.5); if (d * d > 0.04) print}' \
	"$work/out" | wc -l)"
both "bf16 as text" uniform -n 100 --dtype bf16
same "bf16 uniforms: multiples of 2^-8" 0 "$(awk '$1 * 256 != int($1 * 256) || $1 >= 1' "$work/out" | wc -l)"
same "bf16 as csv" "value $(sed 1q "$work/out")" "$("$cli" --embedded rand uniform -n 1 --dtype bf16 --format csv | xargs)"
finish
