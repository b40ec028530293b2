/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol_text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "engine/operations/operations.h"
#include "fft/precision/precision.h"
#include "protocol_example.h"
#include "stats.h"

enum { COMMON_MIN = 30 }; /* methods that share a parameter, from which on it is described once */

static FILE *out;

/* The kinds of methods. The example of a kind's `shown` method is in bytes. `sections`: each method has a section of its own,
 * because there is much to say of it; otherwise one table describes all of them. */
static const struct class_text {
	const char *title, *shown;
	bool sections;
} classes[] = {
	[METHOD_SESSION] = {"Of the session", "arena", false},
	[METHOD_SERVICE] = {"Of the service", "version", false},
	[METHOD_STREAM] = {"Of named streams", "stream_draw", false},
	[METHOD_PROGRAM] = {"Programs", "run", true},
	[METHOD_DRAW] = {"Draws", "normal", false},
	[METHOD_POINTS] = {"Points", "sobol", false},
	[METHOD_ELEMENTWISE] = {"Element-wise operations", "scale", false},
	[METHOD_TRANSFORM] = {"Transforms", "fft", true},
	[METHOD_SIGNAL] = {"Signals", "window", true},
};

/* ------- examples ------- */

/* Of one method, or of all of a class. */
static void write_examples(const struct operation *first, size_t count, enum method_class class)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	for (size_t i = 0; i < count; i++)
		if (first[i].class == class)
			protocol_example(&first[i], strcmp(classes[class].shown, first[i].name) == 0, memory);
	fclose(memory);
	if (size)
		fprintf(out, "\n```\n%s```\n", text);
	free(text);
}

/* ------- parameters ------- */

