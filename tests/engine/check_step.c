/* SPDX-License-Identifier: Apache-2.0 */
/* The table of kinds of steps: each row has the functions of one of the two sorts, and none of the other. */
#include "engine/steps/kinds.h"

#include "engine/harness.h"

static void expect_elementwise(unsigned kind, const struct step_ops *ops)
{
	if (!ops->element_ps || ops->cost_ns || ops->work_bytes || ops->run_bytes || ops->begin || ops->advance ||
	    ops->run_chunk || ops->set_reply)
		fail_msg("kind %u: expected fill, element_ps and place only, of an element-wise kind", kind);
}

static void expect_own_segment(unsigned kind, const struct step_ops *ops)
{
	if (!ops->cost_ns || !ops->advance || !ops->run_chunk || ops->element_ps || ops->changes_size)
		fail_msg("kind %u: expected cost_ns, advance and run_chunk, and not element_ps or changes_size", kind);
	if (ops->run_bytes < sizeof(struct step_run))
		fail_msg("kind %u: expected a state of at least %zu bytes, got %zu", kind, sizeof(struct step_run),
			 ops->run_bytes);
}

static void every_kind_has_one_complete_row(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < STEP_KINDS; kind++) {
		const struct step_ops *ops = step_ops((enum step_kind)kind);

		assert_non_null(ops);
		if (ops->fill)
			expect_elementwise(kind, ops);
		else
			expect_own_segment(kind, ops);
		for (unsigned other = 0; other < kind; other++)
			assert_ptr_not_equal(ops, step_ops((enum step_kind)other));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_has_one_complete_row)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
