/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <unistd.h>

#include "options/options.h"

/* n_operands 0: there are none. */
static int check_operands(const struct command *command, const struct options *options)
{
	if (command->n_operands == ANY_OPERANDS || options->n_operands == command->n_operands)
		return EXIT_OK;
	if (!command->operands)
		return complain(EXIT_USAGE, "%s: '%s': unexpected argument", command->name, options->operands[0]);
	return complain(EXIT_USAGE, "%s: %d %s, allowed %s", command->name, options->n_operands, command->operands, command->allowed);
}

/* argv[0] is the last word before the options. name: the operand before DIST. */
static int run_parsed(const struct command *command, struct cli *cli, const char *name, int argc, char **argv)
{
	struct options options;
	int code = options_parse(command, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	options.name = name;
	code = check_operands(command, &options);
	if (code == EXIT_OK && cli->json && !command->reports)
		code = complain(EXIT_USAGE, "--json: %s prints no report; allowed with derive, status, stream list and others that do",
				command->name);
	if (code == EXIT_OK && command->needs != NEEDS_NOTHING)
		code = command->needs == NEEDS_DAEMON ? connect_daemon(cli) : connect_session(cli);
	if (code == EXIT_OK)
		code = command->run(cli, &options);
	trnsci_close(cli->session);
	cli->session = NULL;
	return code;
}

bool resolve_command(const struct command *command, int argc, char **argv, struct resolved *ret)
{
	struct choice choice;

	*ret = (struct resolved){.command = command, .argc = argc, .argv = argv};
	while (ret->command->word) {
		const struct command *otherwise = ret->command->otherwise;
		const int before = choice_place(ret->command);

		ret->found = options_lead_operands(otherwise ? otherwise : ret->command, ret->argc, ret->argv, before + 1);
		const bool is_known = ret->found > before && choice_find(ret->command, ret->argv[before + 1], &choice);

		if (otherwise && (!is_known || access(ret->argv[before + 1], F_OK) == 0)) {
			ret->command = otherwise;
			break;
		}
		if (!is_known)
			return false;
		ret->argc -= before + 1;
		ret->argv += before + 1;
		ret->name = before ? ret->argv[-1] : NULL;
		if (!choice.inner)
			choice_take(ret->command, &choice, &ret->chosen);
		ret->command = choice.inner ? choice.inner : &ret->chosen.command;
	}
	return true;
}

int run_command(const struct command *command, struct cli *cli, int argc, char **argv)
{
	struct resolved resolved;

	if (resolve_command(command, argc, argv, &resolved))
		return run_parsed(resolved.command, cli, resolved.name, resolved.argc, resolved.argv);
	command = resolved.command;
	const int before = choice_place(command);

	if (resolved.found <= before && options_ask_for_help(resolved.argc, resolved.argv))
		return choices_print(command);
	if (resolved.found < before)
		return complain(EXIT_USAGE, "%s: %s is needed; --help lists every %s", command->name, command->usage, command->word);
	return choices_complain(command, resolved.found == before ? NULL : resolved.argv[before + 1]);
}
