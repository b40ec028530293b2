#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plain English: words that this project once used in a sense of its own stay out, of text everywhere and of names.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../.." || exit 1
. tests/rules/report

files() {
	find Makefile CONTRIBUTING.md CHANGELOG.md README.md daemon client proto lib systemd tests .ci .github -type f \
		! -path 'tests/fuzz/corpus/*' ! -path 'tests/rules/words.sh' ! -path '*/__pycache__/*' ! -path '*/build/*' \
		! -name '*.npy' ! -name '*.wav' ! -name '*.so' ! -name '*.pyc'
}

# In any text: a distribution is no law, nothing tells or is told, time limits have no patience, and so on. What earlier
# releases called something stands in the CHANGELOG's backquotes.
words='laws?|tells?|telling|told|doubtful|patience|flying|revives?|revived|reviving|last words|one word too many'
pattern="(^|[^a-z])($words)([^a-z]|\$)"
{
	files | grep -v '^CHANGELOG.md' | xargs grep -naiHE "$pattern" | grep -v '\.tell = ' # libsndfile's
	# shellcheck disable=SC2016 # backquotes of the text
	sed 's/`[^`]*`//g' CHANGELOG.md | grep -naiE --label=CHANGELOG.md -H "$pattern"
} >"$list"
report "no text has a word of our own where the field has one"

# As a part of a name that underscores separate, and as a whole name.
parts='law|laws|tell|tells|told|making|doubtful|site|sites|served|lent|spare|spares|keeper|keepers|reaper|reapers|chore|chores'
parts="$parts|letter|letters|zone|zones|weave|weaves|revive|reopen|flying|patience|bed|beds|liar|liars"
names='aim|range|form|forms|kept|repeat|repeats|space|shared|feed|noise|turn|unit|units|whole|circle|circles|line|wire|land'
wrong="(.*_)?($parts)(_.*)?|($names)|(space|feed)_.*"

# Noise is also what the command of this name adds.
files | grep -v '^client/cli/commands/noise.c$' | sed 's,.*/,,; s,^check_,,; s,\..*,,' | sort -u | grep -xE "$wrong" >"$list"
report "no file is named by such a word"

if ctags --version 2>/dev/null | grep -q '^Universal'; then
	files | grep '\.[ch]$' | xargs ctags -x --kinds-C=fsugt --_xformat='%{name} %{kind} %{input}:%{line}' |
		grep -E "^($wrong) " | sort >"$list"
	report "no function and no type is named by such a word"
else
	n=$((n + 1))
	echo "ok $n # SKIP no universal-ctags: names of functions and types"
fi

finish
