/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling coloured noise: a filter, which is designed before the first run, and normals, which lie in a stream as those of any
 * draw do. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compile/draws/draw.h"
#include "engine/compile/draws/draw_distribution.h"
#include "engine/compile/signal.h"
#include "engine/deferred_reply.h"
#include "engine/steps/filter_cache.h"

#define WIDE_SPAN 1e12 /* 120 dB */

/* The bounds of std, by dtype: blocks' spectra and their products neither overflow nor become denormal. */
static const double least_std[] = {1e-28, 1e-280}, most_std[] = {1e28, 1e280};

/* A filter of a plan, in its bump allocator, and how it is made where the cache has none. */
struct deferred_filter {
	struct deferred_build build; /* must be the first member: build_filter casts back to us */
	struct filters *filters;
	struct filter_entry *entry; /* a use of it */
	struct colored_builder builder;
	char *context; /* with which an error begins */
};

/* ---- what was asked for ---- */

/* Returns how many of the ways to give a density are given, and the last of them. */
static unsigned find_given(const struct compiler *c, unsigned *ret_param)
{
	static const unsigned ways[] = {COLORED_COLOR, COLORED_EXPONENT, COLORED_PSD, COLORED_TAPS};
	unsigned n = 0;

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (c->args.at[ways[i]].given) {
			*ret_param = ways[i];
			n++;
		}
	return n;
}

/* Refuses what the way to give a density leaves no place for. */
static void refuse(struct compiler *c, unsigned param, unsigned beside)
{
	if (c->args.at[param].given)
		compile_param_error(c, param, ERROR_OUT_OF_RANGE, "given beside %s, allowed without it",
				    c->args.operation->params[beside].name);
}

/* Copies a list to memory of its own, which *ret_table owns also when there is an error. Returns how many numbers it has. */
static size_t copy_list(struct compiler *c, unsigned param, size_t most, double **ret_table)
{
	struct list list = {.n = 0};

	compile_list(c, param, &list);
	if (!c->error && (list.n == 0 || list.n > most))
		compile_param_error(c, param, ERROR_OUT_OF_RANGE, "got %zu numbers, allowed is 1 to %zu", list.n, most);
	if (!c->error && !list.own) {
		list.own = malloc(list.n * sizeof *list.own);
		if (list.own)
			memcpy(list.own, list.at, list.n * sizeof *list.own);
		else
			compile_no_memory(c);
	}
	*ret_table = list.own;
	return c->error ? 0 : list.n;
}

static bool is_number(double x)
{
	return x == 0 || (fabs(x) >= COLORED_LEAST && fabs(x) <= COLORED_GREATEST);
}

/* Taps: finite, and not all 0. */
static void read_taps(struct compiler *c, struct colored_design *design, double **ret_table)
{
	bool any = false;

	design->kind = COLORED_BY_TAPS;
	design->n_table = copy_list(c, COLORED_TAPS, COLORED_MOST_TAPS, ret_table);
	for (size_t i = 0; i < design->n_table; i++) {
		if (!is_number((*ret_table)[i]))
			compile_param_error(c, COLORED_TAPS, ERROR_OUT_OF_RANGE,
					    "tap %zu is %g, allowed is 0 and magnitudes of %g to %g", i, (*ret_table)[i],
					    COLORED_LEAST, COLORED_GREATEST);
		any |= (*ret_table)[i] != 0;
	}
	if (!any)
		compile_param_error(c, COLORED_TAPS, ERROR_OUT_OF_RANGE, "all taps are 0, allowed is one or more that is not");
	design->length = design->n_table;
}

/* A pair of a table: its frequency is above the one before, its density not negative. */
static void check_pair(struct compiler *c, const double *table, size_t i)
{
	const double f = table[2 * i], p = table[2 * i + 1];

	if (!is_number(f) || f < 0 || (i > 0 && !(f > table[2 * i - 2])))
		compile_param_error(c, COLORED_PSD, ERROR_OUT_OF_RANGE,
				    "frequency %zu is %g, allowed are numbers from 0 on, each above the one before", i, f);
	if (!is_number(p) || p < 0)
		compile_param_error(c, COLORED_PSD, ERROR_OUT_OF_RANGE, "density %zu is %g, allowed is 0, and %g to %g", i, p,
				    COLORED_LEAST, COLORED_GREATEST);
}

