/* SPDX-License-Identifier: Apache-2.0 */
/* Noise: a program of one draw, whose place in the stream and in memory is set again for each run. */
#include "engine/producers/sampler.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "engine/compile/compile.h"
#include "engine/memory/session_memory_core.h"

struct noise {
	struct bump *bump;
	struct program program;
	struct value reply;
	uint64_t begin; /* element of the stream that is sample 0's first */
	uint64_t samples;
	uint64_t components;
	size_t sample_bytes;
	unsigned words; /* of a sample */
	enum dtype dtype;
	bool named;
};

static int no_memory(const struct args *args, struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "%s: no memory for it", args->context);
}

static bool is_text(const struct value *value)
{
	return value->kind == VALUE_STRING || value->kind == VALUE_BYTES;
}

/* No member that a ring, or its named stream, decides itself. */
static int check_members(const struct args *args, unsigned param, const struct value *map,
			 const struct operation *distribution, bool named, struct error *err)
{
	static const unsigned others[] = {DRAW_N,	  DRAW_SHAPE, DRAW_OUT,	   DRAW_RANK,	   DRAW_SIZE,
					  DRAW_GENERATOR, DRAW_SEED,  DRAW_STREAM, DRAW_OFFSET, DRAW_KEY_LAYOUT,
					  DRAW_POSITION};
	enum { OF_ALL = 5 };

	for (size_t i = 0; i < (named ? sizeof others / sizeof *others : OF_ALL); i++)
		if (value_get(map, distribution->params[others[i]].name))
			return bind_error(args, param, err, ERROR_UNKNOWN_PARAMETER,
					  "it has %s, allowed are op, dtype%s", distribution->params[others[i]].name,
					  named ? " and the distribution's parameters: the name tells the stream"
						: ", the distribution's parameters and the stream's");
	return 0;
}

/* The row of the distribution that the map names, "normal" without one. */
static int find_distribution(const struct args *args, unsigned param, const struct value *map,
			     const struct operation **ret_distribution, struct error *err)
{
	const struct operation *distribution = operation_find("normal", 6);
	const struct value *op;
	char got[BIND_TEXT];

	if (map->kind != VALUE_MAP)
		return bind_error(args, param, err, ERROR_WRONG_TYPE,
				  "takes a map {op: a distribution, its parameters, seed ...}");
	op = value_get(map, "op");
	if (op && !is_text(op))
		return bind_error(args, param, err, ERROR_WRONG_TYPE, "op takes the name of a distribution");
	if (op)
		distribution = operation_find(op->bytes.at, op->bytes.size);
	if (!distribution || distribution->class != METHOD_DRAW)
		return bind_error(args, param, err, ERROR_UNKNOWN_METHOD,
				  "op \"%s\" is no distribution, allowed are the draws",
				  bind_text(op->bytes.at, op->bytes.size, got));
	*ret_distribution = distribution;
	return 0;
}

static int put_stream(struct bump *bump, const struct stream *stream, struct value *map)
{
	return value_put(bump, map, "generator", value_string(generator_row(stream->generator)->name)) ||
	       value_put(bump, map, "seed", value_uint(stream->seed)) ||
	       value_put(bump, map, "stream", value_uint(stream->stream));
}

/* A copy of the map that asks for no sample at all: everything is checked, and nothing drawn. */
static int ask_for_none(struct bump *bump, const struct value *map, bool as_text, const struct stream *named,
			struct value *ret_map)
{
	struct value copy = value_map();
	int failed = 0;

	for (size_t i = 0; i < map->map.count && !failed; i++) {
		const struct value_member *member = &map->map.at[i];

		/* One that is there twice is refused with the others. */
		failed = value_add_sized(bump, &copy, member->name, member->name_size, member->value);
	}
	failed = failed || value_put(bump, &copy, "n", value_uint(0));
	failed = failed || (named && put_stream(bump, named, &copy));
	if (as_text && !value_get(map, "u64"))
		failed = failed || value_put(bump, &copy, "u64", value_string("str"));
	*ret_map = copy;
	return failed ? -ERROR_NO_MEMORY : 0;
}

/* Samples from the given one to the stream's last. */
static uint64_t samples_left(uint64_t first, uint64_t words)
{
	const unsigned __int128 all = ((unsigned __int128)1 << 64) / words;
	const unsigned __int128 left = first < all ? all - first : 0;

	return left > UINT64_MAX ? UINT64_MAX : (uint64_t)left;
}

