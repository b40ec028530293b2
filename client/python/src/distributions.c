/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of method_rows.h: what they draw, and their documents.
 *
 * Location and scale are applied here, by the same fused multiplication as in the engine: so standard samples that were
 * drawn ahead serve every location and scale, arrays of them too, and give the engine's bytes. */
#include "method.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- Plans ---- */

static void set_recipe(struct plan *plan, const char *distribution, enum trnsci_dtype dtype)
{
	plan->recipe.distribution = distribution;
	plan->recipe.dtype = dtype;
	plan->recipe.words = 2;
	plan->recipe.n_params = 0;
	plan->finish = AS_IS;
	plan->scale = 1;
	plan->shift = 0;
	plan->fusable = false;
}

static void set_affine(struct plan *plan, double scale, double shift)
{
	plan->finish = scale == 1 && shift == 0 ? AS_IS : AFFINE;
	plan->scale = scale;
	plan->shift = shift;
}

static void set_constant(struct plan *plan, double value)
{
	set_recipe(plan, "uniform", TRNSCI_F64);
	plan->finish = CONSTANT;
	plan->shift = value;
}

/* Parameters: location and scale, or scale alone. */
static void plan_affine(const struct method *method, const double *params, struct plan *plan)
{
	const int n = method->n_params;

	set_recipe(plan, method->distribution, TRNSCI_F64);
	set_affine(plan, params[n - 1], n > 1 ? params[0] : 0);
	plan->fusable = true;
}

/* Parameters: low, high. */
static void plan_uniform(const struct method *method, const double *params, struct plan *plan)
{
	plan_affine(method, (const double[]){params[0], params[1] - params[0]}, plan);
	plan->limit = params[1];
	plan->fusable = plan->finish == AFFINE && params[1] > params[0];
	if (plan->fusable)
		plan->finish = WITHIN;
}

static bool are_finite(const double *params, int n, unsigned mask)
{
	for (int i = 0; i < n; i++)
		if (mask & P(i) && !isfinite(params[i]))
			return false;
	return true;
}

static bool has_nan(const double *params, int n)
{
	for (int i = 0; i < n; i++)
		if (isnan(params[i]))
			return true;
	return false;
}

/* Plans what the engine does not draw: edges, and NaN where one of the n parameters is infinite or NaN. Returns false where the
 * engine draws. */
static bool plan_edge(const struct method *method, const double *params, int n, struct plan *plan)
{
	for (int i = 0; i < method->n_edges; i++) {
		const struct edge *edge = &method->edges[i];

		if (params[edge->param] == edge->at && !has_nan(params, n) && are_finite(params, n, edge->finite)) {
			set_constant(plan, edge->sample);
			return true;
		}
	}
	if (method->counts || are_finite(params, n, ~0U))
		return false;
	set_constant(plan, NAN);
	return true;
}

static void add_param(struct plan *plan, const struct parameter *param, double value)
{
	struct trnsci_param *to = &plan->recipe.params[plan->recipe.n_params++];

	if (param->constraint == COUNT)
		*to = trnsci_param_u64(engine_name(param), value < 0x1p63 ? (uint64_t)value : UINT64_MAX);
	else
		*to = trnsci_param_f64(engine_name(param), value);
}

/* The parameters are the engine's as they stand. */
static void plan_plain(const struct method *method, const double *params, struct plan *plan)
{
	if (plan_edge(method, params, method->n_params, plan))
		return;
	set_recipe(plan, method->distribution, method->counts ? TRNSCI_I64 : TRNSCI_F64);
	for (int i = 0; i < method->n_params; i++)
		add_param(plan, &method->params[i], params[i]);
}

static void plan_gamma(const struct method *method, const double *params, struct plan *plan)
{
	if (plan_edge(method, params, 1, plan)) {
		plan->shift *= params[1];
		return;
	}
	set_recipe(plan, method->distribution, TRNSCI_F64);
	add_param(plan, &method->params[0], params[0]);
	/* The engine rounds a scaled sample once: only scales that it does not take are applied here. */
	if (fabs(params[1]) > DBL_MAX || isnan(params[1]))
		set_affine(plan, params[1], 0);
	else
		add_param(plan, &method->params[1], params[1]);
}