static void read_psd(struct compiler *c, struct colored_design *design, double **ret_table)
{
	const size_t n = copy_list(c, COLORED_PSD, 2 * COLORED_MOST_TAPS, ret_table);
	bool any = false;

	design->kind = COLORED_BY_PSD;
	design->n_table = n / 2;
	if (n % 2)
		compile_param_error(c, COLORED_PSD, ERROR_OUT_OF_RANGE,
				    "got %zu numbers, allowed is an even number: a frequency, its density, the next frequency ...",
				    n);
	for (size_t i = 0; i < n / 2; i++) {
		check_pair(c, *ret_table, i);
		any |= (*ret_table)[2 * i + 1] > 0;
	}
	if (!any)
		compile_param_error(c, COLORED_PSD, ERROR_OUT_OF_RANGE, "all densities are 0, allowed is one or more above 0");
}

/* A length that is long enough for flat_below, and flat_below. */
static void read_exponent(struct compiler *c, struct colored_design *design)
{
	static const double colors[] = {0, 1, 2, -1, -2};
	const struct arg *at = c->args.at;
	const double least = design->fs / COLORED_MOST_TAPS, most = design->fs / 2;

	design->kind = COLORED_BY_EXPONENT;
	design->exponent = at[COLORED_EXPONENT].given ? at[COLORED_EXPONENT].f64 : colors[at[COLORED_COLOR].choice];
	design->flat_below = at[COLORED_FLAT_BELOW].given ? at[COLORED_FLAT_BELOW].f64 : 0;
	if (!at[COLORED_FLAT_BELOW].given)
		return;
	if (design->flat_below < least || design->flat_below > most)
		compile_param_error(c, COLORED_FLAT_BELOW, ERROR_OUT_OF_RANGE, "got %g, allowed is fs / 2^20 to fs / 2 = %g to %g",
				    design->flat_below, least, most);
	while (!at[COLORED_LENGTH].given && !c->error && (double)design->length * design->flat_below < design->fs)
		design->length *= 2;
	if ((double)design->length * design->flat_below < design->fs * (1 - 0x1p-40))
		compile_param_error(c, COLORED_FLAT_BELOW, ERROR_OUT_OF_RANGE,
				    "got %g, allowed for %" PRIu64 " taps is fs / length = %g and up", design->flat_below,
				    design->length, design->fs / (double)design->length);
}

/* The band is at least as wide as what the filter resolves. */
static void read_band(struct compiler *c, struct colored_design *design)
{
	double *band = NULL;
	size_t n;

	design->low = 0;
	design->high = design->fs / 2;
	if (!c->args.at[COLORED_BAND].given)
		return;
	n = copy_list(c, COLORED_BAND, 2, &band);
	if (n == 2 && band[0] >= 0 && band[1] <= design->fs / 2 && band[1] - band[0] >= design->fs / (double)design->length) {
		design->low = band[0];
		design->high = band[1];
	} else {
		compile_param_error(c, COLORED_BAND, ERROR_OUT_OF_RANGE,
				    "allowed are two frequencies from 0 to fs / 2 = %g, the second above the first by fs / length "
				    "= %g or more",
				    design->fs / 2, design->fs / (double)design->length);
	}
	free(band);
}

/* The std that is asked for. 0: that of the table. */
static void read_std(struct compiler *c, enum dtype dtype, struct colored_design *design)
{
	const struct arg *at = c->args.at;
	const unsigned param = at[COLORED_DENSITY].given ? COLORED_DENSITY : COLORED_STD;

	design->least_std = least_std[dtype == DTYPE_F64];
	design->most_std = most_std[dtype == DTYPE_F64];
	if (param == COLORED_DENSITY)
		refuse(c, COLORED_STD, COLORED_DENSITY);
	if (param == COLORED_DENSITY)
		design->std = sqrt(at[COLORED_DENSITY].f64) * sqrt(design->high - design->low);
	else
		design->std = at[COLORED_STD].given ? at[COLORED_STD].f64 : design->kind == COLORED_BY_EXPONENT;
	if (design->std == 0 && !at[COLORED_STD].given && param == COLORED_STD)
		return;
	if (!(design->std >= design->least_std && design->std <= design->most_std))
		compile_param_error(c, param, ERROR_OUT_OF_RANGE, "the noise's std is %g, allowed for %s is %g to %g", design->std,
				    dtype_name(dtype), design->least_std, design->most_std);
}

