#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples in other languages: each has at most 60 lines, and prints the version, a draw, dice of a named stream of its own and
# an error. What is not installed is skipped by name.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
examples=$(cd "$(dirname "$0")/../../client/examples" && pwd)
start_daemon --state-dir "$work/state"
export TRNSCI_SOCKET="$socket"

# example LANGUAGE FILE COMMAND... : runs it twice, since the second draw goes on where the first ended
example() {
	language=$1
	file=$2
	shift 2
	same "$file has at most 60 lines" 1 "$(($(wc -l <"$examples/$file") <= 60))"
	for offset in 0 4; do
		code "$language, from offset $offset" 0 timeout 120 "$@"
		like "$language: version, normals, dice, an error" "trnsciD, stream format 1
normal 0.206820 0.330383 -0.881507 -0.902066
dice [1-6] [1-6] [1-6] [1-6] from offset $offset of seed 7
error out_of_range: normal: std: got -1, allowed is *" "$(cat "$work/out")"
		sed -n 's/^dice \([1-6 ]*\) from.*/\1/p' "$work/out" | tr ' ' '\n' >>"$work/$language.dice"
	done
	id=$("$cli" --json stream show "example/$language" | sed -n 's/.*"stream": *\([0-9]*\).*/\1/p')
	same "$language: the dice are those of its stream" \
		"$("$cli" -q --embedded rand randint --low 1 --high 7 -n 8 --dtype i32 --seed 7 --stream "$id" --format text)" \
		"$(cat "$work/$language.dice")"
}

skip() {
	echo "# skipped: $1 is not installed"
}

if command -v ruby >/dev/null && ruby -e 'require "msgpack"' 2>/dev/null; then
	example ruby ruby.rb ruby "$examples/ruby.rb"
else
	skip "Ruby with msgpack"
fi
if command -v node >/dev/null; then
	example node node.js node "$examples/node.js"
else
	skip Node
fi
if command -v nvim >/dev/null; then
	example neovim neovim.lua nvim --headless --clean -c "luafile $examples/neovim.lua" -c 'qa!'
else
	skip Neovim
fi
if [ -z "${TRNSCI_FULL:-}" ]; then
	echo "# Go, whose standard library may have to be compiled first, is part of make check-full"
elif command -v go >/dev/null && [ -d /usr/share/gocode/src/github.com/vmihailenco/msgpack ]; then
	export GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$work/gocache" GOFLAGS=-p=2
	code "Go: the program is built" 0 go build -o "$work/go_example" "$examples/go.go"
	example go go.go "$work/go_example" "$socket"
else
	skip "Go with vmihailenco/msgpack"
fi
finish
