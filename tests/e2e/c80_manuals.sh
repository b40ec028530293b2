#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manuals name every command, option and function there is, and completion offers them.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
root=$(cd "$(dirname "$0")/../.." && pwd)
manual=$root/client/man/trnsci-cli.1

names() {
	awk '/^  [a-z]/ && $1 != "help" {print $1}' "$work/out"
}

code "help" 0 "$cli" --help
commands=$(names)
code "help of rand" 0 "$cli" rand --help
distributions=$(names)
for distribution in $distributions; do
	commands="$commands rand:$distribution"
done
code "help of stream" 0 "$cli" stream --help
for command in $(names); do
	commands="$commands stream:$command"
done
for command in $commands; do
	words=$(echo "$command" | tr : ' ')
	missing=
	grep -qw "Cm .*${words##* }\|Ss ${words##* }" "$manual" || missing=" (the command itself)"
	# shellcheck disable=SC2086
	for option in $("$cli" $words --help | grep -o '^  \(-.,\|   \) --[a-z0-9-]*' | sed 's/.*--//'); do
		grep -q "Fl -$option\b" "$manual" || missing="$missing --$option"
	done
	same "the manual names the options of $words" "" "$missing"
done
same "the manual's lists of options are the commands' own (make manual)" "" \
	"$("$root/client/man/expand" "$cli" "$manual" | diff "$manual" - | head -n 8)"
lister=$build/man/list_operations operations=$root/client/man/trnsci-operations.7
same "trnsci-operations.7 is the table's own (make manual)" "" \
	"$("$root/client/man/expand" "$cli" "$operations" "$lister" | diff "$operations" - | head -n 8)"
missing=
for class in draw points elementwise transform signal; do
	missing=$missing$("$lister" $class | awk '/^\.Ss/ {if (name) print name; name = $2} /^trnsci_(fill|apply|transform)\(session/ {name = ""}
		END {if (name) print name}')
done
same "each of its operations has a line of C" "" "$missing"
code "every line of C runs" 0 "$lister" run
missing=
for name in $(nm -D --defined-only "$build/lib/libtrnsci.so" | awk '{print $3}' | sed 's/@.*//' | grep '^trnsci_'); do
	grep -q "^\.Fn $name\b" "$root/client/man/libtrnsci.3" || missing="$missing $name"
done
same "libtrnsci.3 names every function" "" "$missing"
if command -v mandoc >/dev/null; then
	# Manuals that are not installed yet cannot be found.
	same "mandoc finds nothing to complain" "" \
		"$(mandoc -T lint -W style "$root"/client/man/*.[1-9] 2>&1 | grep "$root" |
			grep -v 'referenced manual not found')"
else
	echo "# mandoc is not installed"
fi
if command -v bash >/dev/null; then
	# complete WORD... : what completion offers for the last
	offered() {
		PATH="$build/bin:$PATH" bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trnsci_cli
			echo "${COMPREPLY[*]}"' bash "$root/client/cli/completion.bash" "$@"
	}
	same "completion of commands" "stft stream status selftest" "$(offered trnsci-cli s)"
	same "completion of what streams can" "draw delete" "$(offered trnsci-cli stream d)"
	same "completion of a stream's distribution" "normal" "$(offered trnsci-cli stream draw noise n)"
	same "completion of a stream's options" "--mode" "$(offered trnsci-cli stream create noise --m)"
	same "completion of distributions" "normal" "$(offered trnsci-cli rand n)"
	same "completion of options" "--mean --method" "$(offered trnsci-cli rand normal --me)"
	same "completion of choices" "f32 f64 f16" "$(offered trnsci-cli rand normal --dtype f)"
	same "completion of fft's choices" "ortho" "$(offered trnsci-cli fft x.npy --norm o)"
fi
finish
