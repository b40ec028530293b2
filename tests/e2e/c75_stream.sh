#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Named streams on the command line: what a draw says of itself repeats it, and nothing is drawn twice.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"

code "no daemon: 69" 69 "$cli" stream list
start_daemon --state-dir "$work/state"
export TRNSCI_SOCKET="$socket"

code "create" 0 "$cli" stream create noise --seed 42
same "what create prints" "noise generator=threefry4x32 seed=42 stream=1 position=0" "$(cat "$work/out")"
code "draw" 0 "$cli" -v stream draw noise normal -n 5 --mean 3 --format text
same "what -v says, in one line" "noise generator=threefry4x32 seed=42 stream=1 position=0 n=5" "$(cat "$work/err")"
same "rand repeats it" "$("$cli" rand normal -n 5 --mean 3 --seed 42 --stream 1 --offset 0 --format text)" "$(cat "$work/out")"
code "the next draw" 0 "$cli" stream draw noise poisson -n 5 --lam 4 --format text -v
same "it begins at a group of its own" "noise generator=threefry4x32 seed=42 stream=1 position=8 n=5" "$(cat "$work/err")"
same "64-bit samples: half the position" "$("$cli" rand poisson -n 5 --lam 4 --seed 42 --stream 1 --offset 4 --format text)" \
	"$(cat "$work/out")"
code "a long draw" 0 "$cli" stream draw noise uniform -n 3000001 -o "$work/long.npy" -v
same "it is one range" "noise generator=threefry4x32 seed=42 stream=1 position=20 n=3000001" "$(cat "$work/err")"
"$cli" rand uniform -n 3000001 --seed 42 --stream 1 --offset 20 -o "$work/again.npy"
same "and repeats" "$(sum <"$work/again.npy")" "$(sum <"$work/long.npy")"
code "without -v nothing is said" 0 "$cli" stream draw noise bits -n 1
same "on standard error" "" "$(cat "$work/err")"

for option in "--seed 1" "--stream 1" "--offset 4" "--rank 0" "--generator philox4x32" "--size 2"; do
	# shellcheck disable=SC2086
	code "draw refuses $option" 2 "$cli" stream draw noise normal -n 5 $option
done
code "an unknown distribution" 2 "$cli" stream draw noise nrmal -n 5
code "an unknown stream" 2 "$cli" stream draw other normal -n 5
like "is named" '*not_found:*"other"*' "$(cat "$work/err")"
code "a wrong parameter takes nothing" 2 "$cli" stream draw noise normal -n 5 --std -1
"$cli" stream show noise >"$work/show"
same "the position stands" "position      3000028" "$(grep position "$work/show")"
code "never embedded" 2 "$cli" --embedded stream list
code "a bad name" 2 "$cli" stream create 'a b'
code "an id that was given" 2 "$cli" stream create second --seed 42 --stream 1
code "a Philox id beyond 2^32" 2 "$cli" stream create second --generator philox4x32 --stream 4294967296
code "a stream of ARS" 0 "$cli" stream create fast --generator ars4x32_7 --seed 42 --stream 18446744073709551615
code "draw from it" 0 "$cli" stream draw fast bits -n 4 --format text
same "rand repeats it" "$("$cli" rand bits -n 4 --generator ars4x32_7 --seed 42 --stream 18446744073709551615 --format text)" \
	"$(cat "$work/out")"
"$cli" stream create first --generator ars4x32_7 --seed 42 --stream 0 >/dev/null
code "its stream 0" 0 "$cli" stream draw first bits -n 5 --format text
same "the known answer of its authors' program, seed 42" "174467122 1895027176 1537872253 757890229 690975971" \
	"$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
code "a stream of Trainium's Threefry" 0 "$cli" stream create replayed --generator threefry4x32_trn --seed 42 --stream 0
code "draw from it" 0 "$cli" stream draw replayed bits -n 2 --format text
same "trnrand's first words of seed 42" "4234409380 1310920945" "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
"$cli" stream delete replayed >/dev/null
"$cli" stream delete fast >/dev/null
"$cli" stream delete first >/dev/null
code "advance" 0 "$cli" stream advance noise --by 6
same "rounds up to groups" "noise generator=threefry4x32 seed=42 stream=1 position=3000036" "$(cat "$work/out")"
code "never back" 2 "$cli" stream advance noise --to 4
cat >"$work/steps" <<'END'
"steps": [
  {"op": "normal", "n": 5, "as": "a"},
  {"op": "sphere", "n": 3, "dimensions": 3, "as": "b"}],
 "results": ["a"]}
