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

code "no command" 2 "$cli"
like "prints the usage on stderr" "usage: trnsci-cli *commands:*rand *draw random numbers*" "$(cat err)"
same "and nothing on stdout" "" "$(cat out)"
# What is not there by its own line works on elements, or reduces along axes.
"$cli" --json describe >described.json
same "the last list has those operations alone" "" "$(sed '1,/^and operations on elements/d; /^$/,$d' err | tr -s ' ' '\n' |
	python3 -c 'import json, sys
operations = {each["name"]: each for each in json.load(open("described.json"))["operations"]}
for name in sys.stdin.read().split():
    of = operations[name]
    if of["category"] != "elementwise" and any(each["name"] == "seed" for each in of["parameters"]) or of["category"] == "signal":
        print(name)')"
refused "--json of what prints no report" 2 "*--json: rand prints no report; allowed with derive, status, stream list*" \
	"$cli" rand normal -n 4 --json
refused "--json before such a command" 2 "*--json: fft prints no report*" "$cli" --json fft -
refused "unknown command" 2 "*frob*allowed rand*" "$cli" frob
refused "unknown option" 2 "*--frob*" "$cli" --frob rand
refused "a missing distribution" 2 "*DIST is missing*allowed are bits, uniform, normal*" "$cli" rand
refused "a missing kind of plot" 2 "*KIND is missing*allowed histogram*" "$cli" plot
refused "figures of no daemon" 2 "*--embedded: this command needs a daemon*" "$cli" --embedded top
refused "an unknown distribution" 2 "*zeta*allowed are bits*" "$cli" rand zeta -n 5
refused "no count" 2 "*-n COUNT*" "$cli" rand normal
refused "count that is none" 2 "*--count: 'x'*allowed*" "$cli" rand normal -n x
refused "negative count" 2 "*--count: '-1'*" "$cli" rand normal -n -1
refused "count beyond 64 bits" 2 "*--count*" "$cli" rand normal -n 18446744073709551616
refused "unknown parameter" 2 "*--low*" "$cli" rand normal -n 5 --low 1
refused "a value is missing" 2 "*--seed*value*" "$cli" rand normal -n 5 --seed
refused "parameter out of range" 2 "*out_of_range*std*" "$cli" -q --embedded rand normal -n 5 --std -1
refused "parameter that is no number" 2 "*--std: '1x'*number*" "$cli" -q --embedded rand normal -n 5 --std 1x
refused "bounds in the wrong order" 2 "*uniform*high*" "$cli" -q --embedded rand uniform -n 5 --low 2 --high 1
refused "an abbreviation that is another operation's parameter" 2 "*--p: not a parameter of multinomial, but of binomial*--position*" \
	"$cli" -q --embedded rand multinomial -n 5 --p 0.5
code "another abbreviation" 0 "$cli" -q --embedded rand bits -n 5 --posit 4
refused "unknown generator" 2 "*generator*threefry4x32*" "$cli" -q --embedded rand bits -n 5 --generator mt19937
refused "unknown dtype" 2 "*dtype*f32*" "$cli" -q --embedded rand normal -n 5 --dtype u32
refused "rank beyond size" 2 "*--rank*" "$cli" -q --embedded rand bits -n 5 --rank 3 --size 3
refused "past the stream's end" 2 "*end_of_stream*" "$cli" -q --embedded rand bits -n 2 --offset 18446744073709551615
refused "past the end by doubles" 2 "*end_of_stream*" \
	"$cli" -q --embedded rand bits --dtype u64 -n 2 --offset 9223372036854775807
