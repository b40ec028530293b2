/* SPDX-License-Identifier: Apache-2.0 */
/* selftest --byte-tiles: the byte-tile model as two tables. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "byte_tiles.h"

struct maxima {
	struct trnsci_tile_step steps[TRNSCI_MAX_TILE_STEPS];
	size_t count;
};

static void keep_most(struct maxima *maxima, const struct trnsci_tile_step *step)
{
	size_t i = 0;

	while (i < maxima->count && strcmp(maxima->steps[i].name, step->name) != 0)
		i++;
	if (i == TRNSCI_MAX_TILE_STEPS)
		return;
	if (i == maxima->count)
		maxima->steps[maxima->count++] = *step;
	else if (step->most > maxima->steps[i].most)
		maxima->steps[i].most = step->most;
}

static void print_row(void *arg, const struct trnsci_byte_tiles *row)
{
	printf("%-13s %-11s %9.4f%% %11" PRIu64 " %9.4f %9.4f %11.1f  %s\n", row->generator, row->conversion,
	       100 * (double)row->n_right / (double)row->n_words, row->n_before_wrong, row->mean_low, row->mean_high,
	       row->chi_square, row->passed ? "ok" : "FAIL");
	for (size_t i = 0; i < row->n_steps; i++)
		keep_most(arg, &row->steps[i]);
}

int print_byte_tiles(void)
{
	struct maxima maxima = {0};
	int failed;

	printf("Generators on a machine whose 32-bit integers pass through float32. Threefry's words live as four "
	       "byte\n"
	       "tiles, Philox's as whole words. Means are of 24 bits x 2^-24, right ones 0.5; chi-square of the low "
	       "24\n"
	       "bits has 255 degrees of freedom. (Philox on Trainium was seen to have a mean of 0.31.)\n\n");
	printf("%-13s %-11s %10s %11s %9s %9s %11s\n", "generator", "conversion", "right", "right first", "mean low",
	       "mean high", "chi-square");
	failed = trnsci_byte_tiles(print_row, &maxima);
	printf("\n%-13s %12s %12s\n", "step", "largest", "bound");
	for (size_t i = 0; i < maxima.count; i++)
		printf("%-13s %12" PRIu64 " %12" PRIu64 "%s\n", maxima.steps[i].name, maxima.steps[i].most,
		       maxima.steps[i].bound, maxima.steps[i].bound > 1 << 24 ? "  (beyond 2^24, exact no more)" : "");
	return failed;
}