/* Reads and checks all parameters. *ret_table is owned by the caller, also when there is an error. */
static struct colored_design read_design(struct compiler *c, enum dtype dtype, double **ret_table)
{
	static const unsigned designed[] = {COLORED_BAND, COLORED_LENGTH, COLORED_FLAT_BELOW};
	const struct arg *at = c->args.at;
	struct colored_design design = {.fs = at[COLORED_FS].f64,
					.length = at[COLORED_LENGTH].given ? at[COLORED_LENGTH].u64 : COLORED_FEW_TAPS};
	unsigned param = COLORED_COLOR;

	if (find_given(c, &param) > 1) {
		compile_param_error(c, param, ERROR_OUT_OF_RANGE,
				    "given beside another, allowed is one of color, exponent, psd and taps");
		return design;
	}
	for (size_t i = param == COLORED_TAPS ? 0 : 2; param >= COLORED_PSD && i < 3; i++)
		refuse(c, designed[i], param);
	if (param == COLORED_TAPS)
		read_taps(c, &design, ret_table);
	else if (param == COLORED_PSD)
		read_psd(c, &design, ret_table);
	else
		read_exponent(c, &design);
	if (c->error)
		return design;
	if (design.kind == COLORED_BY_EXPONENT && design.flat_below == 0)
		design.flat_below = design.fs / (double)design.length;
	design.table = *ret_table;
	read_band(c, &design);
	read_std(c, dtype, &design);
	return design;
}

/* ---- the filter ---- */

static void free_filter(void *arg)
{
	struct deferred_filter *f = arg;

	colored_builder_free(&f->builder);
	filters_give(f->filters, f->entry);
}

/* Builds the next piece. A density or taps of its own are the only ones whose std is not known before. */
static int build_filter(struct deferred_build *build, struct error *err)
{
	struct deferred_filter *f = (struct deferred_filter *)build;
	const char *name = f->entry->design.kind == COLORED_BY_TAPS ? "taps" : "psd";
	const int more = colored_builder_step(&f->builder);
	const double std = f->entry->filter.std; /* which the step may have found */

	if (more < 0 && std == 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: %s: the density is 0 in all of the band, allowed is one above 0",
				 f->context, name);
	if (more < 0)
		return error_set(err, ERROR_OUT_OF_RANGE,
				 "%s: %s: the noise's std is %g, allowed is %g to %g: give std or density", f->context, name, std,
				 f->builder.design.least_std, f->builder.design.most_std);
	if (more == 0) {
		colored_builder_free(&f->builder);
		filters_keep(f->filters, f->entry);
	}
	return more;
}

/* Starts a filter, which the run's deferred builds make. Takes the table over, also when there is no memory. */
static int begin_filter(struct compiler *c, const struct colored_design *design, bool is_wide, double *table,
			struct deferred_filter *f)
{
	struct deferred_builds *deferred = &c->first_run->bound.deferred;
	struct filter_entry *entry = calloc(1, sizeof *entry);

	if (!entry || colored_builder_begin(design, is_wide, &f->builder, &entry->filter)) {
		free(entry);
		free(table);
		return -ERROR_NO_MEMORY;
	}
	entry->design = *design;
	entry->table = table;
	entry->uses = 1;
	f->entry = entry;
	deferred->held_bytes += entry->filter.block * (is_wide ? sizeof(double) : sizeof(float));
	if (f->builder.work_bytes > deferred->work_bytes)
		deferred->work_bytes = f->builder.work_bytes;
	deferred_build_add(deferred, &f->build);
	return 0;
}