static void plan_standard_t(const struct method *method, const double *params, struct plan *plan)
{
	if (isinf(params[0]))
		set_recipe(plan, "normal", TRNSCI_F64);
	else
		plan_plain(method, params, plan);
}

/* The logarithm is a normal number of infinite mean or deviation: of its sample only the sign is left, or NaN. */
static void plan_lognormal(const struct method *method, const double *params, struct plan *plan)
{
	if (are_finite(params, 2, ~0U)) {
		plan_plain(method, params, plan);
		return;
	}
	set_recipe(plan, "normal", TRNSCI_F64);
	set_affine(plan, params[1], params[0]);
	plan->finish = EXP_OF_INFINITE;
}

/* Returns the angle in (-pi, pi]; one that lies there as it is. */
static double reduce_angle(double angle)
{
	return fabs(angle) <= M_PI ? angle : atan2(sin(angle), cos(angle));
}

/* Without concentration no place counts, and with much of it all samples are at mu, as numpy has it. */
static void plan_vonmises(const struct method *method, const double *params, struct plan *plan)
{
	const double mu = params[0], kappa = params[1];

	if (isfinite(mu) && isinf(kappa))
		set_constant(plan, reduce_angle(mu));
	else if (!isfinite(mu) && kappa > 1e6)
		set_constant(plan, mu);
	else
		plan_plain(method, (const double[]){isfinite(mu) || kappa >= 1e-8 ? mu : 0, kappa}, plan);
}

static void plan_zipf(const struct method *method, const double *params, struct plan *plan)
{
	plan_plain(method, (const double[]){fmin(params[0], DBL_MAX)}, plan);
}

/* ---- Conditions on several parameters ---- */

static int check_uniform(const double *params, bool of_array)
{
	const double range = params[1] - params[0];

	if (isfinite(range))
		return constraint_check(range, &(const struct parameter){.name = "high - low", .constraint = NON_NEGATIVE}, of_array);
	PyErr_SetString(PyExc_OverflowError,
			of_array ? "Range exceeds valid bounds" : "high - low range exceeds valid bounds");
	return -1;
}

static int check_triangular(const double *params, bool of_array)
{
	const char *wrong = params[0] > params[1]    ? "left > mode"
			    : params[1] > params[2]  ? "mode > right"
			    : params[0] == params[2] ? "left == right"
						     : NULL;

	(void)of_array;
	if (wrong)
		PyErr_SetString(PyExc_ValueError, wrong);
	return wrong ? -1 : 0;
}

static int check_hypergeometric(const double *params, bool of_array)
{
	(void)of_array;
	if (params[0] + params[1] >= params[2])
		return 0;
	PyErr_SetString(PyExc_ValueError, "ngood + nbad < nsample");
	return -1;
}

/* ---- The methods ---- */

