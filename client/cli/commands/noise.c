/* SPDX-License-Identifier: Apache-2.0 */
/* noise: adds normal noise, white or coloured, to a signal, so strong that the ratio of their powers is as asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules.h"

/* One command runs in a process. */
static struct mixture {
	struct trnsci_args *map; /* of the noise */
	uint64_t offset;         /* of the first sample */
	double db, sigma;        /* the ratio that is asked for, and what gives it */
	double signal, error;    /* powers times samples: of the signal, of what the written result has beside it */
	uint64_t clipped;        /* samples */
} noise;

/* The mean of the squares of all elements, which are read once more for the sum. */
static int measure_power(struct input *input, double *ret_power)
{
	enum { PIECE = 1 << 16 };
	const size_t element = trnsci_dtype_size(input->array.dtype);
	double *piece = allocate(PIECE, sizeof *piece);
	uint64_t count = 0;
	double sum = 0;
	int code = input_keep(input);

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

static int read_ratio(const struct options *options)
{
	const char *text = options_get(options, "snr");

	if (!text)
		return complain(EXIT_USAGE, "noise: --snr DB is missing");
	if (!parse_f64(text, &noise.db) || !(fabs(noise.db) <= 300))
		return complain(EXIT_USAGE, "--snr: '%s', allowed -300 to 300 dB", text);
	return options_u64(options, "offset", &noise.offset);
}

int noise_prepare(struct pieces *pieces)
{
	struct input *input = &pieces->inputs[0];
	double power = 0;
	int code = read_ratio(pieces->options);

	if (code == EXIT_OK && input->array.dtype != TRNSCI_F32 && input->array.dtype != TRNSCI_F64)
		code = complain(EXIT_DATA, "%s: complex numbers, allowed real ones", input->name);
	if (code == EXIT_OK)
		code = measure_power(input, &power);
	noise.sigma = sqrt(power * pow(10, -noise.db / 10));
	return code;
}

/* Coloured noise is a draw of its own, of variance 1 as white noise is. */
static int set_spectrum(const struct options *options)
{
	const char *color = options_get(options, "color"), *exponent = options_get(options, "exponent");
	double number;

	trnsci_set(noise.map, trnsci_param_text("op", color || exponent ? "colored" : "normal"));
	if (color)
		trnsci_set(noise.map, trnsci_param_text("color", color));
	if (exponent && !parse_f64(exponent, &number))
		return complain(EXIT_USAGE, "--exponent: '%s', allowed a number", exponent);
	if (exponent)
		trnsci_set(noise.map, trnsci_param_f64("exponent", number));
	return EXIT_OK;
}

/* Where the noise comes from, and how strong it is. */
int noise_set(struct pieces *pieces, struct trnsci_args *args)
{
	static const char *const integers[] = {"seed", "stream"};
	const struct options *options = pieces->options;
	int code = EXIT_OK;

	trnsci_set(args, trnsci_param_f64("sigma", noise.sigma));
	noise.map = trnsci_set_map(args, "noise");
	code = set_spectrum(options);
	if (options_get(options, "generator"))
		trnsci_set(noise.map, trnsci_param_text("generator", options_get(options, "generator")));
	for (size_t i = 0; i < sizeof integers / sizeof *integers && code == EXIT_OK; i++) {
		uint64_t number = 0;

		code = options_u64(options, integers[i], &number);
		if (options_get(options, integers[i]))
			trnsci_set(noise.map, trnsci_param_u64(integers[i], number));
	}
	return code;
}

/* Noise is a stream of samples: a piece takes those of its elements. */
void noise_move(uint64_t item)
{
	trnsci_set(noise.map, trnsci_param_u64("offset", noise.offset + item));
}

static double element(const struct trnsci_tile_info *info, const void *data, size_t i)
{
	return info->dtype == TRNSCI_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* What a file of integers clips is noise, too. */
void noise_look(const struct output *output, const struct trnsci_tile *in, const struct trnsci_tile *out)
{
	const struct trnsci_tile_info info = tile_info(in);
	const void *from = trnsci_tile_data(in), *to = trnsci_tile_data(out);

	for (size_t i = 0; i < info.count; i++) {
		bool clipped;
		const double x = element(&info, from, i), error = output_stored(output, element(&info, to, i), &clipped) - x;

		noise.signal += x * x;
		noise.error += error * error;
		noise.clipped += clipped;
	}
}

void noise_end(const struct options *options)
{
	if (noise.clipped && !options->quiet)
		fprintf(stderr, "trnsci-cli: noise: the ratio reached is %.1f dB, asked for was %g\n",
			10 * log10(noise.signal / noise.error), noise.db);
}
