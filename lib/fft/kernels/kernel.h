/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a transform, and the structures that describe their work.
 *
 * There is one algorithm, Stockham's autosort FFT with decimation in frequency, on two levels. A pass over n = r m
 * points, with s interleaved transforms, maps
 *
 *   y[q + s (r p + k)] = w_(r m)^(p k)  sum over j of x[q + s (p + m j)] w_r^(j k)      q < s, p < m, k < r
 *
 * Outer passes, called stages, have r up to 1024 and run over memory. The vector lanes of a stage are a block of LANES
 * neighbouring q (in the first stage, where s = 1, neighbouring p). The r-point transforms of a block, called columns,
 * are done by inner passes of radix 2 to 16 in scratch that stays in the first-level cache. Only transposes work across
 * the lanes of a vector, so every number goes through the same operations whatever the layout around it.
 *
 * Each file NAME_body.h has kernels for one precision, written over the names of lanes_f32.h or lanes_f64.h:
 *
 *   short       16 to 128 contiguous points (float64: to 64), in registers alone
 *   single      one contiguous transform of one stage
 *   flat        contiguous transforms up to 16384 points of two stages, or of one stage whose first pass stands for the first
 *   stage       any stage, of any strides: by block (between a caller's array and scratch) and pass (over a block)
 *   butterfly   transforms of 2 to 16 points in registers, which all of these share
 *   far         what the first two do for arrays beyond the caches
 *   fold, odd   real transforms of even and of odd length, before or after the complex one; products of rows
 *   series      cosine and sine transforms, likewise
 *   transpose   transposes of arrays
 *
 * Source: C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, section 1.7 (Stockham). */
#ifndef TRNSCI_FFT_KERNEL_H
#define TRNSCI_FFT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fft/fft.h"

enum { FFT_MAX_PASSES = 12, FFT_MAX_STAGES = 6, FFT_MAX_COLUMN = 1024, FFT_MAX_TOGETHER = 4 };

/* The vector that the arithmetic is chosen for, whatever the kernels' own, is WIDTH reals: 16 floats or 8 doubles. */
enum { FFT_WIDTH_BYTES = 64 };

static inline size_t fft_width(enum fft_precision precision)
{
	return FFT_WIDTH_BYTES / (precision == FFT_F32 ? sizeof(float) : sizeof(double));
}

/* The transform of one column. The twiddles of its inner passes are pairs w^(p k), k = 1 .. r - 1, pass by pass and p
 * by p; the last pass has none. */
struct fft_columns {
	size_t length;
	unsigned n_passes;
	uint8_t radix[FFT_MAX_PASSES];
	void *twiddles;
};

/* The digits of the blocks of a column's last pass, which are counted up, and the place of a block's first result: the number of the
 * same digits in reverse. */
struct fft_digits {
	size_t place;
	size_t weight[FFT_MAX_PASSES];
	uint8_t digit[FFT_MAX_PASSES];
};

static inline void fft_count_from_zero(struct fft_digits *digits, const struct fft_columns *columns)
{
	size_t weight = 1;

	digits->place = 0;
	for (unsigned i = 0; i + 1 < columns->n_passes; weight *= columns->radix[i++]) {
		digits->weight[i] = weight;
		digits->digit[i] = 0;
	}
}

static inline void fft_count(struct fft_digits *digits, const struct fft_columns *columns)
{
	for (unsigned i = columns->n_passes - 1; i-- > 0;) {
		digits->place += digits->weight[i];
		if (++digits->digit[i] < columns->radix[i])
			return;
		digits->place -= digits->weight[i] * columns->radix[i];
		digits->digit[i] = 0;
	}
}

/* A stage. Its `items`, of LANES columns each, are independent of each other. The twiddles of the
 *
 *   first stage    twiddles[item][row][re, im vectors] where `full_twiddles`, else w^(WIDTH (p / WIDTH) row) in
 *                  bases[p / WIDTH][row] (pairs) times w^((p mod WIDTH) row) in
 *                  twiddles[p mod WIDTH / LANES][row][re, im vectors]
 *   middle stages  bases[p][row]
 *   last stage     none
 *   only stage     w^((lane mod w) row) in twiddles[row][re, im vectors], if there are group_rows; else, for two passes and
 *                  more, those of the first, w^(p k) in twiddles[p / LANES][k][re, im vectors]
 *
 * Where flat_body.h runs more columns than LANES, and no multiple of them, twiddles of the last LANES columns follow. */
struct fft_stage {
	struct fft_columns columns;
	size_t m, reps, items;
	size_t step; /* from row to row of a column, where a later stage reads it, in complex numbers */
	bool full_twiddles;
	void *twiddles, *bases;
};

/* A transform of n elements, the product of the stages' lengths. Between stages, row p holds reps times `row` complex
 * numbers in vectors of LANES real parts, then LANES imaginary ones. `row` is the first stage's length (of one stage, its
 * first pass's), rounded up to LANES, and each begins `pitch` numbers behind the one before. Where `padded`, the rows of a
 * column have room between them besides. */
struct fft_smooth {
	size_t n, row, pitch;
	size_t columns_bytes, between_bytes; /* of a pair of column buffers, and of a buffer between stages */
	size_t together;                     /* blocks of the first stage that run interleaved */
	size_t singles;    /* of one stage: up to so many transforms are faster one by one than as lanes */
	size_t group_rows; /* of one stage, n = group_rows w with w below LANES: can go in groups; else 0 */
	size_t flat_rows;  /* the first stage's length where flat_body.h runs the transform, else 0 */
	size_t flat;       /* 1 or 2: transforms that flat_body.h runs together */
	bool single_flat;  /* of one stage: flat_body.h runs those that are faster one by one, if the variant has it */
	bool padded;       /* stage[i].step is more than m reps rows, for some i */
	bool exceeds_l2;   /* larger than the caches: the rows of the next block are prefetched */
	bool exceeds_l3;   /* and leave shared caches, too: they are stored around all of them */
	bool lanes_dealt;        /* in the vectors of the first stage's twiddles: in the order of f32_lane (simd_interleave.h) */
	unsigned n_stages;
	struct fft_stage stage[FFT_MAX_STAGES];
	struct fft_columns joined; /* of flat_rows: both stages as one, for transforms as lanes; length 0: there are none */
};

/* The place of a block of LANES columns of transform b: column p in the first stage; row p, repetition rep and lane in
 * a later one. `between` are the transform's buffers between stages: the first stage writes [0], the next one [1], and
 * so on in turn. With two stages, [1] is NULL. */
struct fft_place {
	size_t b, p, rep, lane;
	void *between[2];
};

/* y[i] = scale x[i] table[i] for i < count. exchange_x and exchange_y exchange the real and imaginary parts of x and
 * y. */
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
 * for k of [begin, end), 0 <= k <= h / 2. x = Z and y = X, or back the reverse; table holds t[0 .. h / 2]. y may be x.
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
	void *x; /* the caller's reals, or half spectrum */
	void *rows;
	const void *table;
	unsigned r;
	size_t m, distance, begin, end, stride;
	bool conjugate; /* X stands for its conjugate */
	double scale;
};

