# SPDX-License-Identifier: Apache-2.0
# fish completion for trnsci-cli, by what `trnsci-cli describe --json` says of the words before the cursor.

function __trnsci_cli_described
	trnsci-cli describe --json --words -- (commandline -opc)[2..] 2>/dev/null
end

# What may stand at the cursor where no option begins.
function __trnsci_cli_operands
	__trnsci_cli_described | string replace -rf '^ *\{ "word": "([^"]*)", "help": "(.*)" \}.*' '$1\t$2'
end

function __trnsci_cli_options
	__trnsci_cli_described | string replace -rf '^ *\{ "name": "([^"]*)".*"help": "(.*)" \}.*' -- '--$1\t$2'
end

# The choices of the option before the cursor.
function __trnsci_cli_choices
	set -l option (string replace -rf '^--' '' -- (commandline -opc)[-1]); or return 1
	set -l choices (__trnsci_cli_described | string replace -rf "^ *\{ \"name\": \"$option\",.*\"choices\": \[ ([^]]*) \].*" '$1')
	test -n "$choices"; or return 1
	string split ', ' -- (string replace -a '"' '' -- $choices)
end

complete -c trnsci-cli -n 'not __trnsci_cli_choices >/dev/null' -a '(__trnsci_cli_operands)'
complete -c trnsci-cli -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__trnsci_cli_options)'
complete -c trnsci-cli -n '__trnsci_cli_choices >/dev/null' -f -a '(__trnsci_cli_choices)'
