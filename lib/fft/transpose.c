/* SPDX-License-Identifier: Apache-2.0 */
/* Panels of 8 columns: a cache line of each row serves all of them. The lines that the next panel will write are asked
 * for while one is turned: rows far apart are no stream that the memory system would foresee, and eight stores to a
 * line leave few lines on their way at once. */
#include "fft/transpose.h"

#include <string.h>

#include "base/checked.h"

enum { PANEL = 8, LINE = 64 };

struct narrow {
	float part[2];
};

struct wide {
	double part[2];
};

#define TURN(type)                                                                                                     \
	static void turn_##type(const char *from, size_t from_step, char *to, size_t to_step, size_t rows,             \
				size_t columns)                                                                        \
	{                                                                                                              \
		for (size_t c = 0; c < columns; c++)                                                                   \
			for (size_t r = 0; r < rows; r++)                                                              \
				memcpy(to + c * to_step + r * sizeof(struct type),                                     \
				       from + r * from_step + c * sizeof(struct type), sizeof(struct type));           \
	}
TURN(narrow)
TURN(wide)

static void ask_for(char *to, size_t to_step, size_t bytes, size_t columns)
{
	for (size_t c = 0; c < columns; c++)
		for (size_t at = 0; at < bytes + LINE; at += LINE)
			__builtin_prefetch(to + c * to_step + size_min(at, bytes - 1), 1);
}

void transpose_pairs(enum fft_precision precision, const char *from, size_t from_step, char *to, size_t to_step,
		     size_t rows, size_t columns)
{
	const size_t pair = precision == FFT_F32 ? sizeof(struct narrow) : sizeof(struct wide);

	for (size_t c = 0; c < columns; c += PANEL) {
		const size_t next = c + PANEL < columns ? size_min(PANEL, columns - c - PANEL) : 0;

		ask_for(to + (c + PANEL) * to_step, to_step, rows * pair, next);
		(precision == FFT_F32 ? turn_narrow : turn_wide)(from + c * pair, from_step, to + c * to_step, to_step,
								 rows, size_min(PANEL, columns - c));
	}
}
