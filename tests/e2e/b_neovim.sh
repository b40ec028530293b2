#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Neovim as an unmodified client: MessagePack-RPC as it speaks it to everybody.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
work=$(mktemp -d)
. tests/harness/daemon.sh
n=0
failed=0

check() { # check NAME EXPECTED GOT
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "# expected $2, got $3"
		failed=1
	fi
}

command -v nvim >/dev/null || { echo "1..0 # SKIP neovim is not installed"; exit 0; }

trap 'stop_daemon; rm -rf "$work"' EXIT
start_daemon

cat >"$work/client.lua" <<'LUA'
local out = io.open(os.getenv('OUT'), 'w')
local channel = vim.fn.sockconnect('pipe', os.getenv('SOCKET'), {rpc = 1})
local version = vim.rpcrequest(channel, 'version', {})
out:write('version ', version.name, ' ', version.stream_format, '\n')
local draw = vim.rpcrequest(channel, 'bits', {n = 4, seed = 0, u64 = 'str'})
out:write('bits ', draw.n, ' ', type(draw.data), ' ', #draw.data, ' ', draw.seed, ' ')
out:write((draw.data:gsub('.', function(c) return string.format('%02x', c:byte()) end)), '\n')
out:write('empty ', vim.inspect(vim.rpcrequest(channel, 'ping')), '\n')
vim.rpcnotify(channel, 'nvim_something', {1, 2})
local ok, err = pcall(vim.rpcrequest, channel, 'no_such_method', {})
out:write('unknown ', tostring(ok), ' ', tostring(err), '\n')
local ok, err = pcall(vim.rpcrequest, channel, 'uniform', {n = -1})
out:write('range ', tostring(ok), ' ', tostring(err), '\n')
-- Its own strings and blobs are all msgpack str, valid UTF-8 or not.
local data = '\0\0\128\63\0\0\0\64' -- 1, 2
local sum = vim.rpcrequest(channel, 'add', {a = {dtype = 'f32', shape = {2}, data = data}, b = {dtype = 'f32', shape = {2}, data = data}})
out:write('add ', (sum.data:gsub('.', function(c) return string.format('%02x', c:byte()) end)), '\n')
out:close()
LUA
OUT=$work/out SOCKET=$socket timeout 30 nvim --headless --clean -c "luafile $work/client.lua" -c 'qa!' >"$work/log" 2>&1
sed 's/^/# /' "$work/log"
answer() { sed -n "s/^$1 //p" "$work/out"; }

check "version" "trnsciD 1" "$(answer version)"
# The first four words of the stream: the known answer of Threefry4x32-20 for zero key and counter, little endian.
check "an inline draw" "4 string 16 0 6aa96c9c66ae7ee1d4ec10fcd8a75652" "$(answer bits)"
check "no parameters at all" "{}" "$(answer empty | tr -d ' ' | sed 's/vim.empty_dict()/{}/')"
check "the whole text of an error" 1 "$(answer unknown | grep -c 'unknown_method: .*no_such_method.*no such method')"
check "the range of a parameter" 1 "$(answer range | grep -c 'out_of_range: uniform: n: .*allowed')"
check "bytes sent as str" "0000004000008040" "$(answer add)"
echo "1..$n"
exit $failed
