/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of many parameters, by numbers and by arrays, are the bytes of tests/vectors/distributions.txt, by every level of
 * instruction sets. TRNSCI_UPDATE=1 writes the hashes of a change that is wanted; the lines stay. */
#include "distributions/parameter_lines.h"

#define PATH "tests/vectors/distributions.txt"

enum { SAMPLES = 2003, BEGIN = 5 };

static FILE *update;
static unsigned n_changed;
static bool is_pinned[DIST_COUNT];

static bool updating(void)
{
	const char *text = getenv("TRNSCI_UPDATE");

	return text && *text;
}

static uint64_t fnv(const unsigned char *at, size_t n)
{
	uint64_t hash = 0xCBF29CE484222325u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ at[i]) * 0x100000001B3u;
	return hash;
}

static uint64_t hash_by(uint32_t features, const struct draw *draw)
{
	static unsigned char samples[SAMPLES * sizeof(uint64_t)];
	struct draw_kernels kernels;

	draw_select(features, &kernels);
	draw_fill(&kernels, draw, BEGIN, SAMPLES, samples);
	return fnv(samples, SAMPLES * dtype_size(draw->dtype));
}

/* Returns the hash, which every level must give. */
static uint64_t hash_of(const struct parameter_line *line, bool arrays)
{
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	struct dist_fault fault;
	struct line_draw draw;
	uint64_t first;

	if (line_draw_begin(line, line->dtypes[0], arrays, &draw, &fault))
		fail_msg("%s: %s", line->text, fault.text);
	first = hash_by(0, &draw.draw);
	for (size_t i = 0; i < n_levels; i++)
		if ((levels[i].features & ~cpu_detect()) == 0 && hash_by(levels[i].features, &draw.draw) != first)
			fail_msg("%s%s: %s differs from scalar", line->text, arrays ? " as arrays" : "", levels[i].name);
	if (draw.fault.is_set)
		fail_msg("%s: refused as arrays: %s", line->text, draw.fault.fault.text);
	free(draw.table);
	return first;
}

/* The hash by numbers, and by arrays or "-". */
static void check_line(const struct parameter_line *line)
{
	char expected[2][32] = {"", ""}, got[2][32] = {"", "-"};

	is_pinned[line->distribution] = true;
	snprintf(got[0], sizeof got[0], "%016llx", (unsigned long long)hash_of(line, false));
	if (line_takes_arrays(line, line->dtypes[0]))
		snprintf(got[1], sizeof got[1], "%016llx", (unsigned long long)hash_of(line, true));
	if (update) {
		fprintf(update, "%s: %s %s\n", line->text, got[0], got[1]);
		return;
	}
	sscanf(line->rest, "%31s %31s", expected[0], expected[1]);
	if (strcmp(expected[0], got[0]) == 0 && strcmp(expected[1], got[1]) == 0)
		return;
	printf("%s: expected %s %s, got %s %s\n", line->text, expected[0], expected[1], got[0], got[1]);
	n_changed++;
}

static void copy_other_lines(void)
{
	char line[65536];
	FILE *file = fopen(PATH, "r");

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		if (line[0] == '#' || !strchr(line, ':'))
			fputs(line, update);
	fclose(file);
}

static void samples_are_those_of_the_vectors(void **state)
{
	(void)state;
	if (updating()) {
		update = fopen(PATH ".new", "w");
		assert_non_null(update);
		copy_other_lines();
	}
	for_each_parameter_line(PATH, check_line);
	if (update) {
		fclose(update);
		assert_int_equal(rename(PATH ".new", PATH), 0);
	}
	assert_int_equal(n_changed, 0);
	for (unsigned d = 0; d < DIST_COUNT; d++)
		if (!is_pinned[d])
			fail_msg("%s has no line in " PATH, dist_name((enum distribution)d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_those_of_the_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
