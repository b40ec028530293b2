/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes of elements of every size by every variant: all shapes around a vector, odd places, guard bytes. */
#include "fft/kernels/transpose.h"

#include "fft/fixture.h"

enum { MOST = 41, GAP = 16 };

/* Rows with a gap behind them; what lies in it stays. */
static void check_shape(const char *name, uint32_t features, size_t size, size_t rows, size_t columns)
{
	const size_t from_step = columns * size + GAP, to_step = rows * size + GAP;
	const size_t from_bytes = rows * from_step, to_bytes = columns * to_step;
	unsigned char *from = malloc(from_bytes + 1), *to = malloc(to_bytes + 2 * GUARD_BYTES + 1);
	unsigned char *at = to + GUARD_BYTES;
	uint64_t state = fixture_seed;

	for (size_t i = 0; i < from_bytes; i++)
		from[i] = (unsigned char)fixture_next(&state);
	memset(to, GUARD, to_bytes + 2 * GUARD_BYTES);
	transpose_elements(features, size, (const char *)from, from_step, (char *)at, to_step, rows, columns);
	for (size_t column = 0; column < columns; column++) {
		for (size_t row = 0; row < rows; row++)
			if (memcmp(at + column * to_step + row * size, from + row * from_step + column * size, size) != 0)
				fail_msg("%s: %zu x %zu of %zu bytes: row %zu of column %zu is not the input's", name, rows,
					 columns, size, row, column);
		for (size_t i = rows * size; i < to_step; i++)
			assert_int_equal(at[column * to_step + i], GUARD);
	}
	for (size_t i = 0; i < GUARD_BYTES; i++) {
		assert_int_equal(to[i], GUARD);
		assert_int_equal(at[to_bytes + i], GUARD);
	}
	free(from);
	free(to);
}

static void test_shapes(void **unused)
{
	size_t count;
	const struct fft_kernel *const *kernels = fft_kernels(&count);

	(void)unused;
	for (size_t i = 0; i < count; i++) {
		if (kernels[i]->needs & ~cpu_detect()) {
			printf("# not on this CPU: %s\n", kernels[i]->name);
			continue;
		}
		for (size_t size = 4; size <= 16; size *= 2)
			for (size_t rows = 0; rows <= MOST; rows++)
				for (size_t columns = 0; columns <= MOST; columns++)
					check_shape(kernels[i]->name, kernels[i]->needs, size, rows, columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
