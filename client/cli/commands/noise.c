/* SPDX-License-Identifier: Apache-2.0 */
/* noise: adds normal noise to a signal, so strong that the ratio of their powers is as asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute.h"

/* The mean of the squares of all elements, which are read once more for the sum. */
static int measure_power(struct input *input, double *ret_power)
{
	enum { PIECE = 1 << 16 };
	const size_t element = trnsci_dtype_size(input->array.dtype);
	double *piece = malloc(PIECE * sizeof *piece);
	uint64_t count = 0;
	double sum = 0;
	int code = piece ? input_keep(input) : complain(EXIT_TRY_AGAIN, "noise: no memory");

	input_count(input, &count);
	for (uint64_t at = 0, n; at < count && code == EXIT_OK; at += n) {
		n = count - at < PIECE ? count - at : PIECE;
		code = input_read(input, piece, (size_t)n * element);
		for (size_t i = 0; i < n && code == EXIT_OK; i++) {
			const double x = element == sizeof(float) ? (double)((const float *)(const void *)piece)[i] : piece[i];

			sum += x * x;
		}
	}
	free(piece);
	*ret_power = count ? sum / (double)count : 0;
	return code == EXIT_OK ? input_rewind(input) : code;
}

struct noise_command {
	struct computation computation; /* first */
	struct trnsci_args *map;	/* of the noise */
	uint64_t offset;		/* of the first sample */
	double db;			/* the ratio that is asked for */
	double signal, error;		/* powers times samples: of the signal, of what the written result has beside it */
	uint64_t clipped;		/* samples */
};

static int read_ratio(const struct options *options, double *ret_db)
{
	const char *text = options_get(options, "snr");
	char *end;

	if (!text)
		return complain(EXIT_USAGE, "noise: --snr DB is missing");
	*ret_db = strtod(text, &end);
	if (end == text || *end || !(fabs(*ret_db) <= 300))
		return complain(EXIT_USAGE, "--snr: '%s', allowed -300 to 300 dB", text);
	return EXIT_OK;
}

/* Where the noise comes from, and how strong it is. */
static int set_noise(struct computation *computation, struct input *input, struct trnsci_args *args)
{
	static const char *const integers[] = {"seed", "stream"};
	const struct options *options = computation->options;
	struct trnsci_args *noise = trnsci_set_map(args, "noise");
	struct noise_command *own = (struct noise_command *)computation;
	double power = 0;
	int code = EXIT_OK;

	if (input->array.dtype != TRNSCI_F32 && input->array.dtype != TRNSCI_F64)
		return complain(EXIT_DATA, "%s: complex numbers, allowed real ones", input->name);
	trnsci_set(noise, trnsci_param_text("op", "normal"));
	if (options_get(options, "generator"))
		trnsci_set(noise, trnsci_param_text("generator", options_get(options, "generator")));
	for (size_t i = 0; i < sizeof integers / sizeof *integers && code == EXIT_OK; i++) {
		uint64_t number = 0;

		code = options_u64(options, integers[i], &number);
		if (options_get(options, integers[i]))
			trnsci_set(noise, trnsci_param_u64(integers[i], number));
	}
	if (code == EXIT_OK)
		code = measure_power(input, &power);
	trnsci_set(args, trnsci_param_f64("sigma", sqrt(power * pow(10, -own->db / 10))));
	own->map = noise;
	return code;
}

/* Noise is a stream of samples: a piece takes those of its elements. */
static void move(void *arg, struct trnsci_args *args, uint64_t item)
{
	const struct noise_command *noise = arg;

	(void)args;
	trnsci_set(noise->map, trnsci_param_u64("offset", noise->offset + item));
}

static double element(const struct trnsci_tile_info *info, const void *data, size_t i)
{
	return info->dtype == TRNSCI_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* What a file of integers clips is noise, too. */
static void look(void *arg, const struct output *output, const struct trnsci_tile *in, const struct trnsci_tile *out)
{
	struct noise_command *noise = arg;
	const struct trnsci_tile_info info = tile_info(in);
	const void *from = trnsci_tile_data(in), *to = trnsci_tile_data(out);

	for (size_t i = 0; i < info.count; i++) {
		bool clipped;
		const double x = element(&info, from, i), error = output_stored(output, element(&info, to, i), &clipped) - x;

		noise->signal += x * x;
		noise->error += error * error;
		noise->clipped += clipped;
	}
}

static void report(const struct noise_command *noise)
{
	if (noise->clipped && !noise->computation.options->quiet)
		fprintf(stderr, "trnsci-cli: noise: the ratio reached is %.1f dB, asked for was %g\n",
			10 * log10(noise->signal / noise->error), noise->db);
}

/* Each element is an item. */
static size_t no_axis(const struct options *options, size_t ndim)
{
	(void)options;
	(void)ndim;
	return 0;
}

int command_noise(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {
		{"snr", 0, "DB", "power of the signal over that of the noise, in decibels"},
		{"seed", 0, "U64", "seed of the noise [0]"},
		{"stream", 0, "U64", "stream of the noise [0]"},
		{"offset", 0, "U64", "samples of that stream to skip [0]"},
		{"generator", 0, "NAME", "generator of the stream [threefry4x32]"},
		{"dtype", 0, "DTYPE", "of raw input: f32, f64"},
		OUTPUT_ROWS,
		SOUND_ROWS,
	};
	static const struct option_set set = {
		"noise INPUT --snr DB [option ...]",
		"Add normal noise to a signal; the ratio counts over all of its samples and channels.",
		rows,
		sizeof rows / sizeof *rows,
		"noise_add",
		" in sigma noise out u64 timeout_ms ",
		"noise speech.wav --snr 10 -o noisy.wav",
	};
	struct options options;
	struct noise_command noise = {.computation = {.options = &options, .n_inputs = 1, .names = {"in"}, .trailing = no_axis,
					      .set_parameters = set_noise, .move = move, .look = look}};
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != 1)
		return complain(EXIT_USAGE, "noise: %d inputs, allowed one: a file or -", options.n_operands);
	code = read_ratio(&options, &noise.db);
	if (code == EXIT_OK)
		code = options_u64(&options, "offset", &noise.offset);
	if (code != EXIT_OK)
		return code;
	noise.computation.files[0] = options.operands[0];
	code = compute(cli, &noise.computation);
	if (code == EXIT_OK)
		report(&noise);
	return code;
}
