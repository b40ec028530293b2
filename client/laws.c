/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of the laws: every law of the table in every dtype, drawn whole, in ranks, and by every level of
 * instruction sets, several draws in a row.
 *
 * A run is a program of three draws whose lengths are multiples of nothing. Rank after rank of P its parts are joined
 * for each draw and held against the whole. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "base/cpu.h"

enum {
	DRAWS = 3,
	LEVELS = 8,
	SAMPLES = 1003, /* unless told */
};

static const uint64_t sizes[] = {1, 2, 3, 7, 128};
static const char *const names[DRAWS] = {"a", "b", "c"};

/* A law in one dtype, by one method where it has several. */
struct variant {
	struct trnsci_law_check row;
	const char *method; /* NULL: there is but one */
	uint64_t counts[DRAWS];
};

/* What a run's draws gave. */
struct run {
	struct trnsci_call *call;
	struct trnsci_array draws[DRAWS];
};

struct laws {
	void (*report)(void *arg, const struct trnsci_law_check *row);
	void *arg;
	uint64_t n;
	struct trnsci_session *levels[LEVELS]; /* the first is the highest */
	const char *level_names[LEVELS];
	size_t n_levels;
	int failed;
};

/* The first thing that failed is told. */
__attribute__((format(printf, 2, 3))) static void note(struct variant *v, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!*v->row.detail)
		vsnprintf(v->row.detail, sizeof v->row.detail, format, args);
	va_end(args);
}

/* ---- a run ---- */

/* What has no default: a value that every law takes. */
static void set_required(struct trnsci_args *step, const struct trnsci_parameter *parameter)
{
	struct trnsci_args *list;

	if (parameter->fallback)
		return;
	if (strcmp(parameter->type, "f64") == 0)
		trnsci_set_f64(step, parameter->name, 2.5);
	else if (strcmp(parameter->type, "any") != 0)
		trnsci_set_u64(step, parameter->name, 100);
	else if ((list = trnsci_set_list(step, parameter->name)))
		for (unsigned i = 1; i <= 5; i++)
			trnsci_set_f64(list, NULL, 0.3 * i);
}

static void set_step(struct trnsci_args *step, const struct variant *v, unsigned draw, uint64_t rank, uint64_t size)
{
	struct trnsci_parameter parameter;

	trnsci_set_text(step, "as", names[draw]);
	trnsci_set_u64(step, "n", v->counts[draw]);
	trnsci_set_text(step, "dtype", v->row.dtype);
	if (v->method)
		trnsci_set_text(step, "method", v->method);
	if (size > 1) {
		trnsci_set_u64(step, "rank", rank);
		trnsci_set_u64(step, "size", size);
	}
	for (size_t i = 0; trnsci_parameter(v->row.law, i, &parameter) == 0; i++)
		set_required(step, &parameter);
}

/* 0, and then ret->call is to be freed; or an error, noted. */
static int run_draws(struct trnsci_session *session, struct variant *v, uint64_t rank, uint64_t size, struct run *ret)
{
	struct trnsci_call *call;
	int r = trnsci_call_new(session, "run", &call);

	if (r < 0)
		return r;
	trnsci_set_u64(trnsci_args(call), "seed", 2026);
	trnsci_set_u64(trnsci_args(call), "offset", 4);
	for (unsigned i = 0; i < DRAWS; i++) {
		set_step(trnsci_step(call, v->row.law), v, i, rank, size);
		trnsci_want(call, names[i]);
	}
	r = trnsci_run(call);
	for (unsigned i = 0; i < DRAWS && r == 0; i++)
		r = trnsci_to_array(trnsci_get(trnsci_get(trnsci_reply(call), "results"), names[i]), &ret->draws[i]);
	if (r < 0) {
		const char *text = trnsci_call_error(call)->text;

		note(v, "%s", *text ? text : trnsci_strerror(r));
		trnsci_call_free(call);
		return r;
	}
	ret->call = call;
	return 0;
}

/* FNV-1a, of 64 bits. */
static uint64_t hash_of(const struct run *run)
{
	uint64_t hash = 0xCBF29CE484222325u;

	for (unsigned d = 0; d < DRAWS; d++)
		for (size_t i = 0; i < run->draws[d].bytes; i++)
			hash = (hash ^ ((const unsigned char *)run->draws[d].data)[i]) * 0x100000001B3u;
	return hash;
}

/* ---- partitions ---- */

/* Whether a rank's part lies in the whole where those before it end; moves the ends on. */
static bool follows(const struct run *whole, const struct run *part, size_t ends[DRAWS])
{
	bool same = true;

	for (unsigned d = 0; d < DRAWS; d++) {
		const size_t bytes = part->draws[d].bytes;

		if (bytes > whole->draws[d].bytes - ends[d])
			return false;
		same = same && (bytes == 0 ||
				memcmp((const char *)whole->draws[d].data + ends[d], part->draws[d].data, bytes) == 0);
		ends[d] += bytes;
	}
	return same;
}

