#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manuals name every command, option and function there is, and completion offers them.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
# shellcheck source=tests/e2e/documents
. "$(dirname "$0")/documents"
root=$(cd "$(dirname "$0")/../.." && pwd)
pages=$build/man/pages manual=$build/man/pages/trnsci-cli.1
header=$root/client/include/trnsci/trnsci.h

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
examples=$build/man/operation_examples
"$cli" describe --json | awk '/^  "operations"/ {on = 1} on && /^      "name":/ {name = $2}
	on && /^      "category": "(draw|points|elementwise|transform|signal)"/ {print name}' | tr -d '",' | sort >"$work/operations"
same "each operation on arrays has a line of C" "" "$("$examples" | cut -f 1 | sort | comm -3 - "$work/operations")"
same "which trnsci-operations.7 shows" "$(wc -l <"$work/operations")" \
	"$(grep -c '^trnsci_[a-z_]*( *session' "$pages/trnsci-operations.7")"
code "every line of C runs" 0 "$examples" run
missing=
for name in $(nm -D --defined-only "$build/lib/libtrnsci.so" | awk '{print $3}' | sed 's/@.*//' | grep '^trnsci_'); do
	grep -q "^\.Fn $name\b" "$root/client/man/libtrnsci.3" || missing="$missing $name"
done
same "libtrnsci.3 names every function" "" "$missing"

# ---- pages that the build makes ----

missing=
for name in $(nm -D --defined-only "$build/lib/libtrnsci.so" | awk '{print $3}' | sed 's/@.*//' | grep '^trnsci_') \
	$(sed -n 's/^static inline .*\(trnsci_[a-z0-9_]*\)(.*/\1/p; s/^TRNSCI_DEFINE_PARAMS*_(\([a-z0-9_]*\),.*/trnsci_param_\1/p' "$header"); do
	grep -q "^\.Fo $name\$" "$pages/$name.3" 2>/dev/null || missing="$missing $name"
done
same "every function has a page" "" "$missing"
missing=
for name in $(sed -n 's/^\(struct\|enum\) \(trnsci_[a-z_]*\) {.*/\2/p' "$header"); do
	grep -q "^\.Vt [a-z]* $name " "$pages/$name.3" 2>/dev/null || missing="$missing $name"
done
same "and every type" "" "$missing"
if [ -e "$build/lib/libtrnsci-mpi.so" ]; then
	missing=
	for name in $(nm -D --defined-only "$build/lib/libtrnsci-mpi.so" | awk '{print $3}' | sed 's/@.*//' | grep '^trnsci_mpi_'); do
		grep -q "^\.Fo $name\$" "$build/man/mpi/$name.3" 2>/dev/null || missing="$missing $name"
	done
	same "every function over MPI ranks, too" "" "$missing"
	same "a structure has the page of the function that it is named as" 1 \
		"$(grep -c '^\.It Vt "double sum_squares"' "$build/man/mpi/trnsci_mpi_sum.3")"
else
	echo "# skipped: pages of functions over MPI ranks: built without MPI"
fi
same "a page has the comment's text, parameters and members" "1 1 1" "$(
	for word in "^Opens a session" "^\.It Fa address" ; do grep -c "$word" "$pages/trnsci_open.3"; done | tr '\n' ' '
	grep -c "^If no daemon answers, use an embedded engine" "$pages/trnsci_options.3")"
sed '/Returns the kind of a value/d' "$header" >"$work/uncommented.h"
code "a function without a comment" 65 "$root/client/man/function_pages" "$work" "$work/uncommented.h"
like "is an error that names it" "*trnsci_value_kind has no comment*" "$(cat "$work/err")"

