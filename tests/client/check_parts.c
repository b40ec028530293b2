/* SPDX-License-Identifier: Apache-2.0 */
/* Every sample is a function of its place: for each distribution of the table, in each dtype, by each method, with numbers and
 * with an array as parameters, draws of any length that begin anywhere are parts of one long draw, and so are ranks' parts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "both.h"
#include "harness/draw_params.h"

enum {
	STARTS = 8,      /* begin anywhere below it */
	LONGEST = 65537, /* samples of a long part */
	TOTAL = LONGEST + STARTS,
};

static const uint64_t offsets[] = {0, 509, (UINT64_C(1) << 32) - 21, (UINT64_C(1) << 60) - 3, UINT64_MAX /* as near the end as it goes */};
enum { N_OFFSETS = sizeof offsets / sizeof *offsets };

struct variant {
	const char *distribution;
	char method[24]; /* "": there is one only */
	enum trnsci_dtype dtype;
	struct draw_params params;
	uint64_t components, words; /* elements and words of a sample */
	size_t bytes;               /* of a sample */
	uint64_t behind;            /* samples behind the draw whose words it takes, a few more: coloured noise */
};

/* ---- the table's variants ---- */

static const char *choices_of(const char *distribution, const char *name)
{
	struct trnsci_parameter_info info;

	for (size_t i = 0; trnsci_operation_parameter(distribution, i, &info) == 0; i++)
		if (strcmp(info.name, name) == 0)
			return info.choices;
	return NULL;
}

/* Takes the next word of "a|b|c". */
static bool next_word(const char **at, char *word, size_t room)
{
	const size_t size = strcspn(*at, "|");

	if (size == 0 || size >= room)
		return false;
	memcpy(word, *at, size);
	word[size] = '\0';
	*at += size + ((*at)[size] == '|');
	return true;
}

/* Learns what a sample takes from where the second one of an empty draw begins. Returns false if the array is refused. */
static bool measure(struct trnsci_session *session, struct variant *v)
{
	const struct trnsci_source second = {.offset = 1};
	struct trnsci_span span;
	struct trnsci_error err;

	/* A multiple of every number of components. */
	if (trnsci_draw_array(session, v->distribution, v->params.list, &second, v->dtype, 60, NULL, &span, &err) < 0) {
		if (!v->params.array.data)
			fail_msg("%s: %s", v->distribution, err.text);
		return false;
	}
	v->words = span.position;
	v->components = v->words / (trnsci_dtype_size(v->dtype) == 8 ? 2 : 1);
	v->bytes = v->components * trnsci_dtype_size(v->dtype);
	v->behind = (span.next - span.position) / v->words - 60 / v->components;
	v->behind -= v->behind < 4 ? v->behind : 0;
	return true;
}

/* ---- parts ---- */

static void draw(struct trnsci_session *session, const struct variant *v, const struct trnsci_source *source, uint64_t samples, void *out)
{
	struct trnsci_error err;

	if (trnsci_draw_array(session, v->distribution, v->params.list, source, v->dtype, samples * v->components, out, NULL, &err) < 0)
		fail_msg("%s %s %s, %" PRIu64 " samples from %" PRIu64 ": %s", v->distribution, v->method, trnsci_dtype_name(v->dtype),
			 samples, source->offset, err.text);
}

static void expect_part(struct trnsci_session *session, const struct variant *v, const char *whole, uint64_t offset, uint64_t begin,
			uint64_t samples, char *out)
{
	const struct trnsci_source source = {.seed = 11, .stream = 3, .offset = offset + begin};

	memset(out, 0xA5, samples * v->bytes);
	draw(session, v, &source, samples, out);
	if (memcmp(out, whole + begin * v->bytes, samples * v->bytes) != 0)
		fail_msg("%s %s %s%s: %" PRIu64 " samples from %" PRIu64 " + %" PRIu64 " are no part of the draw from there", v->distribution,
			 v->method, trnsci_dtype_name(v->dtype), v->params.array.data ? " with an array" : "", samples, offset, begin);
}

/* A position states words: the first sample at or behind it that begins a group of 4 words is number 0. Elements of arrays count
 * from there. */
static void expect_position(struct trnsci_session *session, const struct variant *v, const char *whole, uint64_t offset, char *out)
{
	const uint64_t first = offset / 4 * 4, words = first * v->words;
	/* Nearly a sample's words before it, where none begins a group. */
	const uint64_t position = words < v->words ? words : words - (v->words - 1) / 4 * 4;

	if (v->params.array.data)
		return;
	for (uint64_t begin = 0; begin < 3; begin++) {
		const struct trnsci_source source = {.seed = 11, .stream = 3, .position = position, .offset = offset - first + begin};

		draw(session, v, &source, 37, out);
		if (memcmp(out, whole + begin * v->bytes, 37 * v->bytes) != 0)
			fail_msg("%s %s %s: 37 samples from position %" PRIu64 ", offset %" PRIu64 " are no part of the draw", v->distribution,
				 v->method, trnsci_dtype_name(v->dtype), position, source.offset);
	}
}

