/* SPDX-License-Identifier: Apache-2.0 */
/* version: of the library, and of the daemon where one answers. */
#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "figures.h"
#include "options/options.h"
#include "report.h"

/* The daemon's reply beside our own version; reply NULL: none answers. */
static int print_json(const char *address, const struct trnsci_value *reply)
{
	struct json_object *report = json_object_new_object();

	report_add_text(report, "version", trnsci_version());
	json_object_object_add(report, "daemon", report_of_value(reply));
	if (reply)
		report_add_text(report, "address", address);
	return report_print(report);
}

static void print_versions(const char *address, const struct trnsci_value *reply)
{
	char room[PRINTABLE_ROOM];

	printf("trnsci-cli %s\n", trnsci_version());
	if (!reply)
		return;
	const char *version = figure_text(reply, "version", room);

	printf("%s %s, protocol %" PRIu64 ", stream format %" PRIu64 "\n", address, version ? version : "", figure_u64(reply, "protocol"),
	       figure_u64(reply, "stream_format"));
}

static int print_all(const struct cli *cli, const char *address, const struct trnsci_value *reply)
{
	if (cli->json)
		return print_json(address, reply);
	print_versions(address, reply);
	return EXIT_OK;
}

static int version(struct cli *cli, const struct options *options)
{
	struct trnsci_call *call = NULL;
	struct trnsci_error err;
	const int r = trnsci_open(cli->embedded ? "embedded:" : cli->socket, NULL, &cli->session, &err);
	int code = EXIT_OK;

	(void)options;
	if (r == -TRNSCI_NO_DAEMON && !cli->socket)
		return print_all(cli, NULL, NULL);
	if (r < 0)
		return complain_error(&err, EXIT_USAGE);
	if (trnsci_call_new(cli->session, "version", &call) == 0 && trnsci_run(call, NULL) == 0)
		print_all(cli, session_address(cli->session), trnsci_call_reply(call));
	else
		code = complain(EXIT_NO_DAEMON, "%s: the daemon does not state its version", session_address(cli->session));
	trnsci_call_free(call);
	return code;
}

const struct command command_version = {
	.reports = true, .name = "version", .summary = "versions of this program, its library and the daemon", .usage = "",
	.help = "Print the versions of this program, its library and the daemon.", .example = "version", .run = version,
};
