/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "options/options.h"
#include "options/suggest.h"

const struct command *commands_find(const struct command *commands, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

void commands_print(const struct command *commands, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("  %-13s %s\n", commands[i].name, commands[i].help);
}

int commands_complain(const char *of, const char *given, const struct command *commands, size_t n)
{
	struct suggestion suggestion = suggestion_of(given ? given : "");
	const char *before = of ? of : "", *colon = of ? ": " : "";
	char names[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < n && used < sizeof names; i++) {
		suggestion_try(&suggestion, commands[i].name);
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", commands[i].name);
	}
	if (!given)
		return complain(EXIT_USAGE, "%s%sno command, allowed %s; see --help", before, colon, names);
	return complain(EXIT_USAGE, "%s%s%s: no such command%s, allowed %s; see --help", before, colon, given,
			suggestion_text(&suggestion), names);
}

int commands_run(const char *name, const char *help, const struct command *commands, size_t n, struct cli *cli, int argc,
		 char **argv)
{
	const struct command *command = argc > 1 ? commands_find(commands, n, argv[1]) : NULL;

	if (command)
		return command->run(cli, argc - 1, argv + 1);
	if (!options_ask_for_help(argc > 1 ? 2 : argc, argv))
		return commands_complain(name, argc > 1 ? argv[1] : NULL, commands, n);
	printf("usage: trnsci-cli %s COMMAND ...\n\n%s\n\ncommands:\n", name, help);
	commands_print(commands, n);
	printf("\ntrnsci-cli %s COMMAND --help lists a command's options and gives an example.\n", name);
	return EXIT_OK;
}