END
{ printf '{"stream_name": "noise", '; cat "$work/steps"; } >"$work/named.json"
code "a program of a named stream" 0 "$cli" run "$work/named.json" -v --format text
same "what -v says, in words" "noise generator=threefry4x32 seed=42 stream=1 position=3000036 n=28" "$(grep ^noise "$work/err")"
{ printf '{"seed": 42, "stream": 1, "offset": 3000036, '; cat "$work/steps"; } >"$work/placed.json"
same "and repeats" "$("$cli" run "$work/placed.json" --format text)" "$(cat "$work/out")"
code "its next run" 0 "$cli" -v run "$work/named.json" --format text
same "has a range of its own" "noise generator=threefry4x32 seed=42 stream=1 position=3000064 n=28" "$(grep ^noise "$work/err")"
code "never embedded" 65 "$cli" --embedded run "$work/named.json" --format text
like "since nobody keeps streams there" '*not_supported: run: steps?0? normal: named streams are kept by a daemon*' \
	"$(cat "$work/err")"
code "delete" 0 "$cli" stream delete noise
code "create it again" 0 "$cli" stream create noise --seed 42 --mode 0600
same "with another id" "noise generator=threefry4x32 seed=42 stream=2 position=0" "$(cat "$work/out")"
"$cli" stream draw noise bits -n 6 >/dev/null
stop_daemon
start_daemon --state-dir "$work/state"
same "a clean stop loses none" "noise generator=threefry4x32 seed=42 stream=2 position=8" "$("$cli" stream list)"
same "nothing was skipped" "skips         0" "$("$cli" stream show noise | grep skips)"
"$cli" stream draw noise bits -n 6 >/dev/null
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
daemon_pid=
start_daemon --state-dir "$work/state"
"$cli" stream show noise >"$work/show"
same "a crash skips a block" "skips         1
skipped       65536
skipped-from  8
skipped-until 65544" "$(grep skip "$work/show")"
code "another daemon in the folder: 75" 75 "$build/bin/trnscid" --socket "$work/other.sock" --state-dir "$work/state"
stop_daemon

printf 'no state' >"$work/state/streams.db"
start_daemon --state-dir "$work/state"
code "a damaged state: try again once it is repaired" 75 "$cli" stream draw noise bits -n 1
like "the command is named" "*trnscid --repair-state --state-dir $work/state*" "$(cat "$work/err")"
code "all else is served" 0 "$cli" rand bits -n 1 --format text
stop_daemon
code "repair" 0 "$build/bin/trnscid" --repair-state --state-dir "$work/state"
start_daemon --state-dir "$work/state"
code "it serves again" 0 "$cli" stream create noise --seed 42
same "ids go on far away" "noise generator=threefry4x32 seed=42 stream=1099511627777 position=0" "$(cat "$work/out")"

# The state's own seed, and a state that is put back.
code "create without a seed" 0 "$cli" stream create own
own=$(sed 's/.* seed=\([0-9]*\) .*/\1/' "$work/out")
like "it is random" "[1-9]????????????*" "$own"
same "and shown" "seed          $own" "$("$cli" stream show own | grep '^seed')"
code "a draw" 0 "$cli" stream draw own bits -n 5 --format text
same "repeats by it" "$("$cli" rand bits -n 5 --seed "$own" --stream 1099511627777 --format text)" "$(cat "$work/out")"
stop_daemon
start_daemon --state-dir "$work/state"
same "it is kept" "$own" "$("$cli" stream create own2 | sed 's/.* seed=\([0-9]*\) .*/\1/')"
stop_daemon
cp -R "$work/state" "$work/elsewhere"
code "to restore what is not there: 66" 66 "$build/bin/trnscid" --restored-state --state-dir "$work"
code "restored" 0 "$build/bin/trnscid" --restored-state --state-dir "$work/state"
like "what it did" "*kept: stream own, from position 1152921504606846976 on*restored: 3 streams*streams.db.restored-1" \
	"$(cat "$work/out")"
start_daemon --state-dir "$work/state"
same "the stream goes on" "own generator=threefry4x32 seed=$own stream=1099511627777 position=1152921504606846976" \
	"$("$cli" stream list | grep '^own ')"
same "a new seed" "no" "$("$cli" stream create own3 | grep -q "seed=$own " && echo yes || echo no)"
stop_daemon
if setfattr -n user.trnsci.test -v x "$work" 2>/dev/null; then
	start_daemon --state-dir "$work/elsewhere"
	code "a copy is refused" 75 "$cli" stream draw own bits -n 1
	like "and the command named" "*trnscid --restored-state --state-dir $work/elsewhere*" "$(cat "$work/err")"
	stop_daemon
fi
finish
