/* SPDX-License-Identifier: Apache-2.0 */
/* Calls whose arrays are larger than the caches: input is prefetched, and output is stored around the caches, which saves
 * reading what is overwritten. The bytes are the same. */

/* Returns whether input and output of the call are too large for the caches. */
INLINE bool LOCAL(is_far)(const struct fft_smooth *smooth, const struct fft_call *call)
{
	/* Input and output together: beyond the caches of a core. In a cache that cores share, each line of the output
	 * is read before it is written, and half of the time is gone (measured from 3 to 11 MiB). */
	enum { FAR_BYTES = 4 << 20 };

	return (call->all ? call->all : call->batch) * smooth->n * 2 * sizeof(real) > FAR_BYTES / 2;
}

/* Returns whether the output of a call stays in a cache until it is read. */
INLINE bool LOCAL(stays_near)(const struct fft_smooth *smooth, const struct fft_call *call)
{
	enum { NEAR_BYTES = 16 << 20 };

	return call->kept == FFT_KEPT_NEAR ||
	       (call->kept == FFT_KEPT_SHARED && (call->all ? call->all : call->batch) * smooth->n * 2 * sizeof(real) <= NEAR_BYTES);
}

/* Returns the step between what a call writes as whole vectors: rows, or the elements of columns side by side. */
INLINE size_t LOCAL(step_between)(const struct fft_call *call)
{
	return call->out_distance == 1 ? call->out_stride : call->out_distance;
}

/* Returns whether to store around the caches, which needs every vector of the output aligned. */
static bool LOCAL(goes_around)(const struct fft_smooth *smooth, const struct fft_call *call)
{
#ifdef SIMD_WIDE
	return LOCAL(is_far)(smooth, call) && !LOCAL(stays_near)(smooth, call) && call->in != call->out &&
	       (uintptr_t)call->out % 64 == 0 && LOCAL(step_between)(call) * 2 * sizeof(real) % 64 == 0;
#else
	(void)LOCAL(stays_near)(smooth, call);
	return false;
#endif
}

/* Stores a vector, or streams it around the caches. */
INLINE void LOCAL(put)(const bool around, real *y, vec a)
{
#ifdef SIMD_WIDE
	if (around) {
		v_stream(y, a);
		return;
	}
#else
	(void)around;
#endif
	v_store(y, a);
}

/* Streamed stores are weakly ordered: makes them visible before another thread learns of the result. */
INLINE void LOCAL(end_around)(const bool around)
{
#ifdef SIMD_WIDE
	if (around)
		v_stream_end();
#else
	(void)around;
#endif
}

/* What is prefetched, step by step: to the first-level cache, or only to the second where it would evict what is being
 * transformed. */
struct LOCAL(ahead) {
	const real *at, *end;
	size_t step;
	bool second_level;
};

/* Plans to prefetch `reals` in so many steps, or a few less. `at` and `end` remain to be set. */
INLINE struct LOCAL(ahead) LOCAL(plan_ahead)(size_t reals, size_t steps)
{
	enum { LINE = 64 / sizeof(real), FIRST_LEVEL_BYTES = 4 << 10 };

	return (struct LOCAL(ahead)){.step = (reals / LINE / (steps ? steps : 1) + 1) * LINE,
				     .second_level = reals * sizeof(real) > FIRST_LEVEL_BYTES};
}

/* Rows of the next block, which lie too far apart for the CPU's own prefetching. */
struct LOCAL(rows_ahead) {
	const real *at;
	size_t step, rows;
	size_t at_once; /* rows that a butterfly prefetches */
};

/* Returns the rows beside those of a block. Where a row begins in the middle of a line, the block has read that line already. So
 * the lines of a row are named by their last elements instead of their first. */
INLINE struct LOCAL(rows_ahead) LOCAL(rows_beside)(const real *x, size_t step, size_t rows)
{
	enum { LINE = 64 / sizeof(real), LAST = (2 * LANES < LINE ? 2 * LANES : LINE) - 1 };

	return (struct LOCAL(rows_ahead)){.at = x + 2 * LANES + LAST, .step = step, .rows = rows};
}

/* Returns what follows a block of whole transforms as rows: as many as a column has elements. */
INLINE struct LOCAL(rows_ahead) LOCAL(rows_after)(const real *x, size_t rows)
{
	return (struct LOCAL(rows_ahead)){.at = x, .step = 2 * LANES, .rows = rows};
}

/* Prefetches some rows to the second-level cache: the first one holds a part of them, and the columns need it. */
INLINE void LOCAL(fetch_rows_ahead)(struct LOCAL(rows_ahead) * ahead)
{
	enum { LINE = 64 / sizeof(real) };

	for (size_t n = size_min(ahead->rows, ahead->at_once); n > 0; n--, ahead->rows--, ahead->at += ahead->step)
		for (size_t i = 0; i < 2 * LANES; i += LINE)
			__builtin_prefetch(ahead->at + i, 0, 2);
}

/* Prefetches the part of one step. */
INLINE void LOCAL(fetch_ahead)(struct LOCAL(ahead) * ahead)
{
	enum { LINE = 64 / sizeof(real) };
	const real *at = ahead->at;

	if (at >= ahead->end)
		return;
	ahead->at = at + ahead->step;
	if (ahead->second_level)
		for (; at < ahead->at; at += LINE)
			__builtin_prefetch(at, 0, 2);
	else
		for (; at < ahead->at; at += LINE)
			__builtin_prefetch(at);
}
