/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of trnsci-cli share. Everything here uses the installed header only.
 *
 *     main.c       finds the command
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
};

struct command {
	const char *name;
	const char *help; /* one line */
	/* argv[0] is the command's name. Returns an exit code. */
	int (*run)(struct cli *cli, int argc, char **argv);
};

int command_rand(struct cli *cli, int argc, char **argv);
int command_broadcast(struct cli *cli, int argc, char **argv);
int command_ring(struct cli *cli, int argc, char **argv);
int command_qmc(struct cli *cli, int argc, char **argv);
int command_derive(struct cli *cli, int argc, char **argv);
int command_fft(struct cli *cli, int argc, char **argv);
int command_dct(struct cli *cli, int argc, char **argv);
int command_dst(struct cli *cli, int argc, char **argv);
int command_fftshift(struct cli *cli, int argc, char **argv);
int command_fftfreq(struct cli *cli, int argc, char **argv);
int command_next_fast_len(struct cli *cli, int argc, char **argv);
int command_plot(struct cli *cli, int argc, char **argv);
int command_bench(struct cli *cli, int argc, char **argv);
int command_metrics(struct cli *cli, int argc, char **argv);
int command_top(struct cli *cli, int argc, char **argv);
int command_noise(struct cli *cli, int argc, char **argv);
int command_gemm(struct cli *cli, int argc, char **argv);
int command_trace(struct cli *cli, int argc, char **argv);
int command_stft(struct cli *cli, int argc, char **argv);
int command_istft(struct cli *cli, int argc, char **argv);
int command_convolve(struct cli *cli, int argc, char **argv);
int command_correlate(struct cli *cli, int argc, char **argv);
int command_welch(struct cli *cli, int argc, char **argv);
int command_csd(struct cli *cli, int argc, char **argv);
int command_window(struct cli *cli, int argc, char **argv);
int command_run(struct cli *cli, int argc, char **argv);
int command_stream(struct cli *cli, int argc, char **argv);
int command_status(struct cli *cli, int argc, char **argv);
int command_selftest(struct cli *cli, int argc, char **argv);
int command_version(struct cli *cli, int argc, char **argv);

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

/* An error of the library: its text, and the exit code that its kind asks for; `wrong` is the code for a request that
 * is wrong in itself (EXIT_USAGE for options, EXIT_DATA for files). */
int complain_error(const struct trnsci_error *err, enum exit_code wrong);

/* Opens the session that the options ask for; without any, a daemon where one answers, else the embedded engine, and
 * says so. The session's memory grows with its tiles. An exit code. */
int connect_session(const struct cli *cli, struct trnsci_session **ret_session);

/* The same for what only a daemon has: without one it fails. Says nothing when it succeeds. */
int connect_daemon(const struct cli *cli, struct trnsci_session **ret_session);

#endif
