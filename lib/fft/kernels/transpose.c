/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes by panels of 8 columns: one cache line of each row serves a panel.
 *
 * While one panel is transposed, the lines that the next one will write are prefetched. Rows far apart are no stream
 * that the CPU detects, and eight stores to one line leave few lines in flight. Only whole lines are stored around the
 * caches; the ends of rows, which share their lines with other chunks, are stored normally. */
#include "fft/kernels/transpose.h"

#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "base/checked.h"
#include "fft/kernels/kernel.h"

enum { PANEL = 8, LINE = 64 };

struct narrow {
	float part[2];
};

struct wide {
	double part[2];
};

#if defined(__x86_64__)
/* Gather one cache line of a column and store it around the caches. float pairs are 8 bytes, double pairs 16. */
static void stream_line_narrow(const char *from, size_t from_step, char *to)
{
	for (unsigned i = 0; i < LINE; i += 16, from += 2 * from_step) {
		const __m128d first = _mm_load_sd((const double *)(const void *)from);

		_mm_stream_pd((double *)(void *)(to + i),
			      _mm_loadh_pd(first, (const double *)(const void *)(from + from_step)));
	}
}

static void stream_line_wide(const char *from, size_t from_step, char *to)
{
	for (unsigned i = 0; i < LINE; i += 16, from += from_step)
		_mm_stream_pd((double *)(void *)(to + i), _mm_loadu_pd((const double *)(const void *)from));
}
#endif

#define TRANSPOSE(type)                                                                                                \
	static void transpose_##type(const char *from, size_t from_step, char *to, size_t to_step, size_t rows,        \
				     size_t columns)                                                                   \
	{                                                                                                              \
		for (size_t c = 0; c < columns; c++)                                                                   \
			for (size_t r = 0; r < rows; r++)                                                              \
				memcpy(to + c * to_step + r * sizeof(struct type),                                     \
				       from + r * from_step + c * sizeof(struct type), sizeof(struct type));           \
	}
TRANSPOSE(narrow)
TRANSPOSE(wide)

/* Prefetches `columns` rows of `bytes`, one line for each `step` bytes, for writing. */
static void prefetch_rows(char *to, size_t to_step, size_t bytes, size_t step, size_t columns)
{
	for (size_t c = 0; c < columns; c++)
		for (size_t at = 0; at < bytes + step; at += step)
			__builtin_prefetch(to + c * to_step + size_min(at, bytes - 1), 1);
}

static void transpose_panel(enum fft_precision precision, const char *from, size_t from_step, char *to, size_t to_step,
			    size_t rows, size_t columns)
{
	(precision == FFT_F32 ? transpose_narrow : transpose_wide)(from, from_step, to, to_step, rows, columns);
}

/* Stores one column as one row, whole lines around the caches. */
static void stream_row(enum fft_precision precision, const char *from, size_t from_step, char *to, size_t rows)
{
	const size_t pair = precision == FFT_F32 ? sizeof(struct narrow) : sizeof(struct wide);
	const size_t head = size_min((LINE - (uintptr_t)to % LINE) % LINE / pair, rows);
	size_t r = head;

	transpose_panel(precision, from, from_step, to, 0, head, 1);
#if defined(__x86_64__)
	for (; r + LINE / pair <= rows; r += LINE / pair)
		(precision == FFT_F32 ? stream_line_narrow : stream_line_wide)(from + r * from_step, from_step,
									       to + r * pair);
#endif
	transpose_panel(precision, from + r * from_step, from_step, to + r * pair, 0, rows - r, 1);
}

/* Goes panel by panel. A streamed panel stores row by row, so that whole lines are written at once. */
void transpose_pairs(enum fft_precision precision, const char *from, size_t from_step, char *to, size_t to_step,
		     size_t rows, size_t columns, bool stream)
{
	const size_t pair = precision == FFT_F32 ? sizeof(struct narrow) : sizeof(struct wide);

	for (size_t c = 0; c < columns; c += PANEL) {
		const size_t now = size_min(PANEL, columns - c), next = size_min(PANEL, columns - c - now);
		char *at = to + c * to_step;

		/* Streamed rows need only their two ends in the cache. */
		prefetch_rows(at + PANEL * to_step, to_step, rows * pair, stream ? rows * pair : LINE, next);
		if (!stream)
			transpose_panel(precision, from + c * pair, from_step, at, to_step, rows, now);
		for (size_t i = 0; i < now && stream; i++)
			stream_row(precision, from + (c + i) * pair, from_step, at + i * to_step, rows);
	}
}

/* Transposes elements of 16 bytes along the longer side, and prefetches the rows to come. */
static void transpose_wide_prefetched(const struct fft_transpose *t)
{
	enum { ROWS = 4, AHEAD = 8 };
	const size_t wide = sizeof(struct wide);
	const bool down = t->rows >= t->columns;
	const size_t length = down ? t->rows : t->columns, width = (down ? t->columns : t->rows) * wide;
	const char *far = down ? t->from : t->to;
	const size_t far_step = down ? t->from_step : t->to_step;

	for (size_t i = 0; i < length; i += ROWS) {
		const size_t now = size_min(ROWS, length - i);

		for (size_t j = i + AHEAD; j < size_min(i + AHEAD + now, length); j++)
			for (size_t at = 0; at < width; at += LINE)
				__builtin_prefetch(far + j * far_step + at);
		if (down)
			transpose_wide(t->from + i * t->from_step, t->from_step, t->to + i * wide, t->to_step, now,
				       t->columns);
		else
			transpose_wide(t->from + i * wide, t->from_step, t->to + i * t->to_step, t->to_step, t->rows,
				       now);
	}
}

/* Elements of 4 and 8 bytes go to the kernels as reals; a float pair is moved as a double. */
void transpose_elements(uint32_t features, size_t size, const char *from, size_t from_step, char *to, size_t to_step,
			size_t rows, size_t columns)
{
	const struct fft_transpose t = {from, to, from_step, to_step, rows, columns};

	if (size == sizeof(struct wide))
		transpose_wide_prefetched(&t);
	else
		fft_select(features)->ops[size == sizeof(float) ? FFT_F32 : FFT_F64]->transpose(&t);
}
