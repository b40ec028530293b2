/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci-cli: random numbers and transforms on the command line. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "options.h"

static const struct command commands[] = {
	{"rand", "draw random numbers: rand normal -n 1000 --seed 1", command_rand},
	{"ring", "random numbers from a ring that is kept full: ring normal -n 1000 --seed 1", command_ring},
	{"qmc", "quasi-random points: qmc sobol -n 1024 -d 3", command_qmc},
	{"derive", "new streams from old: derive --seed 1 --label weights", command_derive},
	{"fft", "transform an array: fft signal.npy -o spectrum.npy", command_fft},
	{"dct", "cosine transforms: dct signal.npy --type 2 --norm ortho", command_dct},
	{"dst", "sine transforms: dst signal.npy", command_dst},
	{"gemm", "multiply matrices: gemm a.npy b.npy -o c.npy", command_gemm},
	{"trace", "estimate a trace: trace matrix.npy --probes 300 --method hutchpp", command_trace},
	{"run", "run a program of several steps: run PROGRAM.json", command_run},
	{"stream", "named streams of a daemon: stream create NAME, stream draw NAME normal -n 5", command_stream},
	{"status", "figures of the daemon and its engine", command_status},
	{"selftest", "known answers in every variant of the kernels, on all 128 lanes", command_selftest},
	{"version", "versions of this program, its library and the daemon", command_version},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(void)
{
	printf("usage: trnsci-cli [--socket PATH | --embedded] [-q] [-v] COMMAND ...\n\ncommands:\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].help);
	printf("\ntrnsci-cli COMMAND --help lists a command's options.\n");
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* How many words before the command: the options that every command has. */
static int count_leading(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-') {
		bool takes_value = strcmp(argv[i], "--socket") == 0 || strcmp(argv[i], "--threads") == 0;

		i += takes_value && i + 1 < argc ? 2 : 1;
	}
	return i;
}

int main(int argc, char **argv)
{
	static const struct option_row rows[] = {{"version", 0, NULL, "print the version"}};
	static const struct option_set set = {"COMMAND ...", "", rows, 1, NULL, NULL};
	int leading = count_leading(argc, argv);
	struct options options;
	struct cli cli = {0};

	signal(SIGPIPE, SIG_IGN); /* a broken pipe is an error with a name */
	for (int i = 1; i < leading; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			print_usage();
			return EXIT_OK;
		}
	int code = options_parse(&set, &cli, leading, argv, &options);

	if (code != EXIT_OK)
		return code;
	if (options_get(&options, "version"))
		return command_version(&cli, 1, (char *[]){(char[]){"version"}, NULL});
	if (leading == argc)
		return complain(EXIT_USAGE,
				"no command, allowed rand, ring, qmc, derive, fft, dct, dst, gemm, trace, run, stream, status, selftest, version; see --help");
	const struct command *command = find(argv[leading]);

	if (!command)
		return complain(EXIT_USAGE,
				"%s: no such command, allowed rand, qmc, derive, fft, dct, dst, gemm, trace, run, stream, status, selftest, version; see --help",
				argv[leading]);
	return command->run(&cli, argc - leading, argv + leading);
}