/* A bar would end the cell. */
static void write_cell(const char *text)
{
	for (; *text; text++)
		fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static bool is_power_of_two(double number, int *ret_exponent)
{
	*ret_exponent = 0;
	return isfinite(number) && frexp(number, ret_exponent) == 0.5;
}

/* 2^40, 2^32 - 1, 2^-1022 and -2^63 rather than their digits; else what reads back as the same number. */
static void write_bound(double bound)
{
	int exponent;

	if (is_power_of_two(fabs(bound), &exponent) && (exponent > 20 || exponent < -20))
		fprintf(out, "%s2^%d", bound < 0 ? "-" : "", exponent - 1);
	else if (bound < 0x1p53 && is_power_of_two(bound + 1, &exponent) && exponent > 20)
		fprintf(out, "2^%d - 1", exponent - 1);
	else
		fprintf(out, "%.15g", bound);
}

/* The bounds of a type go without saying. */
static void write_range(const struct param *param)
{
	const bool open = param->max == 0 || param->max == DBL_MAX || param->max == 0x1p64;

	if (param->min == 0 && param->max == 0)
		return;
	fputs(param->above_min ? "above " : "", out);
	write_bound(param->min);
	if (open && !(param->max == 0 && param->min < 0)) {
		fputs(param->above_min ? "" : " and up", out);
		return;
	}
	fputs(" to ", out);
	write_bound(param->max);
}

static void write_param(const struct param *param)
{
	fprintf(out, "| %s | %s | %s | ", param->name, param_type_name(param->type), param->unit);
	fputs(!param->fallback ? "required" : *param->fallback ? param->fallback : "none", out);
	fputs(" | ", out);
	if (param->choices)
		write_cell(param->choices);
	else
		write_range(param);
	fputs(" | ", out);
	write_cell(param->help);
	fputs(" |\n", out);
}

#define HEADING "parameter | type | unit | default | allowed | meaning |\n"
#define RULE    "---|---|---|---|---|---|\n"

static bool params_equal(const struct param *a, const struct param *b)
{
	return strcmp(a->name, b->name) == 0 && a->type == b->type && strcmp(a->unit, b->unit) == 0 &&
	       !a->fallback == !b->fallback && (!a->fallback || strcmp(a->fallback, b->fallback) == 0) &&
	       a->min == b->min && a->max == b->max && a->above_min == b->above_min && !a->choices == !b->choices &&
	       (!a->choices || strcmp(a->choices, b->choices) == 0) && strcmp(a->help, b->help) == 0;
}

static const struct param *find_equal(const struct operation *operation, const struct param *param)
{
	for (size_t i = 0; i < operation->n_params; i++)
		if (params_equal(&operation->params[i], param))
			return &operation->params[i];
	return NULL;
}

static size_t count_having(const struct param *param)
{
	size_t count, having = 0;
	const struct operation *all = operations(&count);

	for (size_t i = 0; i < count; i++)
		having += find_equal(&all[i], param) != NULL;
	return having;
}

/* Whether so many methods have it that it stands among the common ones. */
static bool is_common(const struct param *param)
{
	return count_having(param) >= COMMON_MIN;
}

/* "`n`, `out`": the common parameters of a method, but those that every method has. */
static void write_common(const struct operation *operation)
{
	const char *before = "";
	size_t count;

	operations(&count);
	for (size_t i = 0; i < operation->n_params; i++) {
		const struct param *param = &operation->params[i];

		if (is_common(param) && count_having(param) < count) {
			fprintf(out, "%s`%s`", before, param->name);
			before = ", ";
		}
	}
}

/* ------- methods in sections of their own ------- */

/* The method before this one, of its class, that describes the same parameter in its own section. NULL: there is none. */
static const struct operation *find_model(const struct operation *operation, const struct param *param)
{
	size_t count;
	const struct operation *all = operations(&count);

	for (const struct operation *other = all; other < operation; other++)
		if (other->class == operation->class && find_equal(other, param))
			return other;
	return NULL;
}

/* " As of `welch`: `window`, `fs`." for each method that is a model of some. */
static void write_models(const struct operation *operation)
{
	size_t count;
	const struct operation *all = operations(&count);

	for (const struct operation *model = all; model < operation; model++) {
		const char *before = NULL;

		for (size_t i = 0; i < operation->n_params; i++) {
			const struct param *param = &operation->params[i];

			if (is_common(param) || find_model(operation, param) != model)
				continue;
			if (!before)
				fprintf(out, " As of `%s`:", model->name);
			fprintf(out, "%s `%s`", before ? before : "", param->name);
			before = ",";
		}
		if (before)
			fputc('.', out);
	}
	fputc('\n', out);
}

static void write_own(const struct operation *operation)
{
	bool first = true;

	for (size_t i = 0; i < operation->n_params; i++) {
		const struct param *param = &operation->params[i];

		if (is_common(param) || find_model(operation, param))
			continue;
		if (first)
			fputs("\n| " HEADING "|" RULE, out);
		first = false;
		write_param(param);
	}
}

static void write_section(const struct operation *operation)
{
	fprintf(out, "\n### %s\n\n%s.%s%s\n\nCommon: ", operation->name, operation->help,
		*operation->details ? " " : "", operation->details);
	write_common(operation);
	fputs(".", out);
	write_models(operation);
	write_own(operation);
	if (protocol_has_own_bytes(operation->name) && !strcmp(classes[operation->class].shown, operation->name))
		fputs("\nThe result's bytes are those of the scalar kernels (`TRNSCI_CPU=scalar`), see *Same bytes*.\n", out);
	write_examples(operation, 1, operation->class);
}

/* ------- methods in one table ------- */

static void write_methods(const struct operation *all, size_t count, enum method_class class)
{
	fputs("\n| method | meaning | common parameters |\n|---|---|---|\n", out);
	for (size_t i = 0; i < count; i++)
		if (all[i].class == class) {
			fprintf(out, "| %s | %s.%s%s | ", all[i].name, all[i].help, *all[i].details ? " " : "",
				all[i].details);
			if (class == METHOD_DRAW)
				fputs("those of a draw", out);
			else
				write_common(&all[i]);
			fputs(" |\n", out);
		}
}

/* The methods of a class that have the parameter, "scale, add"; false: one before i has it, too, and wrote it. */
static bool write_owners(const struct operation *all, size_t count, size_t i, const struct param *param)
{
	for (size_t before = 0; before < i; before++)
		if (all[before].class == all[i].class && find_equal(&all[before], param))
			return false;
	fprintf(out, "| %s", all[i].name);
	for (size_t k = i + 1; k < count; k++)
		if (all[k].class == all[i].class && find_equal(&all[k], param))
			fprintf(out, ", %s", all[k].name);
	fputc(' ', out);
	return true;
}

static void write_table(const struct operation *all, size_t count, enum method_class class)
{
	write_methods(all, count, class);
	if (class == METHOD_DRAW) {
		fputs("\nThe common parameters of a draw are ", out);
		write_common(operation_find("bits", 4));
		fputs(". A distribution's own parameter takes the place of a common one of the same name.\n", out);
		fputs("\nA distribution's own parameter of type f64, u64 or int may also be an array: `{tile: HANDLE}`, in a program also "
		      "`{tile: NAME}` of an earlier step, or `{dtype, shape, data}`. Elements are f32, f64 or integers (of randint "
		      "integers that fit its dtype), one or more. Sample k takes element k modulo their number. k counts from the "
		      "first sample at or after `position`, or where the draw begins if the run or a named stream places it; samples "
		      "that `offset` and `rank` skip count. So a draw with arrays is repeated by its `position`. Each element is "
		      "checked when it is read: the first that is out of range fails the request, is named in the error, and the "
		      "numbers of a named stream are spent. Numbers stay the only values of the bounds of truncated_normal, of items "
		      "and dimensions, and in rings and broadcasts. poisson, binomial, gamma, chi_squared and beta draw by a method "
		      "of their own where a parameter is an array; all others give the samples that equal numbers give.\n",
		      out);
	}
	fputs("\n| methods | " HEADING "|---|" RULE, out);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; all[i].class == class && k < all[i].n_params; k++)
			if (!is_common(&all[i].params[k]) && write_owners(all, count, i, &all[i].params[k]))
				write_param(&all[i].params[k]);
	write_examples(all, count, class);
}