refused "unknown format" 2 "*'xml'*raw, npy, text, csv, wav*" "$cli" -q --embedded rand bits -n 2 --format xml
refused "an unexpected argument" 2 "*extra*: unexpected argument*" "$cli" -q --embedded rand bits -n 2 extra
refused "no folder for the output" 73 "*/nonexistent/x*" "$cli" -q --embedded rand bits -n 2 -o /nonexistent/x
refused "threads beyond 128" 2 "*--threads*128*" "$cli" --threads 129 rand bits -n 2
refused "both engines" 2 "*--socket*--embedded*" "$cli" --socket x --embedded rand bits -n 2
refused "no such instruction set" 2 "*cpu*z80*" env TRNSCI_CPU=z80 "$cli" --embedded rand bits -n 2

refused "no daemon at the socket named" 69 "*no_daemon*$work/none*" "$cli" --socket "$work/none" rand bits -n 2
refused "status of no daemon" 69 "*no_daemon*" "$cli" --socket "$work/none" status
refused "full disk" 74 "*No space*" sh -c "exec '$cli' -q --embedded rand bits -n 100 --format raw >/dev/full"
refused "full disk, text" 74 "*No space*" sh -c "exec '$cli' -q --embedded rand bits -n 100 --format text >/dev/full"
"$cli" -q --embedded rand normal -n 256 -o signal.npy
refused "full disk, a transform" 74 "*No space*" "$cli" -q --embedded fft signal.npy -o /dev/full --format raw

# pipe DISPOSITION : how rand ends when its reader has gone, and what it says
pipe() {
	python3 -c "
import os, signal, subprocess, sys
r, w = os.pipe()
os.close(r)
p = subprocess.run(['$cli', '-q', '--embedded', 'rand', 'bits', '-n', '9000000', '--format', 'raw'], stdout=w,
                   stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.$1), restore_signals=False)
print(p.returncode, p.stderr.decode())"
}
same "a reader that goes away ends a command silently" "-13 " "$(pipe SIG_DFL)"
same "also where SIGPIPE is ignored" "74 " "$(pipe SIG_IGN)"

refused "an ending that names no format" 2 "*.xyz*allowed .npy, .txt, .csv, .wav, .flac, .raw, .bin*" \
	"$cli" -q --embedded rand bits -n 2 -o x.xyz
refused "a misspelt command" 2 "*ran: *did you mean 'rand'?*" "$cli" ran
refused "a misspelt distribution" 2 "*did you mean 'normal'?*" "$cli" rand normla -n 2
refused "a misspelt option" 2 "*did you mean '--seed'?*" "$cli" rand normal -n 2 --sead 1
refused "a misspelt setting of the daemon" 2 "*thread: no such setting*did you mean 'threads'?*" "$build/bin/trnscid" --thread 3
refused "and a misspelt option without a value" 2 "*chek-config: no such setting*did you mean 'check-config'?*" "$build/bin/trnscid" --chek-config
refused "a count that is no integer" 2 "*--count: '1.5'*" "$cli" rand normal -n 1.5
refused "a count with an unknown suffix" 2 "*--count: '3X'*64Ki*" "$cli" rand normal -n 3X
refused "no streams to split into" 2 "*--split: 0*" "$cli" derive --split 0
for count in 2048 2Ki 2.048e3 2.048k 0x800; do
	same "-n $count" 8192 "$("$cli" -q --embedded rand bits -n $count --format raw | wc -c)"
done
same "an option before the distribution" "$("$cli" -q --embedded rand normal -n 3 --seed 4 --format raw | sum)" \
	"$("$cli" -q --embedded rand --seed 4 -n 3 normal --format raw | sum)"
same "an option before the kind of points" "$("$cli" -q --embedded qmc sobol -n 3 -d 2 --format raw | sum)" \
	"$("$cli" -q --embedded qmc -n 3 -d 2 sobol --format raw | sum)"
code "a random seed" 0 "$cli" --embedded rand normal --seed random -n 3 --format raw
cp out random.raw
seed=$(sed -n 's/^trnsci-cli: --seed \([0-9]*\)$/\1/p' err)
same "which is printed, and repeats it" "$(sum <random.raw)" \
	"$("$cli" -q --embedded rand normal --seed "$seed" -n 3 --format raw | sum)"
