/* SPDX-License-Identifier: Apache-2.0 */
/* Filters that give white normals a spectrum: taps from a density, and their spectrum for blocks.
 *
 * The amplitude, which is the root of the density, is sampled on a grid of four points or more for each tap, transformed to an
 * even sequence (zero phase), and cut to the taps by a Hann window. |H|^2 then differs from a density 1/f^a by 0.02 dB for
 * |a| = 1, 0.05 for 2, 0.09 for 3 and 0.17 for 4 between 10 fs / L and 0.45 fs (tests/colored). Arithmetic is float64 in one
 * fixed order, without libm, so that the taps have the same bytes everywhere. */
#ifndef TRNSCI_COLORED_DESIGN_H
#define TRNSCI_COLORED_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum colored_kind { COLORED_BY_EXPONENT, COLORED_BY_PSD, COLORED_BY_TAPS };

enum {
	COLORED_LEAST_TAPS = 16, /* of a filter that is designed */
	COLORED_FEW_TAPS = 4096, /* default */
	COLORED_MOST_TAPS = 1 << 20,
};

/* What is asked for. Frequencies are in the unit of fs. */
struct colored_design {
	enum colored_kind kind;
	double fs, low, high;        /* the density is 0 below low and above high, which are within [0, fs / 2] */
	double exponent, flat_below; /* COLORED_BY_EXPONENT: density ~ 1 / max(f, flat_below)^exponent */
	/* COLORED_BY_PSD: pairs of a frequency and a one-sided density, in increasing order, and their number. COLORED_BY_TAPS:
	 * taps, not all 0. Zeros and numbers of COLORED_LEAST to COLORED_GREATEST. */
	const double *table;
	size_t n_table;
	uint64_t length; /* taps; of COLORED_BY_TAPS n_table */
	double std;      /* of the noise; 0: what the table gives */
	double least_std, most_std; /* what its dtype allows */
};

/* Whether two designs are of one filter, and have the same bounds. */
bool colored_design_equal(const struct colored_design *a, const struct colored_design *b);

#define COLORED_LEAST    1e-300
#define COLORED_GREATEST 1e300

/* A filter. A block of `block` normals gives the `step` samples that no wrap-around reaches. */
struct colored_filter {
	uint64_t length, block, step;
	bool is_wide;     /* computed in float64 */
	double std;       /* of the noise */
	double deviation; /* the largest of |H|^2 from the density, where that is above 0, from 10 fs / length to 0.45 fs, in dB;
			   * NaN: there is no such frequency, or no density */
	/* block / 2 + 1 complex numbers, float64 or float32: H, such that sample 0 of a block needs its first normals. */
	void *spectrum;
};

/* Returns the blocks of a filter of so many taps: they are a power of two, and decided by the number of taps alone. */
uint64_t colored_block(uint64_t length);

/* Returns the ratio of the greatest density to the least one above 0; 1 for taps. */
double colored_span(const struct colored_design *design);

/* A filter that is being made, in pieces. `cost_ns` and `work_bytes` are about what is left to do; the rest is private. */
struct colored_builder {
	struct colored_design design;
	struct colored_filter *filter;
	uint64_t cost_ns;
	size_t work_bytes;
	double *amplitude, *roots, *x, *taps; /* `amplitude` begins what is allocated */
	unsigned phase, log_pairs;
	uint64_t at;
	double greatest, sum, lost, gain; /* of the table; of the squares of taps, and what its rounding has lost; of the taps */
};

/* Allocates the filter's spectrum and sets all of it but std and deviation, which the last step finds. The design's table must
 * stay valid until then. Returns 0 or -ERROR_NO_MEMORY. */
int colored_builder_begin(const struct colored_design *design, bool is_wide, struct colored_builder *ret_builder,
			  struct colored_filter *ret_filter);

/* Does one step, no longer than a chunk. Returns 1 while steps are left, 0 once the filter is made, or -ERROR_OUT_OF_RANGE if
 * the noise's std, which the filter then has, is outside the design's bounds. */
int colored_builder_step(struct colored_builder *builder);

/* Frees what only building needs. May be called again. */
void colored_builder_free(struct colored_builder *builder);

/* Frees the spectrum. */
void colored_filter_free(struct colored_filter *filter);

#endif