/* One part of packing or unpacking a cosine or sine transform of n elements (plan/series.h): elements [begin, end),
 * between the caller's x and the inner transform's row. `table` holds roots of unity. */
struct fft_part {
	void *x, *row;
	const void *table;
	size_t n, begin, end, stride;
	bool sine;       /* of the sine transform: from the cosine's by the order and the signs of its elements */
	bool orthogonal; /* factors of sqrt 2 at the ends */
	double scale;
};

/* A transpose of reals of the kernel's precision. Steps from row to row are in bytes. */
struct fft_transpose {
	const char *from;
	char *to;
	size_t from_step, to_step, rows, columns;
};

typedef void fft_part_run(const struct fft_part *part);
typedef void fft_odd_run(const struct fft_odd *odd);

/* The packings of types I, II, III and IV (even n, odd n). Those of III are the reverse of II's. */
enum fft_packing { FFT_ENDS, FFT_HALVES, FFT_THIRDS, FFT_QUARTERS, FFT_QUARTERS_ODD, FFT_PACKINGS };

/* The kernels of one variant in one precision. `scratch` is `together` pairs of column buffers. */
struct fft_ops {
	size_t lanes;
	bool lanes_dealt; /* in vectors of twiddles, as struct fft_smooth says */
	/* One-stage transforms, or joined ones, [first, first + count) of a call, count <= lanes. */
	void (*direct)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
		       void *scratch);
	/* Blocks of one stage of transforms of several, of one transform or many. first takes at most
	 * smooth->together. What they store around the caches is the caller's to end, by store_around_end. */
	void (*first)(const struct fft_smooth *smooth, const struct fft_call *call, const struct fft_place *at,
		      size_t count, void *scratch);
	void (*middle)(const struct fft_smooth *smooth, unsigned stage, const struct fft_place *at, size_t count,
		       void *scratch);
	void (*last)(const struct fft_smooth *smooth, const struct fft_call *call, const struct fft_place *at,
		     size_t count, void *scratch);
	void (*multiply)(const struct fft_product *product);
	void (*fold)(const struct fft_fold *fold);
	/* Runs contiguous transforms [first, first + count) of a plan with flat_rows, in groups of smooth->flat. scratch is a
	 * buffer between stages. NULL where LANES is 1. */
	void (*flat)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
		     void *scratch);
	/* Runs contiguous transforms [first, first + count) of a plan with group_rows. May be NULL. */
	void (*short_rows)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count);
	/* Runs the first of transforms [first, first + count) of such a plan that are columns side by side, and returns how many. */
	size_t (*short_columns)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count);
	/* Runs contiguous transforms [first, first + count) of a plan with `singles`, one by one. NULL where LANES is 1. */
	void (*single)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
		       void *scratch);
	void (*transpose)(const struct fft_transpose *transpose);
	/* Forward: reals to rows, rows to half a spectrum. Back: half a spectrum to rows, rows to reals. */
	fft_odd_run *odd_deal, *odd_join, *odd_split, *odd_gather;
	fft_part_run *pack[FFT_PACKINGS], *unpack[FFT_PACKINGS];
};

struct fft_kernel {
	const char *name;
	uint32_t needs;
	bool fused; /* multiply-adds round once: the bytes are those of every other such variant */
	const struct fft_ops *ops[2]; /* by enum fft_precision */
};

extern const struct fft_kernel fft_scalar, fft_avx2, fft_avx512, fft_neon;
extern const struct fft_ops fft_ops_f64_scalar; /* that of fft_neon, too */

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct fft_kernel *const *fft_kernels(size_t *ret_count);
const struct fft_kernel *fft_select(uint32_t features);

/* Returns the bytes of one column buffer: rows rounded up to LANES, and three lines that keep the two of a pair from the same
 * cache sets. Long columns have half a page more: where the length is a power of two, the last pass reads rows that lie whole
 * pages apart and writes rows that lie so, and the rows that it reads all share one group of sets, those that it writes another. */
static inline size_t fft_columns_bytes(size_t length, size_t lanes, size_t real_bytes)
{
	enum { LINES = 192, PAGE = 4096, LONG = 512 };
	const size_t bytes = (length + lanes - 1) / lanes * lanes * lanes * 2 * real_bytes;

	return length < LONG ? bytes + LINES : (bytes + PAGE - 1) / PAGE * PAGE + PAGE / 2 + LINES;
}

#endif