/* Takes the filter of a design, or starts it. Takes the table over. Returns NULL when an error stands. */
static const struct colored_filter *make_filter(struct compiler *c, const struct colored_design *design, enum dtype dtype,
						double *table)
{
	struct filters *filters = c->plan->session->engine->filters;
	struct bump *bump = c->plan->bump;
	struct deferred_filter *f = c->error ? NULL : bump_alloc(bump, sizeof *f);
	char *context = f ? bump_copy(bump, c->args.context, strlen(c->args.context)) : NULL;
	int error = context ? 0 : -ERROR_NO_MEMORY;
	bool is_wide;

	if (error) {
		free(table);
		compile_no_memory(c);
		return NULL;
	}
	is_wide = dtype == DTYPE_F64 || design->kind == COLORED_BY_TAPS || !(colored_span(design) <= WIDE_SPAN);
	*f = (struct deferred_filter){.build = {.piece = build_filter}, .filters = filters, .context = context};
	f->entry = filters_take(filters, design, is_wide);
	if (f->entry)
		free(table);
	else
		error = begin_filter(c, design, is_wide, table, f);
	if (!error && bump_defer(bump, free_filter, f)) {
		free_filter(f);
		error = -ERROR_NO_MEMORY;
	}
	if (error)
		compile_no_memory(c);
	return error ? NULL : &f->entry->filter;
}

/* ---- the signal of a named stream ---- */

/* Asks the session's owner whether the draw's named stream is one signal. Returns NULL if it is none. */
static const struct named_signal *find_signal(struct compiler *c)
{
	const struct session_owner *owner = &c->plan->session->limits;
	const struct value *name = c->stream_name;
	struct bump *bump = c->plan->bump;
	struct named_signal *signal;
	struct stream *stream;
	struct value *noise;

	if (!name || c->error || !owner->deferred || !owner->deferred->find_noise)
		return c->signal;
	signal = bump_alloc(bump, sizeof *signal);
	stream = bump_alloc(bump, sizeof *stream);
	noise = bump_alloc(bump, sizeof *noise);
	if (!signal || !stream || !noise) {
		compile_no_memory(c);
		return NULL;
	}
	compile_fail(c, owner->deferred->find_noise(owner->deferred_arg, name->bytes.at, name->bytes.size, c->args.context, bump,
						    stream, noise, c->err));
	*signal = (struct named_signal){noise, stream};
	return c->error || noise->kind != VALUE_MAP ? NULL : signal;
}

/* Binds what the signal was created with, and gives its dtype and filter to a draw that states none. Returns the first parameter
 * of a filter that the draw states; 0: none. */
static unsigned adopt_signal(struct compiler *c, const struct named_signal *of, bool has_out, struct args *signal)
{
	const unsigned n = (unsigned)c->args.operation->n_params;
	unsigned stated = DRAW_COMMON;

	signal->operation = c->args.operation;
	signal->context = c->args.context;
	signal->in_program = true; /* skips op */
	signal->names_stream = false;
	compile_fail(c, bind_args(signal, of->noise, c->err));
	if (c->error)
		return 0;
	if (!c->args.at[DRAW_DTYPE].given && !has_out)
		c->args.at[DRAW_DTYPE] = signal->at[DRAW_DTYPE];
	while (stated < n && !c->args.at[stated].given)
		stated++;
	if (stated < n)
		return stated;
	memcpy(&c->args.at[DRAW_COMMON], &signal->at[DRAW_COMMON], (n - DRAW_COMMON) * sizeof *signal->at);
	return 0;
}

/* Refuses a dtype and a filter that are not those of the signal. stated: a parameter of the filter; 0: it is the signal's. */
static void check_signal(struct compiler *c, struct args *signal, enum dtype dtype, unsigned stated,
			 const struct colored_design *design)
{
	const enum dtype own = bind_dtype(signal, DRAW_DTYPE);
	struct colored_design other;
	struct args given;
	double *table = NULL;

	if (dtype != own)
		compile_param_error(c, DRAW_DTYPE, ERROR_OUT_OF_RANGE, "got %s, allowed is %s: the named stream is one signal",
				    dtype_name(dtype), dtype_name(own));
	if (!stated || c->error)
		return;
	given = c->args;
	c->args = *signal;
	other = read_design(c, dtype, &table);
	c->args = given;
	if (!colored_design_equal(design, &other))
		compile_param_error(c, stated, ERROR_OUT_OF_RANGE,
				    "not the filter of the named stream, which is one signal; allowed is none, or the one that it "
				    "was created with");
	free(table);
}

