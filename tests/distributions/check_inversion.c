/* SPDX-License-Identifier: Apache-2.0 */
/* The far ends of normals by inversion. */
#include "distributions/statistics.h"

#include "distributions/rows/dist_kernel.h"

/* boxmuller64 reaches beyond boxmuller's last value; the radius keeps its precision on both sides. */
static void boxmuller64_reaches_further_than_boxmuller(void **state)
{
	uint64_t words[2][16] = {{0}};
	uint32_t narrow[2][32] = {{0}};
	const void *wide_in[] = {words[0]}, *narrow_in[] = {narrow[0], narrow[1]};
	struct dist_constants none = {0};
	double wide[16];
	float single[32];

	(void)state;
	/* A radius word of 0 is the longest, of 2^32 - 1 (and all ones below) the shortest. */
	narrow[0][2] = narrow[1][2] = UINT32_MAX;
	words[0][2] = UINT64_MAX;
	dist_select(0)->radius64[DTYPE_F32](&none, narrow_in, 0, 32, single, NULL);
	dist_select(0)->radius64[DTYPE_F64](&none, wide_in, 0, 16, wide, NULL);
	assert_true(fabsf(single[0] - 9.419f) < 0.001f && single[1] == 0);
	assert_true(fabs(wide[0] - 9.4193) < 0.0001 && wide[1] == 0);
	assert_true(single[2] > 0 && single[2] < 1e-9f);
	assert_true(wide[2] > 0 && wide[2] < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxmuller64_reaches_further_than_boxmuller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
