/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci-cli: random numbers and transforms on the command line. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "commands/operations.h"
#include "options/options.h"

/* In the order of documentation. */
#define COMMANDS(X) \
	X(rand) X(ring) X(broadcast) X(qmc) X(derive) X(fft) X(dct) X(dst) X(fftshift) X(fftfreq) X(next_fast_len) \
	X(noise) X(gemm) X(trace) X(stft) X(istft) X(convolve) X(correlate) X(welch) X(csd) X(window) X(field) X(fgn) X(fbm) X(surrogate) X(plot) \
	X(run) X(stream) X(status) X(top) X(metrics) X(selftest) X(bench) X(version) X(describe) X(help)

#define X(name) extern const struct command command_##name;
COMMANDS(X)
#undef X

#define X(name) +1
enum { N_COMMANDS = 0 COMMANDS(X), COMMANDS_MAX = N_COMMANDS + 40 };
#undef X

static const struct command *commands[COMMANDS_MAX] = {
#define X(name) &command_##name,
	COMMANDS(X)
#undef X
};

static const struct option_row rows[] = {{"version", 'V', NULL, "print the version"}};
static const struct command root = {
	.name = "", .reports = true, .usage = "COMMAND ...", .word = "COMMAND", .inner = commands, ROWS(rows)};

/* What was printed may still be in memory. A reader that has gone away is no error to speak of. */
static int flush_stdout(int code)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (code == EXIT_OK && errno != EPIPE)
		complain(EXIT_IO, "stdout: %s", strerror(errno));
	return code == EXIT_OK ? EXIT_IO : code;
}

int main(int argc, char **argv)
{
	const int leading = options_count_leading(&root, argc, argv);
	struct cli cli = {.root = &root, .timeout_ms = 30000};
	struct options options;

	operations_add(commands, N_COMMANDS, COMMANDS_MAX);
	signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of the write */
	if (options_ask_for_help(leading, argv)) {
		print_usage(stdout, &root);
		return flush_stdout(EXIT_OK);
	}
	int code = options_parse(&root, &cli, leading, argv, &options);

	if (code != EXIT_OK)
		return code;
	if (options_get(&options, "version"))
		return flush_stdout(run_command(&command_version, &cli, 1, (char *[]){(char[]){"version"}, NULL}));
	if (leading == argc) {
		print_usage(stderr, &root);
		return EXIT_USAGE;
	}
	return flush_stdout(run_command(&root, &cli, argc - leading + 1, argv + leading - 1));
}
