/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing: any samples [begin, begin + n) of a distribution on a stream, whatever their alignment to groups.
 *
 * A distribution is a pure function of (stream, sample index, parameters); this is the one door to all of them for the
 * engine. The generator fills blocks of whole groups in first-level cache and the distribution's kernel turns them into
 * samples there, so `normal` is `uniform` then `box_muller` by construction. */
#ifndef TRNSCI_DIST_DRAW_H
#define TRNSCI_DIST_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "dist/dist_table.h"
#include "dist/distribution.h"
#include "rng/stream.h"

/* What to draw. Parameters as distribution.h lists them; table is what draw_prepare built, NULL for most distributions.
 */
struct draw {
	enum distribution distribution;
	enum dtype dtype; /* one that the distribution takes */
	struct stream stream;
	union dist_value parameters[DIST_PARAMETERS];
	const void *table;
};

/* The kernels that a set of CPU features allows; make one an engine and share it. Plain data, no ownership. */
struct draw_kernels {
	const struct rng_kernel *generators[GENERATOR_COUNT];
	const struct uniform_kernel *uniform;
	const struct box_muller_kernel *box_muller;
	const struct dist_kernel *distributions;
	const struct feistel_kernel *feistel;
};

void draw_select(uint32_t features, struct draw_kernels *ret_kernels);

/* Words of the stream that one sample takes: 1 for dtypes of 32 bits or fewer, 2 for 64. */
unsigned draw_words_per_sample(enum dtype dtype);

/* Checks dtype and parameters (dist_check) and builds the table that some distributions need: for every distribution
 * before draw_fill, unless its parameters are known to be right and it needs none. list: the weights of categorical,
 * alpha of dirichlet, copied. *ret_table (NULL: there is none) is yours to free() after the last draw_fill, and is put
 * in draw->table too. -ERROR_OUT_OF_RANGE, -ERROR_NO_MEMORY; ret_fault tells which parameter and why. */
int draw_prepare(struct draw *draw, const double *list, size_t n_list, void **ret_table, struct dist_fault *ret_fault);

/* The same piece by piece, none longer than some 200 us. Fields are the maker's own, but for cost_ns, about what the rest
 * takes, and work_bytes, what it holds meanwhile. */
struct draw_maker {
	struct draw draw;
	void *table; /* free() it after the last draw_fill, or when its making failed; NULL: there is none to be made */
	const void *list;
	size_t n_list, checked;
	uint64_t cost_ns;
	size_t work_bytes;
	double most;
	bool is_checked;
	union {
		struct alias_maker alias;
		struct discrete discrete;
	};
};

/* All is checked but categorical's weights, and draw->table is where it will be. list (for categorical of any
 * alignment) outlives the maker. Errors are draw_prepare's. */
int draw_maker_begin(struct draw *draw, const void *list, size_t n_list, struct draw_maker *ret_maker,
		     struct dist_fault *ret_fault);
/* The rest of the check, at once: a nanosecond or two a weight. */
int draw_maker_check(struct draw_maker *maker, struct dist_fault *ret_fault);
/* 1: there is more; 0: the table is made. */
int draw_maker_piece(struct draw_maker *maker, struct dist_fault *ret_fault);
void draw_maker_end(struct draw_maker *maker); /* again, too */

/* Memory of the table that a draw has. */
size_t draw_table_bytes(const struct draw *draw);

/* Elements of a sample: 1, but for dirichlet (prepared) and sphere. */
size_t draw_components(const struct draw *draw);

/* Elements [begin, begin + n) into out (n of dtype, any alignment); an element is a sample, or a component of one. The
 * caller has checked with stream_span that they lie within the stream and with stream_id_fits that there is one, and is
 * inside fpenv_enter. Uses at most 80 KiB of stack. Any thread. */
void draw_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