/* ------- tables ------- */

static void write_errors(void)
{
	fputs("\n## Error names\n\n| name | number | kind | meaning |\n|---|---|---|---|\n", out);
#define X(id, number, kind, name, meaning)                                                                             \
	fprintf(out, "| %s | %d | %d | %s |\n", name, number, ERROR_KIND_##kind, meaning);
	ERROR_TABLE(X)
#undef X
}

static void write_dtypes(void)
{
	fputs("\n## Dtypes\n\n| name | long name | bytes |\n|---|---|---|\n", out);
#define X(id, number, name, long_name, size, descr) fprintf(out, "| %s | %s | %d |\n", name, long_name, size);
	DTYPE_TABLE(X)
#undef X
	fputs("\nA sample beyond the range of its dtype is inf or -inf, one too small for it is 0, and one of `beta` that is "
	      "nearer to 1 than the dtype resolves is exactly 1. In f64, a sample of `beta` below 2^-1024 (5.6e-309) is 0, "
	      "where `gamma` reaches 4.9e-324.\n",
	      out);
}

static void write_precisions(void)
{
	fputs("\n## Precision modes\n\n"
	      "Bounds of the relative L2 error along one axis. Along k axes a matrix mode states (1 + bound)^k - 1, any other\n"
	      "k times the bound; each rounding of float64 input, or of a float64 result, to float32 counts 2^-24 more.\n\n"
	      "| mode | bound | | dtype | longer than 256 |\n|---|---|---|---|---|\n", out);
	for (enum precision p = 0; p < PRECISIONS; p++)
		fprintf(out, "| %s | %.2g | %s | %s | %s |\n", precision_name(p), precision_bound(p, 1),
			precision_is_gemm(p) ? "proved" : "held over the tests' table of hard inputs",
			precision_is_wide(p) ? "complex128" : "complex64",
			precision_name(precision_serving(p, PRECISION_MAX_GEMM + 1)));
}

static void write_counters(void)
{
	fputs("\n## Counters of the daemon\n\nMembers of `daemon` in the reply of `stats`, integers; \"now\": at present, "
	      "otherwise since the daemon's start.\n\n| member | meaning |\n|---|---|\n",
	      out);
#define X(name, help) fprintf(out, "| %s | %s |\n", #name, help);
	STATS_TABLE(X)
#undef X
}

/* Each once, in the order of the draws' rows, which have the most of them. */
static void write_common_params(const struct operation *all, size_t count)
{
	fputs("\n## Common parameters\n\nEvery method has `u64`. Which of the others a method has, its own description lists.\n\n| "
	      HEADING "|" RULE, out);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; all[i].class == METHOD_DRAW && k < all[i].n_params; k++) {
			const struct param *param = &all[i].params[k];
			size_t before = 0;

			while (before < i && (all[before].class != METHOD_DRAW || !find_equal(&all[before], param)))
				before++;
			if (before == i && is_common(param))
				write_param(param);
		}
}

void protocol_write(FILE *to)
{
	size_t count;
	const struct operation *all = operations(&count);

	out = to;
	write_errors();
	write_dtypes();
	write_precisions();
	write_counters();
	write_common_params(all, count);
	fputs("\n# Methods\n", out);
	for (enum method_class class = 0; class < sizeof classes / sizeof *classes; class ++) {
		fprintf(out, "\n## %s\n", classes[class].title);
		if (!classes[class].sections)
			write_table(all, count, class);
		for (size_t i = 0; i < count; i++)
			if (all[i].class == class && classes[class].sections)
				write_section(&all[i]);
	}
}

void protocol_write_bytes(FILE *to)
{
	size_t count;
	const struct operation *all = operations(&count);

	out = to;
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "\n### %s\n", all[i].name);
		protocol_example(&all[i], true, out);
	}
}
