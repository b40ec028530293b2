/* SPDX-License-Identifier: Apache-2.0 */
/* What the vectorised part of the transforms offers, and the plans that steer it.
 *
 * All arithmetic is one algorithm, Stockham's autosort with decimation in frequency, on two levels. A pass over n =
 * r m points that have s interleaved transforms behind them maps
 *
 *   y[q + s (r p + k)] = w_(r m)^(p k)  sum over j of x[q + s (p + m j)] w_r^(j k)      q < s, p < m, k < r
 *
 * Outer passes (stages) have r up to 1024 and run over memory; each takes a block of LANES neighbouring q (in the
 * first stage, where s = 1: neighbouring p) as the lanes of its vectors and does their r-point transforms, called
 * columns, by inner passes of radix 2 to 16 in scratch that stays in the first cache. So no step ever works across
 * the lanes of a vector, except for transposes, and every number goes through the same operations whatever the
 * layout around it. */
#ifndef TRNSCI_FFT_KERNEL_H
#define TRNSCI_FFT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fft/fft.h"

enum { FFT_MAX_PASSES = 12, FFT_MAX_STAGES = 6, FFT_MAX_COLUMN = 1024, FFT_MAX_TOGETHER = 4 };

/* The transform of one column: its inner passes, and their twiddles w^(p k), k = 1 .. r - 1, in pairs, pass by pass
 * and p by p (the last pass has none). */
struct fft_columns {
	size_t length;
	unsigned n_passes;
	uint8_t radix[FFT_MAX_PASSES];
	void *twiddles;
};

/* Outer pass. `items` of LANES columns each are independent of each other.
 * First stage: twiddles[item][row][re, im vectors] where `whole`, else w^(LANES item row) in bases[item][row] (pairs)
 * times w^(lane row) in twiddles[row][re, im vectors]. Middle stages: bases[p][row]. Last stage: none. A stage that
 * is alone: w^((lane mod w) row) in twiddles[row][re, im vectors], where it has group_rows. */
struct fft_stage {
	struct fft_columns columns;
	size_t m, reps, items;
	bool whole;
	void *twiddles, *bases;
};

/* A transform of n = product of the stages' lengths. Between stages, row p holds reps times `row` complex numbers
 * (the first stage's length, rounded up to LANES), in vectors of LANES re, LANES im. */
struct fft_smooth {
	size_t n, row;
	size_t columns_bytes, between_bytes; /* of a pair of column buffers, and of a buffer between stages */
	size_t together;                     /* blocks of the first stage that run interleaved */
	size_t group_rows; /* of one stage, n = group_rows w with w below LANES: can go in groups; else 0 */
	size_t flat;       /* transforms that two stages in one buffer do at once, 1 or 2; 0: other lengths */
	bool far;          /* longer than the caches: its blocks' rows are fetched ahead */
	unsigned n_stages;
	struct fft_stage stage[FFT_MAX_STAGES];
};

/* A block of LANES columns: of transform b, at column p of the first stage; at row p, repetition rep, and lane of a
 * later one. between: the transform's buffers between stages, of which the first stage writes [0], the next [1] (NULL
 * where there are but two), and so on in turn. */
struct fft_place {
	size_t b, p, rep, lane;
	void *between[2];
};

/* y[i] = x[i] table[i] for i < count; pairs in table are re, im; those of x and y are exchanged where asked. */
struct fft_product {
	const void *x, *table;
	void *y;
	size_t x_stride, y_stride, count;
	bool exchange_x, exchange_y;
	double scale;
};

/* The spectrum X[0 .. h] of 2 h reals from the spectrum Z[0 .. h - 1] of their pairs, and back. With t[k] = -i w^k,
 * w = exp(-2 pi i / 2 h), e = x[k] + conj x[h - k] and d = x[k] - conj x[h - k]:
 *   y[k] = scale (e + t[k] d),  y[h - k] = scale conj(e - t[k] d)        (back: conj t[k])
 * for k of [begin, end), 0 <= k <= h / 2. x = Z and y = X, or back the reverse; table holds t[0 .. h / 2].
 * With conjugate, X is replaced by its conjugate. */