static int compile_distribution(struct noise *noise, const struct args *args, unsigned param,
				const struct operation *distribution, const struct value *map, struct error *err)
{
	struct compiler compiler = {
		.program = &noise->program,
		.args = {.operation = distribution, .context = args->context, .in_program = true},
		.reply = &noise->reply,
		.err = err,
	};
	const struct step *step;
	int error = bind_args(&compiler.args, map, err);

	if (!error && strcmp(distribution->name, "permutation") == 0 && compiler.args.at[DRAW_COMMON].u64 == 0)
		error = bind_error(args, param, err, ERROR_MISSING_PARAMETER,
				   "permutation without items, takes how many are permuted");
	if (!error)
		error = compile_draw(&compiler);
	if (!error)
		error = program_finish(&noise->program, args->context, err);
	if (!error)
		error = making_check(&noise->program, args->context, err);
	if (!error)
		error = site_place(&noise->program, &noise->reply, err);
	if (error)
		return error;
	step = &noise->program.steps[0];
	noise->dtype = step->draw.distribution.dtype;
	noise->components = draw_components(&step->draw.distribution);
	noise->sample_bytes = dtype_size(noise->dtype) * noise->components;
	noise->begin = step->draw.begin;
	noise->words = draw_words_per_sample(noise->dtype) * (unsigned)noise->components;
	noise->samples = samples_left(noise->begin / noise->components, noise->words);
	if (noise->samples == 0) /* a draw of nothing may lie at the very end */
		return bind_error(args, param, err, ERROR_END_OF_STREAM, "no sample follows its offset");
	return 0;
}

int noise_create(struct space *space, const struct args *args, unsigned param, unsigned u64_param,
		 const struct stream *named, struct noise **ret_noise, struct error *err)
{
	struct noise *noise = calloc(1, sizeof *noise);
	struct value none = value_map(), map;
	const struct value *given = args->at[param].given ? args->at[param].value : &none;
	const struct operation *distribution = NULL;
	int error;

	if (!noise || !(noise->bump = bump_new())) {
		free(noise);
		return no_memory(args, err);
	}
	noise->program = (struct program){.space = space, .bump = noise->bump, .outlives = true};
	noise->reply = value_map();
	noise->named = named;
	error = find_distribution(args, param, given, &distribution, err);
	if (!error)
		error = check_members(args, param, given, distribution, named, err);
	if (!error && ask_for_none(noise->bump, given, args->at[u64_param].choice != 0, named, &map))
		error = no_memory(args, err);
	if (!error)
		error = compile_distribution(noise, args, param, distribution, &map, err);
	if (error) {
		noise_free(noise);
		return error;
	}
	*ret_noise = noise;
	return 0;
}

void noise_end(struct noise *noise)
{
	program_end(&noise->program);
}

void noise_free(struct noise *noise)
{
	if (!noise)
		return;
	program_end(&noise->program);
	bump_free(noise->bump);
	free(noise);
}

size_t noise_sample_bytes(const struct noise *noise)
{
	return noise->sample_bytes;
}

unsigned noise_words(const struct noise *noise)
{
	return noise->words;
}

uint64_t noise_components(const struct noise *noise)
{
	return noise->components;
}

uint64_t noise_samples(const struct noise *noise)
{
	return noise->samples;
}

int noise_describe(const struct noise *noise, struct bump *bump, struct value *map)
{
	static const char *const names[] = {"generator", "seed", "stream", "stream_format", "offset", "position"};
	const size_t n = sizeof names / sizeof *names - (noise->named ? 2 : 0);
	int failed = value_put(bump, map, "dtype", value_string(dtype_name(noise->dtype)));

	failed |= value_put(bump, map, "components", value_uint(noise->components));
	for (size_t i = 0; i < n; i++) {
		const struct value *value = value_get(&noise->reply, names[i]);

		if (value)
			failed |= value_put(bump, map, names[i], *value);
	}
	return failed ? -ERROR_NO_MEMORY : 0;
}

void noise_aim(struct noise *noise, uint64_t first, size_t n, void *out, size_t *ret_units)
{
	struct segment *segment = &noise->program.segments[0];
	struct step *step = &noise->program.steps[segment->first];

	assert(first <= noise->samples && n <= noise->samples - first);
	step->draw.begin = noise->begin + first * noise->components;
	step->out->base = out;
	segment->n = n * noise->components;
	*ret_units = (size_t)((segment->n + segment->chunk - 1) / segment->chunk);
}

int noise_make(struct noise *noise, struct error *err)
{
	return making_go_on(&noise->program, err);
}

uint64_t noise_run(struct noise *noise, size_t unit, void *scratch)
{
	return program_run(&noise->program, unit, scratch);
}