static bool partition_joins(struct trnsci_session *session, struct variant *v, const struct run *whole, uint64_t size)
{
	size_t ends[DRAWS] = {0};
	bool same = true;

	for (uint64_t rank = 0; rank < size && same; rank++) {
		struct run part;

		if (run_draws(session, v, rank, size, &part) < 0)
			return false;
		same = follows(whole, &part, ends);
		trnsci_call_free(part.call);
	}
	for (unsigned d = 0; d < DRAWS; d++)
		same = same && ends[d] == whole->draws[d].bytes;
	return same;
}

static void check_partitions(const struct laws *laws, struct variant *v, const struct run *whole)
{
	v->row.partitions = true;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes && v->row.partitions; i++) {
		v->row.partitions = partition_joins(laws->levels[0], v, whole, sizes[i]);
		if (!v->row.partitions)
			note(v, "parts of %" PRIu64 " do not join", sizes[i]);
	}
}

/* ---- levels ---- */

static void check_levels(const struct laws *laws, struct variant *v)
{
	v->row.variants = true;
	v->row.n_variants = laws->n_levels;
	for (size_t i = 1; i < laws->n_levels && v->row.variants; i++) {
		struct run run;

		v->row.variants = run_draws(laws->levels[i], v, 0, 1, &run) == 0;
		if (!v->row.variants)
			return;
		v->row.variants = hash_of(&run) == v->row.hash;
		if (!v->row.variants)
			note(v, "the hash by %s is %016" PRIx64, laws->level_names[i], hash_of(&run));
		trnsci_call_free(run.call);
	}
}

static void check_variant(struct laws *laws, struct variant *v)
{
	struct run whole;

	v->counts[0] = 97;
	v->counts[1] = v->row.n;
	v->counts[2] = 5;
	if (run_draws(laws->levels[0], v, 0, 1, &whole) == 0) {
		v->row.hash = hash_of(&whole);
		check_partitions(laws, v, &whole);
		check_levels(laws, v);
		trnsci_call_free(whole.call);
	}
	laws->failed += !v->row.partitions || !v->row.variants;
	if (laws->report)
		laws->report(laws->arg, &v->row);
}

/* ---- the walk ---- */

/* The word of "a|b|c" at *at, which moves behind it; false at the end. */
static bool next_word(const char **at, char word[32])
{
	const size_t size = strcspn(*at, "|");

	if (size == 0 || size >= 32)
		return false;
	memcpy(word, *at, size);
	word[size] = '\0';
	*at += size + ((*at)[size] == '|');
	return true;
}

static const char *choices_of(const char *law, const char *name)
{
	struct trnsci_parameter parameter;

	for (size_t i = 0; trnsci_parameter(law, i, &parameter) == 0; i++)
		if (strcmp(parameter.name, name) == 0)
			return parameter.choices;
	return NULL;
}

static void check_law(struct laws *laws, const char *law)
{
	const char *methods = choices_of(law, "method"), *method_at = methods ? methods : "-";
	char method[32], dtype[32], name[64];

	while (next_word(&method_at, method))
		for (const char *at = choices_of(law, "dtype"); at && next_word(&at, dtype);) {
			struct variant v = {.row = {.law = law, .dtype = dtype, .n = laws->n},
					    .method = methods ? method : NULL};

			snprintf(name, sizeof name, "%s%s%s", law, methods ? " " : "", methods ? method : "");
			v.row.name = name;
			check_variant(laws, &v);
		}
}

/* An engine for each level that this CPU has, the highest first, and that with several threads. */
static int open_levels(struct laws *laws)
{
	size_t count;
	const struct cpu_level *levels = cpu_levels(&count);

	for (size_t i = count; i-- > 0 && laws->n_levels < LEVELS;) {
		const struct trnsci_options options = {.threads = laws->n_levels ? 1 : 7, .cpu = levels[i].name};
		int r;

		if (levels[i].features & ~cpu_detect())
			continue;
		r = trnsci_open("embedded:", &options, &laws->levels[laws->n_levels], NULL);
		if (r < 0)
			return r;
		laws->level_names[laws->n_levels++] = levels[i].name;
	}
	return 0;
}

int trnsci_laws(uint64_t n, void (*report)(void *arg, const struct trnsci_law_check *row), void *arg)
{
	struct laws laws = {.report = report, .arg = arg, .n = n ? n : SAMPLES};
	struct trnsci_operation operation;
	int r = open_levels(&laws);

	for (size_t i = 0; r == 0 && trnsci_operation(i, &operation) == 0; i++)
		if (strcmp(operation.category, "draw") == 0)
			check_law(&laws, operation.name);
	for (size_t i = 0; i < laws.n_levels; i++)
		trnsci_close(laws.levels[i]);
	return r < 0 ? r : laws.failed;
}