struct fft_fold {
	const void *x, *table;
	void *y;
	size_t h, begin, end;
	bool back, conjugate;
	double scale;
};

/* The spectrum X[0 .. n / 2] of n = r m reals, n and r odd, from (r + 1) / 2 spectra of m, and back. Of the reals x[r q
 * + j], those with j = 0 are row 0, alone, and those with j = 2 i - 1 and 2 i the pairs of row i. table: w^(j k), w =
 * exp(-2 pi i / n), at table[j - 1][k], k of [0, (m + 1) / 2). Rows lie `distance` pairs apart. Parts [begin, end):
 * of k for spectra, of q for reals, whose stride is x_stride. */
struct fft_odd {
	void *x;    /* the caller's reals, or half spectrum */
	void *rows;
	const void *table;
	unsigned r;
	size_t m, distance, begin, end, stride;
	bool conjugate; /* X stands for its conjugate */
	double scale;
};

/* Cosine and sine transforms of n elements at a stride (fft/series.h says which): parts [begin, end) of packing and
 * unpacking, between the caller's x and the inner transform's row. table: roots. */
struct fft_part {
	void *x, *row;
	const void *table;
	size_t n, begin, end, stride;
	bool sine;       /* of the sine transform: from the cosine's by the order and the signs of its elements */
	bool orthogonal; /* factors of sqrt 2 at the ends */
	double scale;
};

/* Rows of an array of reals of the kernel's precision become columns. Steps in bytes. */
struct fft_transpose {
	const char *from;
	char *to;
	size_t from_step, to_step, rows, columns;
};

typedef void fft_part_run(const struct fft_part *part);
typedef void fft_odd_run(const struct fft_odd *odd);

/* The packings of each kind; III's are II's in reverse. */
enum fft_packing { FFT_ENDS, FFT_HALVES, FFT_THIRDS, FFT_QUARTERS, FFT_QUARTERS_ODD, FFT_PACKINGS };

/* Kernels of one variant and precision. scratch: `together` pairs of buffers of columns. */
struct fft_ops {
	size_t lanes;
	/* One stage: transforms [first, first + count), count <= lanes, of a call. */
	void (*direct)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
		       void *scratch);
	/* Several: blocks of one stage, of one transform or many; for the first stage at most smooth->together. */
	void (*first)(const struct fft_smooth *smooth, const struct fft_call *call, const struct fft_place *at,
		      size_t count, void *scratch);
	void (*middle)(const struct fft_smooth *smooth, unsigned stage, const struct fft_place *at, size_t count,
		       void *scratch);
	void (*last)(const struct fft_smooth *smooth, const struct fft_call *call, const struct fft_place *at,
		     size_t count, void *scratch);
	void (*multiply)(const struct fft_product *product);
	void (*fold)(const struct fft_fold *fold);
	/* As many of transforms [first, first + count) as are whole groups of smooth->flat, whose elements are contiguous;
	 * returns how many. scratch: a buffer between stages. NULL where LANES is 1. */
	size_t (*flat)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
		     void *scratch);
	/* Transforms [first, first + count) of a plan with group_rows, whose elements are contiguous. May be NULL. */
	void (*short_rows)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count);
	void (*transpose)(const struct fft_transpose *transpose);
	/* Reals to rows, rows to half a spectrum; half a spectrum to rows, rows to reals. */
	fft_odd_run *odd_deal, *odd_join, *odd_split, *odd_gather;
	fft_part_run *pack[FFT_PACKINGS], *unpack[FFT_PACKINGS];
};

struct fft_kernel {
	const char *name;
	uint32_t needs;
	const struct fft_ops *ops[2]; /* by enum fft_precision */
};

extern const struct fft_kernel fft_scalar, fft_avx2, fft_avx512;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct fft_kernel *const *fft_kernels(size_t *ret_count);
const struct fft_kernel *fft_select(uint32_t features);

/* Bytes of one buffer of columns: rows to a multiple of LANES, and a few lines against aliasing of the two. */
static inline size_t fft_columns_bytes(size_t length, size_t lanes, size_t real_bytes)
{
	return (length + lanes - 1) / lanes * lanes * lanes * 2 * real_bytes + 192;
}

#endif
