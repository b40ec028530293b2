# SPDX-License-Identifier: Apache-2.0
# bash completion for trnsci-cli: options and choices are those that its own --help prints.
# shellcheck shell=bash disable=SC2207

_trnsci_cli_options() {
	trnsci-cli "$@" --help 2>/dev/null | grep -oE '^  (-.,|   ) --[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'
}

# The words of "--option a|b|c"; what is in capitals, or a flag's help, is none.
_trnsci_cli_choices() {
	local option=$1
	shift
	trnsci-cli "$@" --help 2>/dev/null | grep '^ ' | grep -oE -- "$option [a-z0-9_]+(\|[a-z0-9_]+)*( |\$)" | cut -d' ' -f2 | tr '|' '\n'
}

_trnsci_cli() {
	# rand DISTRIBUTION, qmc KIND, stream COMMAND and stream draw NAME DISTRIBUTION have options of their own.
	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} word command=() words
	COMPREPLY=()
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ $word == -* ]] || command+=("$word")
		[[ ${command[0]-} == @(rand|ring|qmc|stream) || ${#command[@]} -eq 0 ]] || break
		[[ ${command[*]-} == "stream draw"* && ${#command[@]} -lt 4 ]] && continue
		[[ ${#command[@]} -ge 2 ]] && break
	done
	case ${command[*]-} in
	"") words=$(trnsci-cli --help 2>/dev/null | awk '/^  / {print $1}') ;;
	qmc) words=$(trnsci-cli qmc --help 2>/dev/null | awk '/^  / {print $1}') ;;
	stream) words=$(trnsci-cli stream --help 2>/dev/null | awk '/^  / {print $1}') ;;
	stream\ draw\ *) [[ ${#command[@]} -eq 3 ]] && words=$(trnsci-cli rand --help 2>/dev/null | awk '/^  / {print $1}') ;;
	rand | ring) words=$(trnsci-cli rand --help 2>/dev/null | awk '/^  / {print $1}') ;;
	esac
	if [[ $before == --* ]]; then
		COMPREPLY=($(compgen -W "$(_trnsci_cli_choices "$before" "${command[@]}")" -- "$current"))
		[[ ${#COMPREPLY[@]} -gt 0 ]] && return
	fi
	if [[ $current == -* && ${#command[@]} -gt 0 ]]; then
		COMPREPLY=($(compgen -W "$(_trnsci_cli_options "${command[@]}")" -- "$current"))
	elif [[ -n ${words-} ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$current"))
	else
		COMPREPLY=($(compgen -f -- "$current"))
	fi
}

complete -o filenames -F _trnsci_cli trnsci-cli
