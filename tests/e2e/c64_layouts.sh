#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draws in the layouts of other frameworks: in pieces and ranks, in programs, and where there are none.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

start_daemon --state-dir "$work/state"
# Two megabytes and more, which the command draws in pieces.
for layout in "torch_cuda --device a100" jax_original tensorflow_xla numpy; do
	# shellcheck disable=SC2086
	"$cli" --embedded rand normal -n 1000001 --seed 3 --layout $layout -o whole.raw
	# shellcheck disable=SC2086
	"$cli" --socket "$socket" rand normal -n 1000001 --seed 3 --layout $layout -o daemon.raw
	code "${layout%% *}: the same by a daemon and embedded" 0 cmp whole.raw daemon.raw
	for rank in 0 1 2; do
		# shellcheck disable=SC2086
		"$cli" --embedded rand normal -n 1000001 --seed 3 --layout $layout --rank $rank --size 3 -o part$rank.raw
	done
	cat part0.raw part1.raw part2.raw >parts.raw
	code "${layout%% *}: ranks join" 0 cmp whole.raw parts.raw
	# shellcheck disable=SC2086
	"$cli" --embedded rand normal -n 1000 --seed 3 --layout $layout --offset 700001 --call-n 1000001 -o cut.raw
	same "${layout%% *}: call_n, any part" "$(tail -c +2800005 whole.raw | head -c 4000 | sum)" "$(sum <cut.raw)"
done

program() {
	echo "$1" >program.json
	"$cli" --embedded run program.json --format text 2>&1 | tr '\n' ' '
}
# storch's BasicExample: torch.rand of nine numbers twice, on CUDA.
like "calls of a program follow one another" "0.97224* 0.79096* 0.46904* 0.32999* 0.33447* 0.37827* 0.76398* 0.64048* 0.11026* " \
	"$(program '{"layout": "torch_cuda", "steps": [{"op": "uniform", "n": 9, "as": "a"}, {"op": "uniform", "n": 9, "as": "b"}],
		"results": ["b"]}')"
like "but those of a key" "*run: steps?1? uniform: seed: the call before it has the same, allowed is another*" \
	"$(program '{"layout": "jax", "steps": [{"op": "uniform", "n": 9, "as": "a"}, {"op": "uniform", "n": 9, "as": "b"}],
		"results": ["b"]}')"
like "a program has no generator beside a layout" "*run: generator: given with layout jax, allowed without it*" \
	"$(program '{"layout": "jax", "generator": "philox4x32", "steps": [{"op": "uniform", "n": 9, "as": "a"}]}')"
for op in '"colored", "n": 8' '"field", "shape": [4, 4], "exponent": 2' '"trace", "in": "x", "distribution": "normal"' '"surrogate", "in": "x"'; do
	like "no layout for $op" "*layout: got jax, allowed *plain and trn24*" \
		"$(program "{\"layout\": \"jax\", \"steps\": [{\"op\": \"uniform\", \"shape\": [4, 4], \"seed\": 2, \"as\": \"x\"}, {\"op\": $op, \"as\": \"a\"}]}")"
done
like "noise of a layout is added" "-0.02830* 0.46713* 0.29570* " \
	"$(program '{"steps": [{"op": "uniform", "n": 3, "low": 0, "high": 1e-30, "as": "x"}, {"op": "noise_add", "in": "x", "sigma": 1,
		"noise": {"op": "normal", "layout": "jax", "seed": 42}, "as": "a"}], "results": ["a"]}')"

refused() {
	code "$1" 2 "$cli" --embedded rand "$@" --format text
	like "names it" "$pattern" "$(cat err)"
}
pattern='*generator: given with layout curand, allowed without it: the layout*philox4x32*' refused normal -n 3 --layout curand --generator philox4x32
pattern='*method: given with layout jax, allowed without it*' refused normal -n 3 --layout jax --method boxmuller64
pattern='*offset: 5 samples from sample 4, allowed is to end by call_n = 8*' refused normal -n 5 --offset 4 --layout jax --call-n 8
pattern='*blocks: given beside device, allowed is one of them*' refused normal -n 5 --layout torch_cuda --blocks 3 --device t4
pattern="*--key-layout: unknown or ambiguous option (did you mean '--layout'?)*" refused normal -n 5 --key-layout trn24
code "a ring has no calls" 2 "$cli" --socket "$socket" ring normal -n 4 --layout torch_cuda -f text
like "says so" "*layout: got torch_cuda, allowed are plain and trn24*" "$(cat err)"
stop_daemon
finish