# Outside of code, nothing is left of the markup that the pages are made of: quotes, asterisks, links, tags, Doxygen's words, lists.
stray() {
	awk '/^\.Bd/ {code = 1} /^\.Ed/ {code = 0} code || /^\.(F[ato]|It Vt|Vt|\\")/ {next}
		/`|\\\(ga|\*\*|\]\(|(^|[ (])@(param|return|name|ref|[{}])|<\/?(br|b|i|code|tt)>|<!--|^#+ |^- (up|[A-Z"])/ {print FILENAME ": " $0}' "$@"
}
printf '.Sh A\n.Bd -literal\na `b` **c\n.Ed\n.Fa "x **y"\nUse \\(gad\\(ga\nor `e`\n- "f", of\n@param g\n**h**\n' >"$work/stray"
same "stray markup is found" 5 "$(stray "$work/stray" | wc -l)"
same "and there is none" "" "$(stray "$root"/client/man/*.[1-9] "$root"/daemon/man/*.[1-9] "$root"/client/*/man/*.[1-9] "$pages"/*.[1-9] \
	$(ls "$build"/man/mpi/*.[1-9] 2>/dev/null) | head -n 5)"

same "every page of section 3 has an example" "" "$(grep -L '^\.Sh EXAMPLES$' "$root"/client/man/*.3 "$pages"/*.3 "$build"/man/mpi/*.3 2>/dev/null)"
printf '\t/* example: trnsci_opem */\n\tx();\n\t/* end */\n' >"$work/misspelt.c"
code "an example of no page" 65 "$root/client/man/function_pages" "$work" "$header" "$work/misspelt.c"
like "is an error that names it" "*misspelt.c: no page is trnsci_opem*" "$(cat "$work/err")"

start_daemon --state-dir "$work/state"
for source in "$root"/client/man/examples/*.c; do
	program=$build/man/examples/$(basename "$source" .c)
	code "$(basename "$program") runs embedded" 0 "$program"
	prints_all "$source" "$program" "$socket"
done
stop_daemon

# The words of a text, one a line, without what marks them: letters struck twice, too.
plain_words() {
	sed "s/.$(printf '\b')//g"'; s/[]`*|()[]/ /g' "$1" | tr -cs 'A-Za-z0-9_' '\n' | sort -u
}

