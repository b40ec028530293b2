/* SPDX-License-Identifier: Apache-2.0 */
/* What every method does with a plan: numpy's conditions on its parameters, and how samples are finished. */
#include "method.h"

#include <float.h>
#include <math.h>
#include <string.h>

int constraint_check(double value, const struct parameter *param, bool of_array)
{
	const enum constraint constraint = param->constraint;
	const char *name = param->name;
	const char *nan = of_array ? "contains NaNs" : "is NaN";

	switch (constraint) {
	case ANY_NUMBER:
		return 0;
	case NON_NEGATIVE:
	case COUNT:
		if (isnan(value) || !signbit(value))
			return 0;
		PyErr_Format(PyExc_ValueError, "%s < 0", name);
		return -1;
	case POSITIVE:
	case POSITIVE_NOT_NAN:
		if (value > 0 || (isnan(value) && constraint == POSITIVE))
			return 0;
		PyErr_Format(PyExc_ValueError, isnan(value) ? "%s must not be NaN" : "%s <= 0", name);
		return -1;
	case PROBABILITY:
		if (value >= 0 && value <= 1)
			return 0;
		PyErr_Format(PyExc_ValueError, "%s < 0, %s > 1 or %s %s", name, name, name, nan);
		return -1;
	case PROBABILITY_NOT_0:
		if (value > 0 && value <= 1)
			return 0;
		PyErr_Format(PyExc_ValueError, "%s <= 0, %s > 1 or %s contains NaNs", name, name, name);
		return -1;
	case PROBABILITY_NOT_1:
		if (value >= 0 && value < 1)
			return 0;
		PyErr_Format(PyExc_ValueError, "%s < 0, %s >= 1 or %s %s", name, name, name, nan);
		return -1;
	case ABOVE_1:
		if (value > 1)
			return 0;
		PyErr_Format(PyExc_ValueError, "%s <= 1 or %s %s", name, name, nan);
		return -1;
	case MEAN_OF_COUNTS:
		if (value >= 0 && value <= 0x1p63 - 0x1p34)
			return 0;
		if (value > 0)
			PyErr_Format(PyExc_ValueError, "%s value too large", name);
		else
			PyErr_Format(PyExc_ValueError, "%s < 0 or %s %s", name, name, nan);
		return -1;
	}
	return 0;
}

/* The variants give the same bytes: fma is exact by instruction and by library. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("fma", "default")))
#endif
static void apply_affine(double *samples, size_t n, double scale, double shift)
{
	for (size_t i = 0; i < n; i++)
		samples[i] = fma(samples[i], scale, shift);
}

void finish_samples(const struct plan *plan, double *samples, size_t n)
{
	switch (plan->finish) {
	case AS_IS:
		break;
	case AFFINE:
		apply_affine(samples, n, plan->scale, plan->shift);
		break;
	case WITHIN:
		apply_affine(samples, n, plan->scale, plan->shift);
		for (size_t i = 0; i < n; i++)
			if (samples[i] >= plan->limit)
				samples[i] = nextafter(plan->limit, -INFINITY);
		break;
	case EXP_OF_INFINITE:
		apply_affine(samples, n, plan->scale, plan->shift);
		for (size_t i = 0; i < n; i++)
			samples[i] = samples[i] < 0 ? 0 : samples[i];
		break;
	case CONSTANT:
		for (size_t i = 0; i < n; i++)
			samples[i] = plan->shift;
		break;
	}
}

/* ---- The engine's own location and scale, for long draws ---- */

const char *engine_name(const struct parameter *param)
{
	return param->engine ? param->engine : param->name;
}

static void add_f64(struct plan *plan, const struct parameter *param, double value)
{
	plan->recipe.params[plan->recipe.n_params++] = trnsci_param_f64(engine_name(param), value);
}

/* The engine takes an exponential's rate: only scales that it gets back exactly from that. */
static bool fuse_rate(const struct parameter *param, struct plan *plan)
{
	const double rate = 1 / plan->scale;

	if (!(rate >= DBL_MIN && rate <= DBL_MAX) || 1 / rate != plan->scale)
		return false;
	add_f64(plan, param, rate);
	return true;
}

void plan_fuse(const struct method *method, struct plan *plan)
{
	const struct parameter *last;

	if (!plan->fusable || plan->finish == AS_IS || !(fabs(plan->shift) <= DBL_MAX) ||
	    !(plan->scale >= 0 && plan->scale <= DBL_MAX))
		return;
	last = &method->params[method->n_params - 1];
	if (strcmp(engine_name(last), "rate") == 0) {
		if (!fuse_rate(last, plan))
			return;
	} else {
		if (method->n_params > 1)
			add_f64(plan, &method->params[0], plan->shift);
		add_f64(plan, last, plan->finish == WITHIN ? plan->limit : plan->scale);
	}
	plan->finish = AS_IS;
}
