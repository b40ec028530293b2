/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, with the exact density over them and chi-square's test of it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "density.h"
#include "figures.h"
#include "kinds.h"

enum { DEFAULT_BINS = 60, MOST_BINS = 10000 };

/* Bins of equal width from low on. */
struct bins {
	double low, width;
	size_t n;
	uint64_t *counts, outside;
};

/* Chooses the range of all but one sample in 500 at each end, so that long tails leave room for the rest. */
static void choose_range(const double *samples, size_t n, double *ret_low, double *ret_high)
{
	double *sorted = allocate(n, sizeof *sorted);

	memcpy(sorted, samples, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, compare_f64);
	*ret_low = sorted[n / 500];
	*ret_high = sorted[n - 1 - n / 500];
	free(sorted);
}

static bool all_integers(const double *samples, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (samples[i] != rint(samples[i]))
			return false;
	return true;
}

/* Bins of integers hold whole numbers of them, with each integer in the middle of its share. */
static int choose_bins(const struct options *options, const double *samples, size_t n, struct bins *ret)
{
	uint64_t wanted = DEFAULT_BINS;
	double low = 0, high = 0;
	int code = options_u64(options, "bins", &wanted);

	if (code == EXIT_OK && (wanted < 1 || wanted > MOST_BINS))
		code = complain(EXIT_USAGE, "--bins: %" PRIu64 ", allowed 1 to %d", wanted, MOST_BINS);
	if (code != EXIT_OK)
		return code;
	choose_range(samples, n, &low, &high);
	if (all_integers(samples, n)) {
		ret->width = ceil((high - low + 1) / (double)wanted);
		ret->low = low - 0.5;
		ret->n = (size_t)ceil((high - low + 1) / ret->width);
	} else {
		ret->width = high > low ? (high - low) / (double)wanted : 1;
		ret->low = low;
		ret->n = (size_t)wanted;
	}
	ret->counts = allocate(ret->n, sizeof *ret->counts);
	return EXIT_OK;
}

static void count_samples(struct bins *bins, const double *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const double place = floor((samples[i] - bins->low) / bins->width);

		if (place >= 0 && place < (double)bins->n)
			bins->counts[(size_t)place]++;
		else
			bins->outside++;
	}
}

static double probability(const struct density *density, const struct bins *bins, size_t i)
{
	const double low = bins->low + (double)i * bins->width;

	return density_integrate(density, low, low + bins->width);
}

/* Neighbouring bins are joined until five samples are expected in each; what lies outside is one bin more. */
static void test_bins(const struct density *density, const struct bins *bins, size_t n, struct picture *picture)
{
	double expected = 0, inside = 0, chi = 0, observed = 0;
	size_t cells = 0;

	for (size_t i = 0; i < bins->n; i++) {
		const double p = probability(density, bins, i);

		inside += p;
		expected += p * (double)n;
		observed += (double)bins->counts[i];
		if (expected >= 5) {
			chi += (observed - expected) * (observed - expected) / expected;
			expected = observed = 0;
			cells++;
		}
	}
	expected += fmax(0, 1 - inside) * (double)n;
	observed += (double)bins->outside;
	if (expected >= 1e-6 * (double)n && expected > 0) {
		chi += (observed - expected) * (observed - expected) / expected;
		cells++;
	}
	if (cells < 2)
		return;
	snprintf(picture->note, sizeof picture->note, "chi-square %.1f with %zu degrees of freedom, p = %.3g", chi, cells - 1,
		 chi_square_exceeds(chi, (double)(cells - 1)));
}

static void make_picture(const struct bins *bins, const struct density *density, size_t n, struct picture *ret)
{
	ret->kind = PICTURE_BARS;
	ret->x_label = "value";
	ret->y_label = "density";
	ret->width = bins->width;
	picture_make(ret, bins->n, false, density);
	for (size_t i = 0; i < bins->n; i++) {
		ret->x[i] = bins->low + (double)i * bins->width;
		ret->y[i] = (double)bins->counts[i] / ((double)n * bins->width);
		if (density)
			ret->curve[i] = probability(density, bins, i) / bins->width;
	}
}

int plot_histogram(const struct options *options, const char *distribution, const double *samples, size_t n,
		   struct picture *ret)
{
	struct density density;
	struct bins bins = {0};
	const bool known = distribution && density_find(options, distribution, &density);
	int code = choose_bins(options, samples, n, &bins);

	if (code != EXIT_OK)
		return code;
	count_samples(&bins, samples, n);
	make_picture(&bins, known ? &density : NULL, n, ret);
	if (known)
		test_bins(&density, &bins, n, ret);
	free(bins.counts);
	return code;
}
