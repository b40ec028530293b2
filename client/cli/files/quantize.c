/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as integers of PCM. */
#include "quantize.h"

#include <math.h>

#include "cli.h"

int quantizer_begin(struct quantizer *quantizer, int bits, bool dither)
{
	const struct trnsci_options options = {.threads = 1};
	struct trnsci_error err;

	*quantizer = (struct quantizer){.bits = bits};
	if (dither && trnsci_open("embedded:", &options, &quantizer->dither, &err) < 0)
		return complain_error(&err, EXIT_USAGE);
	return EXIT_OK;
}

void quantizer_end(struct quantizer *quantizer)
{
	trnsci_close(quantizer->dither);
	quantizer->dither = NULL;
}

/* With dither a sample may move by one unit. */
double quantizer_most(const struct quantizer *quantizer)
{
	const double units = ldexp(1, quantizer->bits - 1);

	return (units - (quantizer->dither ? 2 : 1)) / units;
}

static bool is_clipped(double sample)
{
	return fabs(sample) > 1;
}

/* Ties go to even. 1 itself becomes the largest integer, one unit less, as other programs have it. */
static int32_t round_units(double value, double units)
{
	const double rounded = nearbyint(value), most = units - 1;

	return isnan(value) ? 0 : (int32_t)(rounded > most ? most : rounded < -units ? -units : rounded);
}

int32_t quantize(int bits, double sample, bool *ret_clipped)
{
	const double units = ldexp(1, bits - 1);

	*ret_clipped = is_clipped(sample);
	return round_units(sample * units, units);
}

static int draw_dither(const struct quantizer *quantizer, size_t count, double *ret)
{
	const struct trnsci_source source = {.seed = DITHER_SEED, .stream = DITHER_STREAM, .offset = 2 * quantizer->done};
	struct trnsci_error err;

	return trnsci_draw_array(quantizer->dither, "uniform", NULL, &source, TRNSCI_F64, 2 * count, ret, NULL, &err) < 0
		       ? complain_error(&err, EXIT_IO)
		       : EXIT_OK;
}

int quantizer_run(struct quantizer *quantizer, const double *samples, size_t count, int32_t *ret)
{
	const double units = ldexp(1, quantizer->bits - 1);
	double dither[2 * QUANTIZE_MOST];
	int code = quantizer->dither ? draw_dither(quantizer, count, dither) : EXIT_OK;

	for (size_t i = 0; i < count && code == EXIT_OK; i++) {
		const double more = quantizer->dither ? dither[2 * i] - dither[2 * i + 1] : 0;

		quantizer->missing += isnan(samples[i]);
		quantizer->clipped += is_clipped(samples[i]);
		ret[i] = round_units(samples[i] * units + more, units);
	}
	quantizer->done += count;
	return code;
}