#define REQUIRED NAN
#define PARAMS(...) .params = {__VA_ARGS__}, .n_params = sizeof((struct parameter[]){__VA_ARGS__}) / sizeof(struct parameter)
#define EDGES(...) .edges = {__VA_ARGS__}, .n_edges = sizeof((struct edge[]){__VA_ARGS__}) / sizeof(struct edge)
#define METHOD(called, id, engine, does, ...)                                                                          \
	static struct method method_##id = {                                                                     \
		.name = #id, .distribution = engine, .summary = does, __VA_ARGS__};                                    \
	static PyObject *call_##id(METHOD_ARGS)                                                                        \
	{                                                                                                              \
		return called(&method_##id, self, args, n_args, kwnames);                                              \
	}
#define ROW(...) METHOD(method_call, __VA_ARGS__)
#define TYPED(id, engine, does, ...) METHOD(standard_call, id, engine, does, .typed = true, __VA_ARGS__)
#include "method_rows.h"
#undef ROW
#undef TYPED

#define ROW(id, ...) {#id, (PyCFunction)(void (*)(void))call_##id, METH_FASTCALL | METH_KEYWORDS, NULL},
#define TYPED ROW
PyMethodDef distribution_methods[] = {
#include "method_rows.h"
	{NULL, NULL, 0, NULL},
};
#undef ROW

#define ROW(id, ...) &method_##id,
static struct method *const methods[] = {
#include "method_rows.h"
};

/* ---- Documents ---- */

enum { DOCUMENT = 2048 };

/* Appends to a document of at most DOCUMENT bytes. */
__attribute__((format(printf, 2, 3))) static void append(char *document, const char *format, ...)
{
	const size_t n = strlen(document);
	va_list args;

	va_start(args, format);
	vsnprintf(document + n, DOCUMENT - n, format, args);
	va_end(args);
}

static void append_signature(char *document, const struct method *method)
{
	append(document, "%s($self", method->name);
	for (int i = 0; i < method->n_params; i++) {
		append(document, ", %s", method->params[i].name);
		if (!isnan(method->params[i].otherwise))
			append(document, "=%.1f", method->params[i].otherwise);
	}
	append(document, ", size=None%s%s%s)\n--\n\n", method->typed ? ", dtype='float64'" : "",
	       method->takes_method ? ", method='zig'" : "", method->typed ? ", out=None" : "");
}

/* Parameters that nothing is said of stand with the one before. */
static void append_params(char *document, const struct method *method)
{
	const struct parameter *params = method->params;

	append(document, "Parameters\n----------\n");
	for (int i = 0, next; i < method->n_params; i = next) {
		const char *type = params[i].constraint == COUNT ? "int" : "float";

		append(document, "%s", params[i].name);
		for (next = i + 1; next < method->n_params && !params[next].about; next++)
			append(document, ", %s", params[next].name);
		append(document, " : %s or array_like of %ss%s\n    %s\n", type, type,
		       isnan(params[i].otherwise) ? "" : ", optional", params[i].about);
	}
	append(document, "size : int or tuple of ints, optional\n"
			 "    Shape of the result; default: one number, or that of the parameters.\n");
	if (method->typed)
		append(document, "dtype : dtype, optional\n    float64 or float32.\n");
	if (method->takes_method)
		append(document, "method : str, optional\n    Ignored: there is one method, by inversion.\n");
	if (method->typed)
		append(document, "out : ndarray, optional\n    Where the samples go; returned.\n");
}

static void append_example(char *document, const char *example)
{
	const char *end = strchr(example, '\n');

	append(document, "\nExamples\n--------\n>>> import trnsci\n>>> %.*s\n%s\n", (int)(end - example), example, end + 1);
}

static void make_names(struct method *method)
{
	int n = 0;

	for (; n < method->n_params; n++) {
		method->names[n] = method->params[n].name;
		method->n_required += isnan(method->params[n].otherwise);
	}
	method->names[n++] = "size";
	if (method->typed)
		method->names[n++] = "dtype";
	if (method->takes_method)
		method->names[n++] = "method";
	if (method->typed)
		method->names[n++] = "out";
	method->n_names = n;
}

/* Both stay as long as the process: all imports share them. */
int distributions_prepare(void)
{
	char document[DOCUMENT];

	for (size_t i = 0; i < sizeof methods / sizeof *methods && !distribution_methods[i].ml_doc; i++) {
		document[0] = 0;
		append_signature(document, methods[i]);
		append(document, "%s\n\n", methods[i]->summary);
		append_params(document, methods[i]);
		append(document, "\nReturns\n-------\n%s or ndarray\n", methods[i]->counts ? "int" : "float");
		if (methods[i]->notes)
			append(document, "\nNotes\n-----\n%s\n", methods[i]->notes);
		if (methods[i]->example)
			append_example(document, methods[i]->example);
		distribution_methods[i].ml_doc = strdup(document);
		if (!distribution_methods[i].ml_doc) {
			PyErr_NoMemory();
			return -1;
		}
		make_names(methods[i]);
	}
	return 0;
}
