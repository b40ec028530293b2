/* SPDX-License-Identifier: Apache-2.0 */
/* Complaints, and the session that a command works in. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "printable.h"

/* A message may quote a file name or a daemon's text: line ends in it become blanks, so that it stays one line. */
int complain(enum exit_code code, const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	for (char *at = line; *at; at++)
		if (*at == '\n' || *at == '\r')
			*at = ' ';
	make_printable(line);
	fprintf(stderr, "trnsci-cli: %s\n", line);
	return (int)code;
}

void *allocate(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size);

	if (!memory)
		exit(complain(EXIT_TRY_AGAIN, "no memory for %zu elements of %zu bytes", n, size));
	return memory;
}

/* A daemon that breaks the protocol is no daemon for our purposes. */
int complain_error(const struct trnsci_error *err, enum exit_code wrong)
{
	enum exit_code code = wrong;

	if (err->code == TRNSCI_NO_DAEMON || err->code == TRNSCI_CLOSED || err->code == TRNSCI_BAD_REPLY)
		code = EXIT_NO_DAEMON;
	else if (trnsci_error_is_transient(err->code))
		code = EXIT_TRY_AGAIN;
	return complain(code, "%s", err->text);
}

/* or_embedded: where no daemon answers, which err then says. Returns what trnsci_open does. */
static int try_session(struct cli *cli, bool or_embedded, struct trnsci_error *err)
{
	const struct trnsci_options options = {.or_embedded = or_embedded,
					       .threads = cli->threads,
					       .timeout_ms = cli->timeout_ms,
					       .reconnect_ms = cli->outlasts ? cli->timeout_ms : 0};

	return trnsci_open(cli->embedded ? "embedded:" : cli->socket, &options, &cli->session, err);
}

static int open_session(struct cli *cli, bool or_embedded, struct trnsci_error *err)
{
	return try_session(cli, or_embedded, err) < 0 ? complain_error(err, EXIT_USAGE) : EXIT_OK;
}

int connect_session(struct cli *cli)
{
	struct trnsci_error err = {0};

	if (cli->session)
		return EXIT_OK;
	if (cli->socket && cli->embedded)
		return complain(EXIT_USAGE, "--socket and --embedded: allowed one of them");
	const int code = open_session(cli, !cli->socket, &err);

	if (code != EXIT_OK)
		return code;
	make_printable(err.text);
	if (err.code && !cli->quiet)
		fprintf(stderr, "trnsci-cli: %s; computing in this process\n", err.text);
	if (cli->verbose)
		fprintf(stderr, "trnsci-cli: using %s\n", session_address(cli->session));
	return EXIT_OK;
}

int connect_daemon(struct cli *cli)
{
	struct trnsci_error err = {0};

	if (cli->embedded)
		return complain(EXIT_USAGE, "--embedded: this command needs a daemon, allowed: --socket");
	return open_session(cli, false, &err);
}

/* A daemon that ends may still take a connection, and drop it. */
static bool may_answer_soon(const struct trnsci_error *err)
{
	return err->code == TRNSCI_NO_DAEMON || err->code == TRNSCI_CLOSED;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int await_daemon(struct cli *cli, uint64_t seconds)
{
	const struct timespec pause = {0, 20000000};
	const uint64_t end_ms = now_ms() + seconds * 1000;
	struct trnsci_error err = {0};

	if (cli->embedded)
		return connect_daemon(cli);
	while (try_session(cli, false, &err) < 0) {
		if (!may_answer_soon(&err))
			return complain_error(&err, EXIT_USAGE);
		if (now_ms() >= end_ms)
			return complain(EXIT_NO_DAEMON, "no daemon answered within %" PRIu64 " s: %s", seconds, err.text);
		nanosleep(&pause, NULL);
	}
	return EXIT_OK;
}

int ask(struct cli *cli, const char *method, const struct trnsci_param *params, struct trnsci_call **ret_call)
{
	const int r = trnsci_call_new(cli->session, method, ret_call);

	if (r < 0)
		return complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r));
	if (params)
		trnsci_set_params(trnsci_call_args(*ret_call), params);
	return trnsci_run(*ret_call, NULL) < 0 ? complain_error(trnsci_call_error(*ret_call), EXIT_USAGE) : EXIT_OK;
}

int tile_begin_read(struct trnsci_session *session, const struct trnsci_tile *tile, uint64_t *ret_restarts)
{
	struct trnsci_session_info info;

	if (trnsci_session_describe(session, &info) < 0)
		return complain(EXIT_NO_DAEMON, "the daemon ended before its result was read");
	if (tile_info(tile).lost)
		return complain(EXIT_TRY_AGAIN, "the daemon was restarted before its result was read: the result is lost");
	*ret_restarts = info.restarts;
	return EXIT_OK;
}

int tile_end_read(struct trnsci_session *session, uint64_t restarts, const char *name)
{
	struct trnsci_session_info info;

	if (trnsci_session_describe(session, &info) == 0 && info.restarts == restarts)
		return EXIT_OK;
	return complain(EXIT_TRY_AGAIN, "%s: the daemon ended while its result was read: what was written is incomplete", name);
}
