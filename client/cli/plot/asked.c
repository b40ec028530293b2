/* SPDX-License-Identifier: Apache-2.0 */
/* The density is computed from its definition, not from the engine's filter, so that a picture compares the two. */
#include "asked.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_TAPS = 4096, INTEGRAL_POINTS = 1 << 18 };

static const char *const ways[] = {"color", "exponent", "psd", "taps"};

bool asked_is_given(const struct options *options)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (options_get(options, ways[i]))
			return true;
	return false;
}

/* Returns the parameter of that name, or NULL. */
static const struct trnsci_param *find(const struct asked *asked, const char *name)
{
	for (const struct trnsci_param *param = asked->params; param->name; param++)
		if (strcmp(param->name, name) == 0)
			return param;
	return NULL;
}

static double number_of(const struct asked *asked, const char *name, double otherwise)
{
	const struct trnsci_param *param = find(asked, name);

	return param ? param->value.f64 : otherwise;
}

static void read_exponent(struct asked *asked)
{
	static const struct {
		const char *name;
		double exponent;
	} colors[] = {{"white", 0}, {"pink", 1}, {"brown", 2}, {"blue", -1}, {"violet", -2}};
	const struct trnsci_param *color = find(asked, "color"), *exponent = find(asked, "exponent");

	asked->exponent = number_of(asked, "exponent", 1);
	for (size_t i = 0; color && i < sizeof colors / sizeof *colors; i++)
		if (strcmp(color->value.text, colors[i].name) == 0)
			asked->exponent = colors[i].exponent;
	asked->flat_below = number_of(asked, "flat_below", asked->rate / DEFAULT_TAPS);
	if (exponent)
		snprintf(asked->text, sizeof asked->text, "exponent %.6g", asked->exponent);
	else
		snprintf(asked->text, sizeof asked->text, "%.30s", color ? color->value.text : "pink");
}

/* ---- densities before the gain ---- */

/* |H(f)|^2 of the taps, twice, since the density is one-sided. */
static double density_of_taps(const struct asked *asked, double f)
{
	double re = 0, im = 0;

	for (size_t i = 0; i < asked->n_table; i++) {
		const double angle = 2 * M_PI * fmod((double)i * (f / asked->rate), 1);

		re += asked->table[i] * cos(angle);
		im += asked->table[i] * sin(angle);
	}
	return 2 * (re * re + im * im) / asked->rate;
}

/* Interpolates in logarithms; the ends go on flat, and beside a 0 there is nothing. */
static double density_of_table(const struct asked *asked, double f)
{
	const double *at = asked->table;
	const size_t n = asked->n_table / 2;
	size_t i = 0;

	while (i < n && at[2 * i] < f)
		i++;
	if (i == 0 || i == n)
		return at[i == 0 ? 1 : 2 * n - 1];
	if (at[2 * i] == f)
		return at[2 * i + 1];
	const double from = at[2 * i - 2], to = at[2 * i], low = at[2 * i - 1], high = at[2 * i + 1];
	const double t = from > 0 ? log(f / from) / log(to / from) : f / to;

	return low == 0 || high == 0 ? 0 : low * pow(high / low, t);
}

static double density_at(const struct asked *asked, double f)
{
	if (f < asked->low || f > asked->high)
		return 0;
	if (asked->taps)
		return density_of_taps(asked, f);
	return asked->psd ? density_of_table(asked, f) : pow(fmax(f, asked->flat_below), -asked->exponent);
}

/* Integrates over the band by midpoints. */
static double power_of(const struct asked *asked)
{
	const size_t n = asked->taps ? 16 * asked->n_table : INTEGRAL_POINTS;
	const double step = (asked->high - asked->low) / (double)n;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += density_at(asked, asked->low + ((double)i + 0.5) * step);
	return sum * step;
}

/* ---- reading ---- */

int asked_read(const struct options *options, double rate, double own_std, struct asked *ret)
{
	const struct trnsci_param *band, *density;
	double std;
	int code;

	*ret = (struct asked){.rate = rate, .high = rate / 2, .gain = 1};
	code = options_list_parameters(options, "colored", " seed stream generator fs length ", ret->params, ret->numbers);
	if (code != EXIT_OK)
		return code;
	ret->psd = find(ret, "psd");
	ret->taps = find(ret, "taps");
	if (ret->psd || ret->taps) {
		ret->table = (ret->psd ? ret->psd : ret->taps)->value.data;
		ret->n_table = (ret->psd ? ret->psd : ret->taps)->count;
		snprintf(ret->text, sizeof ret->text, ret->psd ? "psd" : "taps");
	} else {
		read_exponent(ret);
	}
	band = find(ret, "band");
	if (band && band->count == 2) {
		ret->low = ((const double *)band->value.data)[0];
		ret->high = ((const double *)band->value.data)[1];
	}
	density = find(ret, "density");
	std = density ? sqrt(density->value.f64 * (ret->high - ret->low)) : number_of(ret, "std", own_std);
	if (std == 0 && !ret->psd && !ret->taps)
		std = 1;
	if (std > 0)
		ret->gain = std * std / power_of(ret);
	return EXIT_OK;
}

double asked_density(const struct asked *asked, double frequency)
{
	return asked->gain * density_at(asked, frequency);
}