static void expect_ranks(struct trnsci_session *session, const struct variant *v, const char *whole, uint64_t offset, uint64_t samples,
			 uint64_t size, char *out)
{
	for (uint64_t rank = 0; rank < size; rank++) {
		const struct trnsci_source source = {.seed = 11, .stream = 3, .offset = offset, .rank = rank, .size = size};
		uint64_t begin, end;

		trnsci_rank_part(samples, rank, size, &begin, &end);
		memset(out, 0xA5, (end - begin) * v->bytes);
		draw(session, v, &source, samples, out);
		if (memcmp(out, whole + begin * v->bytes, (end - begin) * v->bytes) != 0)
			fail_msg("%s %s %s%s: rank %" PRIu64 " of %" PRIu64 ", %" PRIu64 " samples from %" PRIu64 ", is no part of the draw",
				 v->distribution, v->method, trnsci_dtype_name(v->dtype), v->params.array.data ? " with an array" : "", rank, size,
				 samples, offset);
	}
}

/* Who draws: the first the long draws, by the scalar kernels; the others the parts, in turn. */
enum { N_SESSIONS = 4 };

/* Short parts from every start, odd and even ones, and long ones from two. */
static void check_variant(struct trnsci_session *const sessions[N_SESSIONS], const struct variant *v, char *whole, char *out)
{
	/* The stream's end may leave words over that make no sample. */
	const uint64_t last = (uint64_t)((((unsigned __int128)1 << 64) / v->words) - TOTAL - v->behind);

	for (size_t o = 0; o < N_OFFSETS; o++) {
		const uint64_t offset = offsets[o] < last ? offsets[o] : last;
		const struct trnsci_source source = {.seed = 11, .stream = 3, .offset = offset};
		struct trnsci_session *const session = sessions[1 + o % (N_SESSIONS - 1)];

		/* What is transformed has other bytes on the scalar kernels of x86-64. */
		draw(sessions[v->behind ? 3 : 0], v, &source, TOTAL, whole);
		for (uint64_t n = 1; n <= 40; n++)
			expect_part(session, v, whole, offset, n % STARTS, n, out);
		for (uint64_t begin = 0; begin < STARTS; begin++)
			expect_part(session, v, whole, offset, begin, 511 + begin / 2, out);
		for (uint64_t n = LONGEST - 2; n <= LONGEST && o % 2 == 0; n++)
			expect_part(session, v, whole, offset, (n + o) % STARTS, n, out);
		expect_position(session, v, whole, offset, out);
		/* The end itself, of the stream with the last offset. */
		expect_part(session, v, whole, offset, TOTAL - 7, 7, out);
		for (uint64_t size = 2; size <= 5; size++)
			expect_ranks(session, v, whole, offset, size == 3 && o % 2 ? LONGEST : 100 * size + 3, size, out);
	}
}

static void check_distribution(struct trnsci_session *const sessions[N_SESSIONS], const char *distribution, unsigned *count, unsigned *arrays)
{
	const char *dtypes = choices_of(distribution, "dtype"), *methods = choices_of(distribution, "method");
	const char *method_at = methods ? methods : "-";
	char *whole = malloc((size_t)TOTAL * 8 * 8), *out = malloc((size_t)TOTAL * 8 * 8), dtype[8];
	struct variant v = {.distribution = distribution};

	while (next_word(&method_at, v.method, sizeof v.method))
		for (const char *at = dtypes; next_word(&at, dtype, sizeof dtype);)
			for (int with_array = 0; with_array < 2; with_array++) {
				v.dtype = trnsci_dtype_parse(dtype);
				if (!draw_params_set(&v.params, v.distribution, v.method, with_array) || !measure(sessions[0], &v))
					continue;
				assert_true(v.components >= 1 && v.components <= 8);
				check_variant(sessions, &v, whole, out);
				++*count;
				*arrays += with_array;
			}
	free(whole);
	free(out);
}

static void parts_of_every_distribution(void **state)
{
	const struct trnsci_options scalar = {.cpu = "scalar"}, avx2 = {.cpu = "avx2"};
	struct trnsci_session *const sessions[N_SESSIONS] = {open_with("embedded:", &scalar), open_at("embedded:"), open_at(trnscid.socket),
							     open_with("embedded:", &avx2)};
	struct trnsci_operation_info operation;
	unsigned distributions = 0, count = 0, arrays = 0;

	(void)state;
	for (size_t i = 0; trnsci_operation_at(i, &operation) == 0; i++)
		if (strcmp(operation.category, "draw") == 0 && choices_of(operation.name, "dtype")) {
			check_distribution(sessions, operation.name, &count, &arrays);
			distributions++;
		}
	printf("# %u distributions, %u variants, %u with an array\n", distributions, count, arrays);
	assert_true(distributions >= 39 && arrays >= 60);
	for (int i = 0; i < N_SESSIONS; i++)
		trnsci_close(sessions[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_every_distribution),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
