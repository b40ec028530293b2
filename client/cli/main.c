/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci-cli: random numbers and transforms on the command line. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options/options.h"

static const struct command commands[] = {
	{"rand", "draw random numbers: rand normal -n 1000 --seed 1", command_rand},
	{"ring", "random numbers from a ring that is kept full: ring normal -n 1000 --seed 1", command_ring},
	{"broadcast", "random numbers drawn once and read by many: broadcast read NAME -n 1000", command_broadcast},
	{"qmc", "quasi-random points: qmc sobol -n 1024 -d 3", command_qmc},
	{"derive", "new streams from old: derive --seed 1 --label weights", command_derive},
	{"fft", "transform an array: fft signal.npy -o spectrum.npy", command_fft},
	{"dct", "cosine transforms: dct signal.npy --type 2 --norm ortho", command_dct},
	{"dst", "sine transforms: dst signal.npy", command_dst},
	{"fftshift", "frequency 0 to the middle: fftshift spectrum.npy", command_fftshift},
	{"fftfreq", "frequencies of a transform's bins: fftfreq 1024 -d 0.01", command_fftfreq},
	{"next-fast-len", "the next length that is fast: next-fast-len 1009", command_next_fast_len},
	{"noise", "add noise at a stated ratio: noise speech.wav --snr 10 -o noisy.wav", command_noise},
	{"gemm", "multiply matrices: gemm a.npy b.npy -o c.npy", command_gemm},
	{"trace", "estimate a trace: trace matrix.npy --probes 300 --method hutchpp", command_trace},
	{"stft", "transform signals frame by frame: stft signal.npy --n-fft 512 --window hann", command_stft},
	{"istft", "signals from short-time spectra: istft spectra.npy --n-fft 512 --window hann", command_istft},
	{"convolve", "convolve signals: convolve signal.npy filter.npy --mode same", command_convolve},
	{"correlate", "correlate signals: correlate a.npy b.npy", command_correlate},
	{"welch", "power spectrum: welch signal.npy --fs 48000", command_welch},
	{"csd", "cross power spectrum: csd x.npy y.npy", command_csd},
	{"window", "a window by name: window --n 512 --window kaiser", command_window},
	{"plot", "pictures of samples and signals: plot histogram gamma --shape 2", command_plot},
	{"run", "run a program of several steps: run PROGRAM.json", command_run},
	{"stream", "named streams of a daemon: stream create NAME, stream draw NAME normal -n 5", command_stream},
	{"status", "figures of the daemon and its engine", command_status},
	{"top", "show what the daemon does now: lanes, times, sessions", command_top},
	{"metrics", "print figures of the daemon for Prometheus", command_metrics},
	{"selftest", "known answers in every variant of the kernels, on all 128 lanes", command_selftest},
	{"bench", "what this host gives: memory, draws, transforms, the daemon", command_bench},
	{"version", "versions of this program, its library and the daemon", command_version},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(void)
{
	printf("usage: trnsci-cli [--socket PATH | --embedded] [-q] [-v] [--json] COMMAND ...\n\ncommands:\n");
	commands_print(commands, N_COMMANDS);
	printf("  %-13s %s\n", "help", "a command's options and an example: help rand normal");
	printf("\ntrnsci-cli COMMAND --help lists a command's options and gives an example.\n");
}

/* help [COMMAND [WORD ...]] is the command with --help. */
static int run_help(struct cli *cli, int argc, char **argv)
{
	char *words[8];
	int n = 0;

	if (argc < 2) {
		print_usage();
		return EXIT_OK;
	}
	const struct command *command = commands_find(commands, N_COMMANDS, argv[1]);

	if (!command)
		return commands_complain(NULL, argv[1], commands, N_COMMANDS);
	for (int i = 1; i < argc && n < 6; i++)
		words[n++] = argv[i];
	words[n] = (char[]){"--help"};
	words[n + 1] = NULL;
	return command->run(cli, n + 1, words);
}

static int run_command(struct cli *cli, int argc, char **argv)
{
	const struct command *command = argc > 0 ? commands_find(commands, N_COMMANDS, argv[0]) : NULL;

	if (argc > 0 && strcmp(argv[0], "help") == 0)
		return run_help(cli, argc, argv);
	return command ? command->run(cli, argc, argv)
		       : commands_complain(NULL, argc > 0 ? argv[0] : NULL, commands, N_COMMANDS);
}

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
	static const struct option_row rows[] = {{"version", 'V', NULL, "print the version"}};
	static const struct option_set set = {"COMMAND ...", "", rows, 1, NULL, NULL, NULL};
	int leading = options_count_leading(rows, 1, argc, argv);
	struct options options;
	struct cli cli = {.timeout_ms = 30000};

	signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of the write */
	if (options_ask_for_help(leading, argv)) {
		print_usage();
		return flush_stdout(EXIT_OK);
	}
	int code = options_parse(&set, &cli, leading, argv, &options);

	if (code != EXIT_OK)
		return code;
	if (options_get(&options, "version"))
		return flush_stdout(command_version(&cli, 1, (char *[]){(char[]){"version"}, NULL}));
	return flush_stdout(run_command(&cli, argc - leading, argv + leading));
}
