# SPDX-License-Identifier: Apache-2.0
# bash completion for trnsci-cli, by what `trnsci-cli describe --json` says of the words before the cursor.
# shellcheck shell=bash disable=SC2207

_trnsci_cli() {
	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} described words=
	described=$(trnsci-cli describe --json --words -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
	if [[ $before == --* ]]; then
		words=$(sed -n "s/^ *{ \"name\": \"${before#--}\",.*\"choices\": \[ \([^]]*\) \].*/\1/p" <<<"$described" | tr -d '",')
	fi
	if [[ -z $words && $current == -* ]]; then
		words=$(sed -n 's/^ *{ "name": "\([^"]*\)".*/--\1/p' <<<"$described")
	elif [[ -z $words && $before != --* ]]; then
		words=$(sed -n 's/^ *{ "word": "\([^"]*\)".*/\1/p' <<<"$described")
	fi
	if [[ -n $words ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$current"))
	else
		COMPREPLY=($(compgen -f -- "$current"))
	fi
}

complete -o filenames -F _trnsci_cli trnsci-cli
