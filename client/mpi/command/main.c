/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci-mpi: arrays over the ranks of an MPI job, on the command line. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static const char usage[] =
	"usage: mpirun ... trnsci-mpi COMMAND ...\n"
	"\n"
	"commands:\n"
	"  draw DISTRIBUTION --shape N,... -o FILE.npy   draw an array, every rank its own elements; gamma, weibull: --dims\n"
	"      --seed S --stream ID --offset K --generator NAME   the source [threefry4x32, 0]\n"
	"      --name STREAM          a named stream, of the daemon of rank 0\n"
	"      --dtype DTYPE          type of the elements [f32; of counts i64, of bits u32, of i8 distributions i8]\n"
	"      --sums                 print the exact sum, mean and variance; -o may then be missing\n"
	"      --PARAMETER VALUE      of the distribution, see trnsci-operations(7): a number, numbers as in 1,2.5, or @FILE.npy\n"
	"  field --shape N,... -o FILE.npy               draw a Gaussian random field; the source, dtype and sums as of draw\n"
	"      --exponent E | --spectrum K0,P0,K1,P1,... | --covariance NAME --length L,... ...   as trnsci-cli field\n"
	"  fft INPUT.npy -o OUTPUT.npy                   transform an array over all axes\n"
	"      --axes A,...           only over these; not negative\n"
	"      --inverse  --real  --norm backward|ortho|forward   as trnsci-cli fft\n"
	"      --length N             with --real --inverse: elements of the real axis [2 (n - 1)]\n"
	"  bench [--shape N,...]                         time draws and transforms of this job [256,256,256]\n"
	"  version, help\n"
	"\n"
	"common options:\n"
	"      --grid P,...           ranks along each axis [all along the first]\n"
	"      --block B,...          deal indices in blocks, 0: contiguous [0]\n"
	"      --socket PATH          of this host's daemon [$TRNSCI_SOCKET and the usual places]\n"
	"      --embedded             compute in the ranks\n"
	"      --threads N            of each embedded engine, 1 to 128 [the host's CPUs divided among its ranks]\n"
	"  -q, --quiet                no remarks on stderr\n"
	"\n"
	"example: mpirun -n 4 trnsci-mpi draw normal --shape 4096,4096 --seed 1 -o noise.npy\n";

static int run(const char *command, const char *method, struct options *options)
{
	const struct trnsci_options session = {.threads = options->threads};
	struct trnsci_mpi *mpi = NULL;
	struct trnsci_error err;
	struct trnsci_mpi_info info;
	int code;

	if (trnsci_mpi_open(MPI_COMM_WORLD, options->embedded ? "embedded:" : options->socket, &session, &mpi, &err) < 0)
		return command_error(&err);
	trnsci_mpi_describe(mpi, &info);
	if (command_prints() && info.ranks_embedded > 0 && !options->embedded && !options->quiet)
		fprintf(stderr, "trnsci-mpi: %d of %d ranks compute in the process: no daemon answers there\n", info.ranks_embedded, info.size);
	if (method)
		code = command_draw(mpi, command, method, options);
	else
		code = strcmp(command, "fft") == 0 ? command_fft(mpi, options) : command_bench(mpi, options);
	trnsci_mpi_close(mpi);
	return code;
}

static int dispatch(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	const bool draws = strcmp(command, "draw") == 0, fields = strcmp(command, "field") == 0;
	const char *method = fields ? "field" : draws && argc > 2 ? argv[2] : NULL;
	struct options options;

	if (strcmp(command, "help") == 0 || strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 ||
	    (argc > 2 && strcmp(argv[2], "--help") == 0)) {
		if (command_prints())
			fputs(usage, stdout);
		return EXIT_OK;
	}
	if (strcmp(command, "version") == 0 || strcmp(command, "--version") == 0) {
		if (command_prints())
			printf("trnsci-mpi %s\n", trnsci_version());
		return EXIT_OK;
	}
	if (!draws && !fields && strcmp(command, "fft") != 0 && strcmp(command, "bench") != 0)
		return command_fail(EXIT_USAGE, "got command \"%s\", allowed are draw, field, fft, bench, version, help", command);
	if (draws && (argc < 3 || argv[2][0] == '-'))
		return command_fail(EXIT_USAGE, "draw: missing distribution");
	const int code = options_read(argc - (draws ? 3 : 2), argv + (draws ? 3 : 2), method, &options);

	const int status = code ? code : run(command, method, &options);

	parameters_free(&options);
	return status;
}

int main(int argc, char **argv)
{
	int code;

	signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of the write */
	MPI_Init(&argc, &argv);
	const bool prints = command_prints();

	code = dispatch(argc, argv);
	if (command_prints() && fflush(stdout) != 0)
		code = command_fail(EXIT_IO, "standard output: it cannot be written");
	MPI_Finalize();
	/* One rank's status is the job's; Open MPI would report each other one. */
	return prints ? code : 0;
}