code "help of a command" 0 "$cli" help rand normal
like "is its --help" "usage: trnsci-cli rand normal*" "$(cat out)"
like "a normal's states how far it reaches" "*5.88 *" "$(cat out)"
same "-V is --version" "$("$cli" --version)" "$("$cli" -V)"

# What was there stays until the new file is complete, and nothing else is left in the folder.
mkdir folder
echo before >folder/kept.raw
python3 -c "
import os, signal, subprocess, time
p = subprocess.Popen(['$cli', '-q', '--embedded', 'rand', 'bits', '-n', '1e12', '--format', 'text', '-o', 'folder/kept.raw'])
while not any(name.startswith('.trnsci-') for name in os.listdir('folder')) and p.poll() is None: os.sched_yield()
p.send_signal(signal.SIGINT)
print(p.wait())" >interrupted
same "an interrupted command ends by its signal" -2 "$(cat interrupted)"
same "and leaves the file as it was" before "$(cat folder/kept.raw)"
same "and no other" kept.raw "$(ls -A folder)"
"$cli" -q --embedded rand bits -n 2 -o folder/kept.raw
same "a complete file takes its place" "8 kept.raw" "$(wc -c <folder/kept.raw) $(ls -A folder)"
chmod 640 folder/kept.raw
ln -s kept.raw folder/link.raw
"$cli" -q --embedded rand bits -n 3 -o folder/link.raw
same "a link stays a link, and the file keeps its mode" "12 640 kept.raw" \
	"$(wc -c <folder/kept.raw) $(stat -c %a folder/kept.raw) $(readlink folder/link.raw)"

printf 'abc' >short
refused "no such input" 65 "*nonexistent*No such file*" "$cli" -q --embedded fft nonexistent
refused "raw input of broken size" 65 "*3 bytes*multiple of the 4*" "$cli" -q --embedded fft short --dtype f32
printf 'a\001c' >binary
: >nothing
refused "an empty input" 65 "*nothing: it is empty*" "$cli" -q --embedded fft nothing
refused "a file larger than what is free" 74 "*petabytes.npy*free are*" "$cli" -q --embedded rand normal -n 1e15 -o petabytes.npy
same "leaves nothing" "" "$(find . -name '*petabytes*' -o -name '.trnsci-*')"
refused "raw input without a dtype" 2 "*neither npy, audio nor text*--dtype*" "$cli" -q --embedded fft binary
refused "text without numbers" 65 "*short: it holds no numbers*" "$cli" -q --embedded fft short
refused "no input" 2 "*0 inputs*" "$cli" fft
printf '\223NUMPY\001\000v\000{}' >broken.npy
refused "broken npy" 65 "*ends within*" "$cli" -q --embedded fft broken.npy
"$cli" -q --embedded rand normal -n 100 -o good.npy
head -c 300 good.npy >cut.npy
refused "npy that ends early" 65 "*ends before its array*" "$cli" -q --embedded fft cut.npy
refused "no such norm" 2 "*norm*backward*" "$cli" -q --embedded fft good.npy --norm sideways
refused "no such axis" 2 "*--axes*" "$cli" -q --embedded fft good.npy --axes 1
refused "broken JSON" 65 "*line 2*" sh -c "echo '{\"steps\": [' >x.json; exec '$cli' -q --embedded run x.json"
refused "JSON integer beyond 64 bits" 65 "*64 bits*" \
	sh -c "echo '{\"seed\": 18446744073709551616}' >x.json; exec '$cli' -q --embedded run x.json"
refused "program with an unknown operation" 65 "*unknown_method*" \
	sh -c "echo '{\"steps\": [{\"op\": \"frob\"}]}' >x.json; exec '$cli' -q --embedded run x.json"

code "a daemon is not needed" 0 "$cli" rand bits -n 2 --format text
like "but its absence is reported" "*no_daemon*computing in this process*" "$(cat err)"
code "not with -q" 0 "$cli" -q rand bits -n 2 --format text
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
