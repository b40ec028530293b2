/* SPDX-License-Identifier: Apache-2.0 */
/* version: of the library, and of the daemon where one answers. */
#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "options/options.h"

static void print_daemon(struct trnsci_session *session, const struct trnsci_value *reply)
{
	const struct trnsci_value *version = trnsci_get(reply, "version");
	uint64_t protocol = 0, format = 0;
	size_t size = 0;
	const char *text = trnsci_to_bytes(version, &size);

	trnsci_to_u64(trnsci_get(reply, "protocol"), &protocol);
	trnsci_to_u64(trnsci_get(reply, "stream_format"), &format);
	printf("%s %.*s, protocol %" PRIu64 ", stream format %" PRIu64 "\n", session_address(session), (int)size,
	       text ? text : "", protocol, format);
}

int command_version(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {
		"version", "Versions of this program, its library and the daemon.", NULL, 0, NULL, NULL};
	struct trnsci_session *session = NULL;
	struct trnsci_call *call = NULL;
	struct options options;
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	printf("trnsci-cli %s\n", trnsci_version());
	struct trnsci_error err;
	int r = trnsci_open(cli->embedded ? "embedded:" : cli->socket, NULL, &session, &err);

	if (r == -TRNSCI_NO_DAEMON && !cli->socket)
		return EXIT_OK;
	if (r < 0)
		return complain_error(&err, EXIT_USAGE);
	if (trnsci_call_new(session, "version", &call) == 0 && trnsci_run(call, NULL) == 0)
		print_daemon(session, trnsci_reply(call));
	trnsci_call_free(call);
	trnsci_close(session);
	return EXIT_OK;
}
