/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes of arrays of parts, by squares of LANES x LANES in registers. */

/* Handles what is left at the ends, less than a square, element by element. */
INLINE void LOCAL(transpose_corner)(const struct fft_transpose *t, size_t row, size_t column)
{
	const size_t rows = size_min(LANES, t->rows - row), columns = size_min(LANES, t->columns - column);

	for (size_t c = 0; c < columns; c++)
		for (size_t r = 0; r < rows; r++)
			memcpy(t->to + (column + c) * t->to_step + (row + r) * sizeof(real),
			       t->from + (row + r) * t->from_step + (column + c) * sizeof(real), sizeof(real));
}

INLINE void LOCAL(transpose_square)(const struct fft_transpose *t, size_t row, size_t column)
{
	const char *from = t->from + row * t->from_step + column * sizeof(real);
	char *to = t->to + column * t->to_step + row * sizeof(real);
	vec v[LANES];

	if (row + LANES > t->rows || column + LANES > t->columns) {
		LOCAL(transpose_corner)(t, row, column);
		return;
	}
	UNROLL for (size_t i = 0; i < LANES; i++)
	{
		v[i] = v_load((const real *)(const void *)(from + i * t->from_step));
	}
	v_transpose(v);
	UNROLL for (size_t i = 0; i < LANES; i++)
	{
		v_store((real *)(void *)(to + i * t->to_step), v[i]);
	}
}

/* Goes along the longer side, LANES rows at a time, and prefetches the lines of rows to come. */
static void LOCAL(transpose_array)(const struct fft_transpose *t)
{
	enum { LINE = 64, AHEAD = 8 }; /* bytes; rows */

	if (t->rows >= t->columns) {
		for (size_t row = 0; row < t->rows; row += LANES) {
			for (size_t i = row + AHEAD; i < size_min(row + AHEAD + LANES, t->rows); i++)
				for (size_t at = 0; at < t->columns * sizeof(real); at += LINE)
					__builtin_prefetch(t->from + i * t->from_step + at);
			for (size_t column = 0; column < t->columns; column += LANES)
				LOCAL(transpose_square)(t, row, column);
		}
		return;
	}
	for (size_t column = 0; column < t->columns; column += LANES) {
		for (size_t i = column + AHEAD; i < size_min(column + AHEAD + LANES, t->columns); i++)
			for (size_t at = 0; at < t->rows * sizeof(real); at += LINE)
				__builtin_prefetch(t->to + i * t->to_step + at, 1);
		for (size_t row = 0; row < t->rows; row += LANES)
			LOCAL(transpose_square)(t, row, column);
	}
}
