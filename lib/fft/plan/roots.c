/* SPDX-License-Identifier: Apache-2.0 */
/* Two-level tables of cosines and sines: two of about sqrt(n / 2) entries instead of one of n / 8. */
#include "fft/plan/roots.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"

#define HALF_PI 1.570796326794896619231321691639751442L

enum { ENTRIES_PER_STEP = 256 }; /* a long double cosine and sine each: below 250 us */

/* The low table has 2^shift entries and the high one n / 2^(shift + 1): about sqrt(n / 2) each. */
int roots_create(uint64_t n, struct roots *ret_roots)
{
	struct roots roots = {.n = n};

	while (UINT64_C(2) << 2 * roots.shift < n)
		roots.shift++;
	roots.n_low = (size_t)1 << roots.shift;
	roots.n_high = (n / 2 >> roots.shift) + 1;
	roots.low = malloc((roots.n_low + roots.n_high) * sizeof *roots.low);
	if (!roots.low)
		return -ERROR_NO_MEMORY;
	*ret_roots = roots;
	return 0;
}

/* Entry t of the low table is the angle pi t / 2n, entry t of the high one that of t 2^shift. */
int roots_step(struct roots *roots)
{
	const size_t total = roots->n_low + roots->n_high;

	for (unsigned i = 0; i < ENTRIES_PER_STEP && roots->ready < total; i++, roots->ready++) {
		const size_t at = roots->ready;
		const uint64_t t = at < roots->n_low ? at : (uint64_t)(at - roots->n_low) << roots->shift;
		const long double angle = HALF_PI * (long double)t / (long double)roots->n;

		roots->low[at][0] = cosl(angle);
		roots->low[at][1] = sinl(angle);
	}
	return roots->ready < total;
}

void roots_free(struct roots *roots)
{
	free(roots->low);
	roots->low = NULL;
}

/* 4 k = quarter n + rest gives the quarter of a turn. Beyond an eighth of a turn the angle is reflected, which
 * exchanges cosine and sine. At exactly an eighth both must be the same number. */
void roots_at(const struct roots *roots, uint64_t k, long double ret_root[2])
{
	const uint64_t n = roots->n, turn = k % n * 4, quarter = turn / n, rest = turn % n;
	const bool reflect = 2 * rest > n;
	const uint64_t t = reflect ? n - rest : rest;
	const long double *low = roots->low[t & (roots->n_low - 1)],
			  *high = roots->low[roots->n_low + (t >> roots->shift)];
	const long double c = high[0] * low[0] - high[1] * low[1], s = high[0] * low[1] + high[1] * low[0];
	/* Of the angle within its quarter; at its middle both parts are the same number. */
	const long double re = reflect ? s : c, im = reflect || 2 * rest == n ? c : s;

	switch (quarter) {
	case 0:
		ret_root[0] = re, ret_root[1] = -im;
		break;
	case 1:
		ret_root[0] = -im, ret_root[1] = -re;
		break;
	case 2:
		ret_root[0] = -re, ret_root[1] = im;
		break;
	default:
		ret_root[0] = im, ret_root[1] = re;
	}
}
