/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of the distributions: each one of the table in every dtype, drawn whole, in ranks, and by every level
 * of instruction sets, several draws in a row.
 *
 * A run is a program of three draws whose lengths are multiples of nothing. Rank after rank of P its parts are joined
 * for each draw and held against the whole. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "suites.h"

enum {
	DRAWS = 3,
	LEVELS = 8,
	SAMPLES = 1003, /* default */
};

static const uint64_t sizes[] = {1, 2, 3, 7, 128};
static const char *const names[DRAWS] = {"a", "b", "c"};

/* A distribution in one dtype, and by one method if it has several. */
struct variant {
	const char *distribution, *dtype;
	const char *name;   /* the distribution, and its method */
	const char *method; /* NULL: there is only one */
	uint64_t counts[DRAWS];
	uint64_t hash; /* of the bytes of all draws */
	bool ranks, variants;
	char detail[200];
};

/* The draws of one run; the arrays lie in the call's reply. */
struct run {
	struct trnsci_call *call;
	struct trnsci_array draws[DRAWS];
};

struct distributions {
	struct selftest *test;
	uint64_t n;
	struct trnsci_session *levels[LEVELS]; /* the first is the highest */
	const char *level_names[LEVELS];
	size_t n_levels;
};

/* Keeps the first failure as the detail of the check. */
__attribute__((format(printf, 2, 3))) static void note(struct variant *v, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!*v->detail)
		vsnprintf(v->detail, sizeof v->detail, format, args);
	va_end(args);
}

/* ---- a run ---- */

/* Sets a parameter that has no default to a value that every distribution accepts. */
static void set_required(struct trnsci_args *step, const struct trnsci_parameter_info *parameter)
{
	struct trnsci_args *list;

	if (parameter->fallback)
		return;
	if (strcmp(parameter->type, "f64") == 0)
		trnsci_set(step, trnsci_param_f64(parameter->name, 2.5));
	else if (strcmp(parameter->type, "any") != 0)
		trnsci_set(step, trnsci_param_u64(parameter->name, 100));
	else if ((list = trnsci_set_list(step, parameter->name)))
		for (unsigned i = 1; i <= 5; i++)
			trnsci_set(list, trnsci_param_f64(NULL, 0.3 * i));
}

static void set_step(struct trnsci_args *step, const struct variant *v, unsigned draw, uint64_t rank, uint64_t size)
{
	struct trnsci_parameter_info parameter;

	trnsci_set(step, trnsci_param_text("as", names[draw]));
	trnsci_set(step, trnsci_param_u64("n", v->counts[draw]));
	trnsci_set(step, trnsci_param_text("dtype", v->dtype));
	if (v->method)
		trnsci_set(step, trnsci_param_text("method", v->method));
	if (size > 1) {
		trnsci_set(step, trnsci_param_u64("rank", rank));
		trnsci_set(step, trnsci_param_u64("size", size));
	}
	for (size_t i = 0; trnsci_operation_parameter(v->distribution, i, &parameter) == 0; i++)
		set_required(step, &parameter);
}

/* Returns 0, and the caller frees ret->call; or an error, which is noted. */
static int run_draws(struct trnsci_session *session, struct variant *v, uint64_t rank, uint64_t size, struct run *ret)
{
	struct trnsci_call *call;
	int r = trnsci_call_new(session, "run", &call);

	if (r < 0)
		return r;
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", 2026));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("offset", 4));
	for (unsigned i = 0; i < DRAWS; i++) {
		set_step(trnsci_program_step(call, v->distribution), v, i, rank, size);
		trnsci_program_result(call, names[i]);
	}
	r = trnsci_run(call, NULL);
	for (unsigned i = 0; i < DRAWS && r == 0; i++)
		r = trnsci_value_to_array(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "results"), names[i]),
					  &ret->draws[i]);
	if (r < 0) {
		const char *text = trnsci_call_error(call)->text;

		note(v, "%s", *text ? text : trnsci_strerror(r));
		trnsci_call_free(call);
		return r;
	}
	ret->call = call;
	return 0;
}

/* Returns the 64-bit FNV-1a hash of all draws. */
static uint64_t hash_of(const struct run *run)
{
	uint64_t hash = 0xCBF29CE484222325u;

	for (unsigned d = 0; d < DRAWS; d++)
		for (size_t i = 0; i < run->draws[d].bytes; i++)
			hash = (hash ^ ((const unsigned char *)run->draws[d].data)[i]) * 0x100000001B3u;
	return hash;
}

