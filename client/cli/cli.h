/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of trnsci-cli share. Everything here uses the installed header only.
 *
 *     main.c       has the table of commands
 *     commands.c   finds the command, parses its options, opens its session and runs it
 *     options/     options from rows, and from the operation table: a new parameter needs no code here
 *     commands/    one file for each command, or for commands of one shape
 *     files/       inputs and outputs by format
 *     plot/ page/  pictures in the terminal; status --html
 *
 * Functions return an exit code and have complained by then: the caller only passes it on. One error, one line on stderr. */
#ifndef TRNSCI_CLI_CLI_H
#define TRNSCI_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "command.h"

/* Exit codes, those of sysexits.h where they are not 0 and 2. An interrupted command ends by its signal. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_USAGE = 2,
	EXIT_DATA = 65,          /* what was read is wrong */
	EXIT_NO_DAEMON = 69,
	EXIT_CANNOT_CREATE = 73, /* the output cannot be made */
	EXIT_IO = 74,            /* an error of reading or writing, or a full disk */
	EXIT_TRY_AGAIN = 75,
};

/* What stands before the command, or anywhere behind it. Texts are argv's. */
struct cli {
	const char *socket; /* NULL: where one answers */
	bool embedded, quiet, verbose, json; /* socket and embedded: at most one of them */
	unsigned threads; /* of an embedded engine; 0: as many as CPUs */
	bool outlasts;    /* the command goes on with the next daemon, for which it waits timeout_ms */
	int timeout_ms;   /* for an answer that takes no computing; jobs are waited for by job_run (progress.h), for ever */
	const struct command *root;     /* which has all others */
	struct trnsci_session *session;        /* the one that is open; closed when the command ends */
};

/* Return what the describe functions say of an open session or tile. */
static inline const char *session_address(struct trnsci_session *session)
{
	struct trnsci_session_info info;

	trnsci_session_describe(session, &info);
	return info.address;
}

static inline struct trnsci_tile_info tile_info(const struct trnsci_tile *tile)
{
	struct trnsci_tile_info info;

	trnsci_tile_describe(tile, &info);
	return info;
}

/* Around reading a tile in place, whose memory a daemon empties when it drops the session: an error when what was read may
 * have been emptied meanwhile. name: of what it was written to. Exit codes. */
int tile_begin_read(struct trnsci_session *session, const struct trnsci_tile *tile, uint64_t *ret_restarts);
int tile_end_read(struct trnsci_session *session, uint64_t restarts, const char *name);

/* One line on stderr; returns code. */
int complain(enum exit_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns memory. Where there is none the process ends with EXIT_TRY_AGAIN, so it is not for while a file is being written. */
void *allocate(size_t n, size_t size);

/* An error of the library: its text, and the exit code that its kind asks for; `wrong` is the code for a request that
 * is wrong in itself (EXIT_USAGE for options, EXIT_DATA for files). */
int complain_error(const struct trnsci_error *err, enum exit_code wrong);

/* Opens the session that the options ask for; without any, a daemon where one answers, else the embedded engine, and
 * says so; one that is open serves on. The session's memory grows with its tiles. An exit code. */
int connect_session(struct cli *cli);

/* Opens a session of a daemon, for what only a daemon has. Says nothing when it succeeds. An exit code. */
int connect_daemon(struct cli *cli);

/* The same for a daemon that may be starting: looks for it for so many seconds. */
int await_daemon(struct cli *cli, uint64_t seconds);

/* Runs a method of the session; params NULL: without parameters. *ret_call, which has the reply, is the caller's to free, also
 * after an error. An exit code. */
int ask(struct cli *cli, const char *method, const struct trnsci_param *params, struct trnsci_call **ret_call);

#endif