/* ---- the draw ---- */

/* The reply's std and deviation are written when they are known. */
static void put_filter(struct compiler *c, const struct colored_design *design, int placement)
{
	compile_put(c, "length", value_uint(design->length));
	compile_put(c, "flat_below", design->kind == COLORED_BY_EXPONENT ? value_real(design->flat_below) : value_nil());
	compile_add_field(c, FIELD_RESULTS, placement);
	compile_put(c, "std", value_nil());
	compile_put(c, "deviation", value_nil());
}

/* Noise that has been checked: a filter, and which samples of which stream. */
struct checked_noise {
	struct colored_design design;
	const struct colored_filter *filter;
	const struct named_signal *signal; /* that it is a part of; NULL */
	struct draw draw; /* the normals */
	struct draw_extent extent;
	int placement;
};

/* Checks the bound draw, and notes its filter and its placement. out: that `out` names. like: the shape to fill where there is no
 * out. Both may be NULL. */
static void check_noise(struct compiler *c, const struct buffer *out, const struct shape *like, struct checked_noise *n)
{
	double *table = NULL;
	struct args signal;
	unsigned stated = 0;

	*n = (struct checked_noise){.draw = {.distribution = DIST_NORMAL}};
	if (c->error) /* perhaps nothing is bound */
		return;
	n->signal = find_signal(c);
	if (n->signal)
		stated = adopt_signal(c, n->signal, out, &signal);
	n->draw.dtype = compile_draw_dtype(c, DIST_NORMAL, out);
	if (n->draw.dtype != DTYPE_F32 && n->draw.dtype != DTYPE_F64)
		compile_param_error(c, DRAW_OUT, ERROR_BAD_SHAPE, "the tile is of dtype %s, allowed is f32|f64",
				    dtype_name(n->draw.dtype));
	n->design = read_design(c, n->draw.dtype, &table);
	if (n->signal && !c->error)
		check_signal(c, &signal, n->draw.dtype, stated, &n->design);
	n->filter = make_filter(c, &n->design, n->draw.dtype, table);
	n->extent = compile_extent(c, n->draw.dtype, 1, out ? &out->shape : like);
	if (!c->error)
		n->placement =
			compile_place_draw(c, &n->draw, &n->extent, n->design.length - 1, n->signal ? n->signal->stream : NULL);
}

static void add_step(struct compiler *c, const struct checked_noise *n, struct buffer *out)
{
	const int transform = signal_plan(c, n->filter->block, n->filter->is_wide, true);
	struct step *step = compile_add_step(c, STEP_COLORED, NULL, out);

	step->placement = n->placement;
	step->transform = transform;
	step->n_transforms = 1;
	step->colored.filter = n->filter;
	put_filter(c, &n->design, n->placement);
	if (n->signal && n->signal != c->signal) /* a producer's is the caller's memory, and nobody reads its reply */
		compile_put(c, "noise", *n->signal->noise);
}

void compile_colored(struct compiler *c)
{
	struct buffer *out = compile_given_output(c, DRAW_OUT);
	struct checked_noise n;

	check_noise(c, out, NULL, &n);
	out = compile_output_to(c, DRAW_OUT, out, &n.extent.shape);
	if (c->error)
		return;
	add_step(c, &n, out);
	compile_reply(c, DRAW_OUT, out);
	compile_put_placement(c, n.placement);
}

struct buffer *compile_colored_like(struct compiler *c, const struct shape *shape)
{
	struct shape like = {.dtype = shape->dtype, .ndim = 1, .dims = {shape->n}};
	struct buffer *out = compile_add_temp(c, shape);
	struct checked_noise n;

	shape_finish(&like);
	check_noise(c, NULL, &like, &n);
	if (c->error)
		return out;
	add_step(c, &n, out);
	compile_put_shape(c, &n.extent.shape);
	compile_put_placement(c, n.placement);
	return out;
}