/* ---- partitions ---- */

/* Returns whether a rank's part equals the whole from where the ranks before it end, and advances the ends. */
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

static void check_partitions(const struct distributions *all, struct variant *v, const struct run *whole)
{
	v->ranks = true;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes && v->ranks; i++) {
		v->ranks = partition_joins(all->levels[0], v, whole, sizes[i]);
		if (!v->ranks)
			note(v, "parts of %" PRIu64 " do not join", sizes[i]);
	}
}

/* ---- levels ---- */

static void check_levels(const struct distributions *all, struct variant *v)
{
	v->variants = true;
	for (size_t i = 1; i < all->n_levels && v->variants; i++) {
		struct run run;

		v->variants = run_draws(all->levels[i], v, 0, 1, &run) == 0;
		if (!v->variants)
			return;
		v->variants = hash_of(&run) == v->hash;
		if (!v->variants)
			note(v, "the hash by %s is %016" PRIx64, all->level_names[i], hash_of(&run));
		trnsci_call_free(run.call);
	}
}

static void report(const struct distributions *all, const struct variant *v)
{
	const struct trnsci_param values[] = {
		trnsci_param_text("dtype", v->dtype),
		trnsci_param_u64("n", all->n),
		trnsci_param_u64("hash", v->hash),
		trnsci_param_bool("ranks", v->ranks),
		trnsci_param_bool("variants", v->variants),
		trnsci_param_u64("n_variants", all->n_levels),
		trnsci_param_end(),
	};

	selftest_report(all->test, (struct trnsci_check){.subject = v->distribution,
							 .name = v->name,
							 .detail = v->detail,
							 .values = values,
							 .passed = v->ranks && v->variants});
}

static void check_variant(struct distributions *all, struct variant *v)
{
	struct run whole;

	v->counts[0] = 97;
	v->counts[1] = all->n;
	v->counts[2] = 5;
	if (run_draws(all->levels[0], v, 0, 1, &whole) == 0) {
		v->hash = hash_of(&whole);
		check_partitions(all, v, &whole);
		check_levels(all, v);
		trnsci_call_free(whole.call);
	}
	report(all, v);
}

/* ---- the walk ---- */

/* Takes the next word of a list "a|b|c" at *at. Returns false at the end. */
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

static const char *choices_of(const char *distribution, const char *name)
{
	struct trnsci_parameter_info parameter;

	for (size_t i = 0; trnsci_operation_parameter(distribution, i, &parameter) == 0; i++)
		if (strcmp(parameter.name, name) == 0)
			return parameter.choices;
	return NULL;
}

static void check_distribution(struct distributions *all, const char *distribution)
{
	const char *methods = choices_of(distribution, "method"), *method_at = methods ? methods : "-";
	char method[32], dtype[32], name[64];

	while (next_word(&method_at, method))
		for (const char *at = choices_of(distribution, "dtype"); at && next_word(&at, dtype);) {
			struct variant v = {.distribution = distribution,
					    .dtype = dtype,
					    .name = name,
					    .method = methods ? method : NULL};

			snprintf(name, sizeof name, "%s%s%s", distribution, methods ? " " : "", methods ? method : "");
			check_variant(all, &v);
		}
}

/* Opens an engine for each level that this CPU has, the highest first; that one has several threads. */
static int open_levels(struct distributions *all)
{
	size_t count;
	const struct cpu_level *levels = cpu_levels(&count);

	for (size_t i = count; i-- > 0 && all->n_levels < LEVELS;) {
		const struct trnsci_options options = {.threads = all->n_levels ? 1 : 7, .cpu = levels[i].name};
		int r;

		if (levels[i].features & ~cpu_detect())
			continue;
		r = trnsci_open("embedded:", &options, &all->levels[all->n_levels], NULL);
		if (r < 0)
			return r;
		all->level_names[all->n_levels++] = levels[i].name;
	}
	return 0;
}

int selftest_distributions(struct selftest *test)
{
	struct distributions all = {.test = test, .n = test->samples ? test->samples : SAMPLES};
	struct trnsci_operation_info operation;
	int r = open_levels(&all);

	for (size_t i = 0; r == 0 && trnsci_operation_at(i, &operation) == 0; i++)
		if (operation.is_distribution)
			check_distribution(&all, operation.name);
	for (size_t i = 0; i < all.n_levels; i++)
		trnsci_close(all.levels[i]);
	return r;
}
