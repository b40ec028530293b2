/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of transform, of one to three axes, in both precisions, in place and not, at three layouts, against sums in long
 * double. */
#include "both.h"

static const struct {
	unsigned rank;
	int n[3];
} shapes[] = {{1, {1}},   {1, {2}},      {1, {3}},      {1, {4}},	{1, {6}},	{1, {8}},	   {1, {13}},
	      {1, {16}},  {1, {30}},     {1, {64}},     {1, {101}},	{1, {128}},	{1, {250}},	   {2, {4, 6}},
	      {2, {1, 7}}, {2, {16, 16}}, {2, {33, 8}}, {3, {3, 4, 5}}, {3, {8, 8, 8}}, {3, {2, 16, 9}}, {3, {5, 1, 2}}};

static void check_all(enum random_call call, bool backward, int kind)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (unsigned layout = 0; layout < 3; layout++)
			for (unsigned in_place = 0; in_place < 2; in_place++) {
				bool has_point = false;

				for (unsigned axis = 0; axis < shapes[i].rank; axis++)
					has_point |= shapes[i].n[axis] == 1;
				if (has_point && kind == FFTW_REDFT00)
					continue;
				fftw_check_listed(call, backward, kind, shapes[i].rank, shapes[i].n, layout, in_place);
				fftwf_check_listed(call, backward, kind, shapes[i].rank, shapes[i].n, layout, in_place);
			}
}

static void check_complex(void **state)
{
	(void)state;
	check_all(CALL_DFT, false, -1);
	check_all(CALL_DFT, true, -1);
}

static void check_real(void **state)
{
	(void)state;
	check_all(CALL_R2C, false, -1);
	check_all(CALL_C2R, false, -1);
}

static void check_real_to_real(void **state)
{
	(void)state;
	for (int kind = FFTW_R2HC; kind <= FFTW_RODFT11; kind++)
		check_all(CALL_R2R, false, kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_complex),
		cmocka_unit_test(check_real),
		cmocka_unit_test(check_real_to_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
