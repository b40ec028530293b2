/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of filters: the same design is found, another is not, and the least recently used are dropped at the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/steps/filter_cache.h"

enum { TAPS = 64 };

static struct colored_design exponent_of(double exponent)
{
	return (struct colored_design){.kind = COLORED_BY_EXPONENT,
				       .fs = 1,
				       .high = 0.5,
				       .exponent = exponent,
				       .flat_below = 1.0 / TAPS,
				       .length = TAPS,
				       .std = 1,
				       .least_std = 1e-28,
				       .most_std = 1e28};
}

/* Makes a filter as a deferred build does, with one use. */
static struct filter_entry *make_entry(struct colored_design design, double *table)
{
	struct filter_entry *entry = calloc(1, sizeof *entry);
	struct colored_builder builder;

	design.table = table;
	assert_non_null(entry);
	assert_int_equal(colored_builder_begin(&design, false, &builder, &entry->filter), 0);
	while (colored_builder_step(&builder) > 0)
		;
	colored_builder_free(&builder);
	entry->design = design;
	entry->table = table;
	entry->uses = 1;
	return entry;
}

/* Makes, keeps and gives back. */
static void keep(struct filters *filters, double exponent)
{
	struct filter_entry *entry = make_entry(exponent_of(exponent), NULL);

	filters_keep(filters, entry);
	filters_give(filters, entry);
}

static bool has(struct filters *filters, struct colored_design design)
{
	struct filter_entry *entry = filters_take(filters, &design, false);

	if (entry)
		filters_give(filters, entry);
	return entry;
}

static void found_by_design(void **state)
{
	struct colored_design design = exponent_of(1);
	struct filters *filters;

	(void)state;
	assert_int_equal(filters_create(1 << 20, &filters), 0);
	assert_false(has(filters, design));
	keep(filters, 1);
	assert_true(has(filters, design));
	assert_null(filters_take(filters, &design, true));
	/* Each member of a design is another filter. */
	double *const members[] = {&design.fs,	&design.low, &design.high, &design.exponent, &design.flat_below,
				   &design.std, &design.least_std, &design.most_std};

	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const double was = *members[i];

		*members[i] = 2 * was + 0.125;
		assert_false(has(filters, design));
		*members[i] = was;
	}
	design.length++;
	assert_false(has(filters, design));
	filters_destroy(filters);
}

static void found_by_table(void **state)
{
	static const double taps[3] = {1, 2, 3}, others[3] = {1, 2, 4};
	struct colored_design design = {.kind = COLORED_BY_TAPS, .fs = 1, .high = 0.5, .n_table = 3, .length = 3, .most_std = 1e28};
	double *table = malloc(sizeof taps);
	struct filters *filters;

	(void)state;
	assert_non_null(table);
	memcpy(table, taps, sizeof taps);
	assert_int_equal(filters_create(1 << 20, &filters), 0);
	struct filter_entry *entry = make_entry(design, table);

	filters_keep(filters, entry);
	filters_give(filters, entry);
	design.table = taps;
	assert_true(has(filters, design));
	design.table = others;
	assert_false(has(filters, design));
	filters_destroy(filters);
}

/* A filter of 64 taps takes 16.5 KB. */
static void bounded(void **state)
{
	struct filter_entry *entry, *twin;
	struct filters *filters;
	unsigned kept = 0;

	(void)state;
	assert_int_equal(filters_create(80 << 10, &filters), 0);
	entry = make_entry(exponent_of(3), NULL);
	filters_keep(filters, entry);
	for (int i = 0; i < 20; i++) {
		keep(filters, i / 32.0);
		if (i < 10) /* used again and again, so it stays */
			assert_true(has(filters, exponent_of(0)));
	}
	for (int i = 0; i < 20; i++)
		kept += has(filters, exponent_of(i / 32.0));
	assert_in_range(kept, 3, 4);
	assert_true(has(filters, exponent_of(19 / 32.0)));
	assert_false(has(filters, exponent_of(0)));
	/* One that was dropped lives on with its user; the cache takes one of two equal ones. */
	assert_false(has(filters, exponent_of(3)));
	assert_int_equal(entry->uses, 1);
	twin = make_entry(exponent_of(3), NULL);
	filters_keep(filters, entry);
	filters_keep(filters, twin);
	assert_int_equal(twin->uses, 1);
	assert_int_equal(entry->uses, 2);
	filters_give(filters, entry);
	filters_give(filters, twin);
	filters_destroy(filters);
	/* One that is longer than the bound is not kept. */
	assert_int_equal(filters_create(512, &filters), 0);
	keep(filters, 1);
	assert_false(has(filters, exponent_of(1)));
	filters_destroy(filters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_by_design),
		cmocka_unit_test(found_by_table),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
