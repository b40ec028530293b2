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

/* The kinds of methods. The example of a kind's `shown` method is in bytes, the only one of the kind. `sections`: each method
 * has a section of its own, because there is much to say of it; otherwise it has one row of the kind's table. `replies`: the
 * replies of the kind's methods have little in common, so the row shows each. */
static const struct class_text {
	const char *title, *shown;
	bool sections, replies;
} classes[] = {
	[METHOD_SESSION] = {"Of the session", "arena", false, true},
	[METHOD_SERVICE] = {"Of the service", "version", false, true},
	[METHOD_STREAM] = {"Of named streams", "stream_draw", false, false},
	[METHOD_PROGRAM] = {"Programs", "run", true, false},
	[METHOD_DRAW] = {"Draws", "normal", false, false},
	[METHOD_POINTS] = {"Points", "sobol", false, false},
	[METHOD_ELEMENTWISE] = {"Element-wise operations", "scale", false, false},
	[METHOD_TRANSFORM] = {"Transforms", "fft", true, false},
	[METHOD_SIGNAL] = {"Signals", "window", true, false},
};

/* ------- examples ------- */

static void write_example(enum method_class class)
{
	fputs("\n```\n", out);
	protocol_example(operation_find(classes[class].shown, strlen(classes[class].shown)), out);
	fputs("```\n", out);
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
static bool has_range(const struct param *param)
{
	return !param->choices && (param->min != 0 || param->max != 0);
}

static void write_range(const struct param *param)
{
	const bool open = param->max == 0 || param->max == DBL_MAX || param->max == 0x1p64;

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
	else if (has_range(param))
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
	const bool shown = strcmp(classes[operation->class].shown, operation->name) == 0;

	fprintf(out, "\n### %s\n\n%s.%s%s Common: ", operation->name, operation->help, *operation->details ? " " : "",
		operation->details);
	write_common(operation);
	fputs(".", out);
	write_models(operation);
	write_own(operation);
	if (shown && protocol_has_own_bytes(operation->name))
		fputs("\nThe result's bytes are those of the scalar kernels (`TRNSCI_CPU=scalar`), see *Same bytes*.\n", out);
	if (shown)
		write_example(operation->class);
}

/* ------- methods in one table ------- */

/* Whether the parameter stands before the table of methods: every method of the class has it, or one of its name in its place. */
static bool is_of_class(const struct param *param, enum method_class class)
{
	size_t count;
	const struct operation *all = operations(&count);

	for (size_t i = 0; i < count; i++)
		if (all[i].class == class && !find_equal(&all[i], param) &&
		    (!is_common(param) || !operation_param(&all[i], param->name, strlen(param->name))))
			return false;
	return true;
}

/* "`scale` (f64, default 1, 0 and up): scale of the distribution", as described_parameters() of tests/e2e reads it. */
static void write_inline_param(const struct param *param)
{
	fprintf(out, "`%s` (%s%s%s", param->name, param_type_name(param->type), *param->unit ? " " : "", param->unit);
	if (param->choices) {
		fputs(": ", out);
		write_cell(param->choices);
	}
	if (!param->fallback)
		fputs(", required", out);
	else if (*param->fallback)
		fprintf(out, ", default %s", param->fallback);
	if (has_range(param)) {
		fputs(", ", out);
		write_range(param);
	}
	fputs("): ", out);
	write_cell(param->help);
}

/* A method's parameters but those of all methods of its class, each on a line of the cell: its own in full, common ones by name. */
static void write_row_params(const struct operation *operation)
{
	const char *before = "";

	for (size_t i = 0; i < operation->n_params; i++) {
		const struct param *param = &operation->params[i];

		if (is_of_class(param, operation->class))
			continue;
		fputs(before, out);
		if (is_common(param))
			fprintf(out, "`%s`", param->name);
		else
			write_inline_param(param);
		before = "<br>";
	}
}

static void write_row(const struct operation *operation)
{
	const bool replies = classes[operation->class].replies;

	fprintf(out, "| %s | %s.%s%s | ", operation->name, operation->help, *operation->details ? " " : "", operation->details);
	write_row_params(operation);
	if (replies) {
		fputs(" | ", out);
		protocol_reply(operation, out);
	}
	fputs(" |\n", out);
}

/* "Every one has `out`, `timeout_ms`, and": the parameters of all methods of the class. */
static void write_class_params(const struct operation *first)
{
	const char *before = "\nEvery one has ";
	bool own = false;

	for (size_t i = 0; i < first->n_params; i++) {
		const struct param *param = &first->params[i];

		if (!is_of_class(param, first->class) || (is_common(param) && strcmp(param->name, "u64") == 0))
			continue;
		if (is_common(param)) {
			fprintf(out, "%s`%s`", before, param->name);
			before = ", ";
		} else {
			own = true;
		}
	}
	if (*before == ',')
		fputs(own ? ", and these:\n" : ".\n", out);
	if (own)
		fputs("\n| " HEADING "|" RULE, out);
	for (size_t i = 0; i < first->n_params; i++)
		if (is_of_class(&first->params[i], first->class) && !is_common(&first->params[i]))
			write_param(&first->params[i]);
}

static void write_table(const struct operation *all, size_t count, enum method_class class)
{
	const struct operation *first = all;

	while (first->class != class)
		first++;
	write_class_params(first);
	fprintf(out, "\n| method | meaning | parameters |%s\n|---|---|---|%s\n", classes[class].replies ? " reply |" : "",
		classes[class].replies ? "---|" : "");
	for (size_t i = 0; i < count; i++)
		if (all[i].class == class)
			write_row(&all[i]);
	write_example(class);
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
	      "nearer to 1 than the dtype resolves is exactly 1.\n",
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
		protocol_example(&all[i], out);
	}
}
