# SPDX-License-Identifier: Apache-2.0
# fish completion for trnsci-cli: commands, options and choices are those that its own --help prints.

# The words of the command line that say which help applies: the command, and the operands that choose its options.
function __trnsci_cli_command
	set -l words
	for word in (commandline -opc)[2..]
		string match -q -- '-*' $word; and continue
		set -a words $word
	end
	switch "$words[1]"
		case rand ring qmc help
			set words $words[1..(math min 2, (count $words))]
		case stream broadcast
			contains -- "$words[2]" draw send; and set words $words[1..(math min 4, (count $words))]
			or set words $words[1..(math min 2, (count $words))]
		case '*'
			set words $words[1]
	end
	string join \n -- $words
end

function __trnsci_cli_names
	trnsci-cli $argv --help 2>/dev/null | string replace -rf '^  ([a-z][a-z0-9_-]*) +(.*)' '$1\t$2'
end

# What may stand at the cursor where no option begins.
function __trnsci_cli_operands
	set -l command (__trnsci_cli_command)
	switch "$command"
		case '' help
			__trnsci_cli_names
		case rand ring qmc stream
			__trnsci_cli_names $command
		case 'stream draw *' 'broadcast send *'
			test (count $command) -eq 3; and __trnsci_cli_names rand
	end
end

# Choices behind "--option", else the options.
function __trnsci_cli_options
	set -l command (__trnsci_cli_command)
	trnsci-cli $command --help 2>/dev/null | string replace -rf '^  (?:-.,|   ) (--[a-z0-9-]+) \S* *(.*)' '$1\t$2'
end

function __trnsci_cli_choices
	set -l option (commandline -opc)[-1]
	string match -q -- '--*' $option; or return 1
	set -l command (__trnsci_cli_command)
	set -l choices (trnsci-cli $command --help 2>/dev/null | string replace -rf "^  (?:-.,|   ) $option ([a-z0-9_]+\|[a-z0-9_|]+) .*" '$1')
	test -n "$choices"; or return 1
	string split '|' -- $choices
end

complete -c trnsci-cli -n 'not __trnsci_cli_choices >/dev/null' -a '(__trnsci_cli_operands)'
complete -c trnsci-cli -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__trnsci_cli_options)'
complete -c trnsci-cli -n '__trnsci_cli_choices >/dev/null' -f -a '(__trnsci_cli_choices)'