# mandoc renders what man(1) shows. A page must hold every word of its document.
if command -v mandoc >/dev/null; then
	for document in "$root/proto/PROTOCOL.md" "$root"/client/docs/*.md; do
		page=trnsci-$(basename "$document" .md | tr '[:upper:]' '[:lower:]').7
		sed '/^<!--/d; s/<br>/ /g; s/](\([^h)][^)]*\))/]/g' "$document" | plain_words /dev/stdin | tr '[:upper:]' '[:lower:]' | sort -u >"$work/words"
		mandoc -T ascii -O width=400 "$pages/$page" | plain_words /dev/stdin | tr '[:upper:]' '[:lower:]' | sort -u >"$work/shown"
		same "$page shows every word of $(basename "$document")" "" "$(comm -23 "$work/words" "$work/shown" | head -n 5)"
	done
fi
if command -v mandoc >/dev/null; then
	# Manuals that are not installed yet cannot be found.
	same "mandoc finds nothing to complain" "" \
		"$(mandoc -T lint -W style "$root"/client/man/*.[1-9] "$root"/daemon/man/*.[1-9] "$pages"/*.[1-9] 2>&1 |
			grep "^mandoc: /" |
			grep -v 'referenced manual not found')"
else
	echo "# mandoc is not installed"
fi

# ---- completion ----

completion=$root/client/cli/completion
PATH=$build/bin:$PATH

# What the shells complete of a line; bash offers the last of WORD..., the others complete the line itself.
bash_offers() {
	# shellcheck disable=SC2016
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trnsci_cli; echo "${COMPREPLY[*]}"' bash \
		"$completion/trnsci-cli.bash" "$@"
}

fish_offers() {
	fish -c "source '$completion/trnsci-cli.fish'; complete -C '$*'" | cut -f1 | sort | tr '\n' ' ' | sed 's/ $//'
}

zsh_completes() {
	python3 "$(dirname "$0")/zsh_completes.py" "$completion" "$*"
}

if command -v bash >/dev/null; then
	same "bash: commands" "stft surrogate stream status selftest scale subtract square sqrt sum" "$(bash_offers trnsci-cli s)"
	same "bash: what streams can" "draw delete" "$(bash_offers trnsci-cli stream d)"
	same "bash: a stream's distribution" "normal" "$(bash_offers trnsci-cli stream draw noise nor)"
	same "bash: a stream's options" "--mode" "$(bash_offers trnsci-cli stream create noise --m)"
	same "bash: distributions" "normal" "$(bash_offers trnsci-cli rand nor)"
	same "bash: options" "--mean --method" "$(bash_offers trnsci-cli rand normal --me)"
	same "bash: choices" "f32 f64 f16" "$(bash_offers trnsci-cli rand normal --dtype f)"
	same "bash: fft's choices" "ortho" "$(bash_offers trnsci-cli fft x.npy --norm o)"
	same "bash: parameters of an operation that the table made a command" "--low" "$(bash_offers trnsci-cli clip x.npy --lo)"
	same "bash: options of every command" "--embedded" "$(bash_offers trnsci-cli status --em)"
	same "bash: kinds of plots" "spectrum spectrogram" "$(bash_offers trnsci-cli plot spec)"
	same "bash: options of a plot of a distribution" "--shape" "$(bash_offers trnsci-cli plot histogram gamma --sh)"
	same "bash: options before the distribution" "normal" "$(bash_offers trnsci-cli --embedded rand --seed 1 nor)"
	same "bash: commands behind help" "rand ring run real" "$(bash_offers trnsci-cli help r)"
	same "bash: the last of many choices" "exponential" "$(bash_offers trnsci-cli welch x.npy --window exp)"
	same "bash: the other way of a flag" "--no-center" "$(bash_offers trnsci-cli stft x.npy --no-c)"
	start_daemon --state-dir "$work/streams"
	for stream in dice hum humid; do "$cli" --socket "$socket" stream create $stream >"$work/out"; done
	same "bash: the names of streams" "hum humid" "$(TRNSCI_SOCKET=$socket bash_offers trnsci-cli stream show h)"
	same "bash: before a distribution, too" "dice" "$(TRNSCI_SOCKET=$socket bash_offers trnsci-cli stream draw d)"
	same "bash: but no names for a new stream" "" "$(TRNSCI_SOCKET=$socket bash_offers trnsci-cli stream create h)"
	same "bash: and none without a daemon" "" "$(TRNSCI_SOCKET=$work/none bash_offers trnsci-cli stream show h)"
	stop_daemon
fi
if command -v fish >/dev/null; then
	same "fish: commands" "stft stream" "$(fish_offers trnsci-cli st | sed 's/status //')"
	same "fish: a stream's distribution" "normal" "$(fish_offers trnsci-cli stream draw noise norm)"
	same "fish: kinds of plots" "spectrogram spectrum" "$(fish_offers trnsci-cli plot spec)"
	same "fish: options" "--mean --method" "$(fish_offers trnsci-cli rand normal --me)"
	same "fish: choices" "ortho" "$(fish_offers trnsci-cli fft x.npy --norm o)"
else
	echo "# fish is not installed"
fi
if command -v zsh >/dev/null; then
	same "zsh: commands" "trnsci-cli stft" "$(zsh_completes trnsci-cli stf)"
	same "zsh: a stream's distribution" "trnsci-cli stream draw noise normal" "$(zsh_completes trnsci-cli stream draw noise norm)"
	same "zsh: kinds of plots" "trnsci-cli plot waveform" "$(zsh_completes trnsci-cli plot wav)"
	same "zsh: options" "trnsci-cli rand normal --mean" "$(zsh_completes trnsci-cli rand normal --mea)"
	same "zsh: choices" "trnsci-cli fft x.npy --norm ortho" "$(zsh_completes trnsci-cli fft x.npy --norm o)"
else
	echo "# zsh is not installed"
fi
finish
