/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling quasi-random points: which points of which set, under which scrambling.
 *
 * A request names points [offset, offset + n) of a set; rank r of P makes its part of these, by whole points. The
 * result has shape (points of the part, d). */
#include <inttypes.h>
#include <string.h>

#include "engine/compile/compiler.h"
#include "distributions/quasi/latin_hypercube.h"

/* Finds the scrambling that was chosen. Each operation's row lists only those that its kind has, so a choice is looked
 * up by its name. */
static enum points_scramble find_scramble(const struct compiler *c)
{
	static const char *const names[] = {
		[SCRAMBLE_PLAIN] = "none",    [SCRAMBLE_OWEN] = "owen",
		[SCRAMBLE_SHIFT] = "shift",   [SCRAMBLE_PERMUTATION] = "permutation",
		[SCRAMBLE_JITTER] = "jitter",
	};
	const struct value text = bind_choice_text(&c->args.operation->params[POINTS_SCRAMBLING],
						   c->args.at[POINTS_SCRAMBLING].choice);

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (value_is_text(&text, names[i]))
			return (enum points_scramble)i;
	return SCRAMBLE_PLAIN;
}

/* Finds dtype and d, and returns n. A tile of `out` gives its dtype where none was stated, and its points where n is
 * missing. */
static uint64_t find_size(struct compiler *c, struct points_settings *settings, const struct buffer *out)
{
	const struct arg *at = c->args.at;

	settings->dtype = bind_dtype(&c->args, POINTS_DTYPE);
	if (out && !at[POINTS_DTYPE].given)
		settings->dtype = out->shape.dtype;
	if (settings->dtype != DTYPE_F32 && settings->dtype != DTYPE_F64)
		compile_param_error(c, POINTS_OUT, ERROR_BAD_SHAPE, "the tile is of dtype %s, allowed is f32|f64",
				    dtype_name(settings->dtype));
	settings->dims = (uint32_t)at[POINTS_D].u64;
	if (at[POINTS_N].given)
		return at[POINTS_N].u64;
	if (out && at[POINTS_SIZE].u64 == 1)
		return out->shape.n / settings->dims;
	compile_param_error(c, POINTS_N, ERROR_MISSING_PARAMETER, "missing: give n, the points of the whole set%s",
			    out ? "" : ", or the tile out");
	return 0;
}

/* Checks that the points lie in their set, whose numbers have bits for only so many. */
static void check_end(struct compiler *c, const struct points_settings *settings, uint64_t first, uint64_t n)
{
	const uint64_t limit = points_limit(settings);

	if (first > limit || n > limit - first)
		compile_param_error(c, POINTS_N, ERROR_END_OF_STREAM,
				    "%" PRIu64 " points from point %" PRIu64 ", allowed is to end by point %" PRIu64, n,
				    first, limit);
}

/* What the step states itself of the stream that scrambles the set; inside a program the rest is the program's. */
static struct stream_choice own_choice(const struct compiler *c, uint64_t offset)
{
	const struct arg *own = c->args.at;
	const bool all = !c->run;

	return (struct stream_choice){
		.has_generator = all || own[POINTS_GENERATOR].given,
		.has_seed = all || own[POINTS_SEED].given,
		.has_stream = all || own[POINTS_STREAM].given,
		.has_text = all || own[POINTS_U64].given,
		.generator = own[POINTS_GENERATOR].choice,
		.seed = own[POINTS_SEED].u64,
		.stream = own[POINTS_STREAM].u64,
		.text = own[POINTS_U64].choice != 0,
		.offset = offset,
	};
}

/* Adds the step, and returns the index of its placement. The set itself is made when its key is known: a run can change seed and stream. */
static int add_step(struct compiler *c, const struct points_settings *settings, uint64_t offset, uint64_t begin,
		     uint64_t n, struct buffer *out)
{
	const struct placement placement = {
		.operation = c->args.operation,
		.context = c->run ? c->run->context : c->args.context,
		.step_name = c->step_name,
		.step = c->run ? (int)c->step : -1,
		.is_points = true,
		.is_keyless = settings->scramble == SCRAMBLE_PLAIN,
		.own = own_choice(c, offset),
		.begin = begin,
		.n = n,
		.most_points = points_limit(settings),
	};
	struct step *step = compile_add_step(c, STEP_POINTS, NULL, out);

	step->placement = compile_add_placement(c, &placement);
	step->points.settings = *settings;
	return step->placement;
}

/* Compiles any of the four sets. A Latin hypercube is designed for its n points, so its set depends on n; the others
 * are sequences, of which n points from `offset` on are taken. */
static void compile_points(struct compiler *c, enum points_kind kind)
{
	const struct arg *at = c->args.at;
	const bool design = kind == POINTS_LHS;
	const uint64_t offset = design ? 0 : at[POINTS_OFFSET].u64; /* a Latin hypercube is one set: it has no offset */
	struct points_settings settings = {.kind = kind, .bits = 53, .scramble = find_scramble(c)};
	struct buffer *given = compile_given_output(c, POINTS_OUT), *out;
	const uint64_t n = find_size(c, &settings, given);
	struct shape shape = {.dtype = settings.dtype, .ndim = 2};
	uint64_t begin, end;
	int placement;

	if (design && n >> LATIN_HYPERCUBE_LOG2_POINTS > 0 && n != UINT64_C(1) << LATIN_HYPERCUBE_LOG2_POINTS)
		compile_param_error(c, POINTS_N, ERROR_OUT_OF_RANGE, "got %" PRIu64 ", allowed is 0 to 2^32", n);
	if (kind == POINTS_SOBOL)
		settings.bits = at[POINTS_BITS].choice == 0 ? 53 : 32;
	if (design)
		settings.method = at[POINTS_METHOD].choice == 0 ? LHS_PERMUTATION : LHS_FEISTEL8;
	settings.n = design ? n : 0;
	if (at[POINTS_RANK].u64 >= at[POINTS_SIZE].u64)
		compile_param_error(c, POINTS_RANK, ERROR_OUT_OF_RANGE, "got %" PRIu64 ", allowed is 0 to size - 1 = %" PRIu64,
				    at[POINTS_RANK].u64, at[POINTS_SIZE].u64 - 1);
	if (c->error)
		return;
	check_end(c, &settings, offset, n);
	if (!design)
		settings.n = offset + n;
	stream_rank_part(n, at[POINTS_RANK].u64, at[POINTS_SIZE].u64, &begin, &end);
	shape.dims[0] = end - begin;
	shape.dims[1] = settings.dims;
	if (!shape_finish(&shape))
		compile_param_error(c, POINTS_N, ERROR_OUT_OF_RANGE, "more than 2^62 bytes, allowed are fewer");
	out = compile_output_to(c, POINTS_OUT, given, &shape);
	placement = add_step(c, &settings, offset, begin, n, out);
	compile_reply(c, POINTS_OUT, out);
	compile_put_placement(c, placement);
}

void compile_sobol(struct compiler *c)
{
	compile_points(c, POINTS_SOBOL);
}

void compile_halton(struct compiler *c)
{
	compile_points(c, POINTS_HALTON);
}

void compile_lattice(struct compiler *c)
{
	compile_points(c, POINTS_LATTICE);
}

void compile_lhs(struct compiler *c)
{
	compile_points(c, POINTS_LHS);
}
