#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exit codes and messages: one line on stderr that names what was wrong and what is allowed.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1

# refused NAME CODE PATTERN COMMAND...
refused() {
	what=$1
	status=$2
	pattern=$3
	shift 3
	code "$what: exit code" "$status" "$@"
	like "$what: message" "$pattern" "$(cat err)"
	same "$what: one line" 1 "$(wc -l <err)"
}

refused "no command" 2 "*no command*rand*" "$cli"
refused "unknown command" 2 "*frob*allowed rand*" "$cli" frob
refused "unknown option" 2 "*--frob*" "$cli" --frob rand
refused "a missing distribution" 2 "*allowed are bits, uniform, normal*" "$cli" rand
refused "an unknown distribution" 2 "*zipf*allowed are bits*" "$cli" rand zipf -n 5
refused "no count" 2 "*-n COUNT*" "$cli" rand normal
refused "count that is none" 2 "*--count: 'x'*allowed*" "$cli" rand normal -n x
refused "negative count" 2 "*--count: '-1'*" "$cli" rand normal -n -1
refused "count beyond 64 bits" 2 "*--count*" "$cli" rand normal -n 18446744073709551616
refused "unknown parameter" 2 "*--low*" "$cli" rand normal -n 5 --low 1
refused "a value is missing" 2 "*--seed*value*" "$cli" rand normal -n 5 --seed
refused "parameter out of range" 2 "*out_of_range*std*" "$cli" -q --embedded rand normal -n 5 --std -1
refused "parameter that is no number" 2 "*--std: '1x'*number*" "$cli" -q --embedded rand normal -n 5 --std 1x
refused "bounds in the wrong order" 2 "*uniform*high*" "$cli" -q --embedded rand uniform -n 5 --low 2 --high 1
refused "unknown generator" 2 "*generator*threefry4x32*" "$cli" -q --embedded rand bits -n 5 --generator mt19937
refused "unknown dtype" 2 "*dtype*f32*" "$cli" -q --embedded rand normal -n 5 --dtype u32
refused "rank beyond size" 2 "*--rank*" "$cli" -q --embedded rand bits -n 5 --rank 3 --size 3
refused "past the stream's end" 2 "*end_of_stream*" "$cli" -q --embedded rand bits -n 2 --offset 18446744073709551615
refused "past the end by doubles" 2 "*end_of_stream*" \
	"$cli" -q --embedded rand bits --dtype u64 -n 2 --offset 9223372036854775807
refused "unknown format" 2 "*'xml'*raw, npy, text, csv*" "$cli" -q --embedded rand bits -n 2 --format xml
refused "an unexpected argument" 2 "*extra*" "$cli" -q --embedded rand bits -n 2 extra
refused "no folder for the output" 2 "*/nonexistent/x*" "$cli" -q --embedded rand bits -n 2 -o /nonexistent/x
refused "threads beyond 128" 2 "*--threads*128*" "$cli" --threads 129 rand bits -n 2
refused "both engines" 2 "*--socket*--embedded*" "$cli" --socket x --embedded rand bits -n 2
refused "no such instruction set" 2 "*cpu*z80*" env TRNSCI_CPU=z80 "$cli" --embedded rand bits -n 2

refused "no daemon at the socket named" 69 "*no_daemon*$work/none*" "$cli" --socket "$work/none" rand bits -n 2
refused "status of no daemon" 69 "*no_daemon*" "$cli" --socket "$work/none" status
refused "full disk" 75 "*No space*" sh -c "exec '$cli' -q --embedded rand bits -n 100 --format raw >/dev/full"
refused "full disk, text" 75 "*No space*" sh -c "exec '$cli' -q --embedded rand bits -n 100 --format text >/dev/full"
"$cli" -q --embedded rand normal -n 256 -o signal.npy
refused "full disk, a transform" 75 "*No space*" "$cli" -q --embedded fft signal.npy -o /dev/full --format raw
refused "broken pipe" 75 "*Broken pipe*" python3 -c "
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
sys.exit(subprocess.call(['$cli', '-q', '--embedded', 'rand', 'bits', '-n', '9000000', '--format', 'raw'], stdout=w))"

printf 'abc' >short
refused "no such input" 65 "*nonexistent*No such file*" "$cli" -q --embedded fft nonexistent
refused "raw input of broken size" 65 "*3 bytes*multiple of the 4*" "$cli" -q --embedded fft short --dtype f32
refused "raw input without a dtype" 2 "*--dtype*" "$cli" -q --embedded fft short
refused "no input" 2 "*0 inputs*" "$cli" fft
printf '\223NUMPY\001\000v\000{}' >broken.npy
refused "broken npy" 65 "*ends within*" "$cli" -q --embedded fft broken.npy
"$cli" -q --embedded rand normal -n 100 -o good.npy
head -c 300 good.npy >cut.npy
refused "npy that ends early" 65 "*ends before its array*" "$cli" -q --embedded fft cut.npy
"$cli" -q --embedded rand bits -n 100 -o bits.npy
code "integers have no transform" 65 "$cli" -q --embedded fft bits.npy
refused "no such norm" 2 "*norm*backward*" "$cli" -q --embedded fft good.npy --norm sideways
refused "no such axis" 2 "*--axes*" "$cli" -q --embedded fft good.npy --axes 1
refused "broken JSON" 65 "*line 2*" sh -c "echo '{\"steps\": [' >x.json; exec '$cli' -q --embedded run x.json"
refused "JSON integer beyond 64 bits" 65 "*64 bits*" \
	sh -c "echo '{\"seed\": 18446744073709551616}' >x.json; exec '$cli' -q --embedded run x.json"
refused "program with an unknown operation" 65 "*unknown_method*" \
	sh -c "echo '{\"steps\": [{\"op\": \"frob\"}]}' >x.json; exec '$cli' -q --embedded run x.json"

code "a daemon is not needed" 0 "$cli" rand bits -n 2 --format text
like "but its absence is reported" "*no_daemon*computing in this process*" "$(cat err)"
code "unless -q" 0 "$cli" -q rand bits -n 2 --format text
same "then nothing is printed" "" "$(cat err)"
for command in "" rand "rand normal" fft run status selftest version; do
	# shellcheck disable=SC2086
	code "$command --help" 0 "$cli" $command --help
done
"$cli" rand normal --help >help
for word in --count --seed --stream --offset --rank --size --generator --dtype --mean --std --format --output; do
	like "help of normal names $word" "*$word*" "$(cat help)"
done
finish
