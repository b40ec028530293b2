/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of one draw, whose position in the stream and output address are set before each run. */
#include "engine/producers/sampler.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "engine/compile/compile.h"
#include "engine/memory/engine_session_core.h"
#include "engine/call/placement.h"

struct sampler {
	struct bump *bump;
	struct plan plan;
	struct run run; /* its only one, at positions and addresses that change */
	struct step_run *stages; /* of a draw whose work is staged; NULL */
	bool is_drawn;           /* of any other: its only stage has begun */
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

/* Rejects members that the ring or its named stream decides. */
static int check_members(const struct args *args, unsigned param, const struct value *map,
			 const struct operation *distribution, bool named, struct error *err)
{
	static const unsigned others[] = {DRAW_N,	  DRAW_SHAPE, DRAW_OUT,	   DRAW_RANK,	   DRAW_SIZE,
					  DRAW_GENERATOR, DRAW_SEED,  DRAW_STREAM, DRAW_OFFSET, DRAW_LAYOUT,
					  DRAW_POSITION};
	enum { OF_ALL = 5 };

	for (size_t i = 0; i < (named ? sizeof others / sizeof *others : OF_ALL); i++)
		if (value_get(map, distribution->params[others[i]].name))
			return bind_error(args, param, err, ERROR_UNKNOWN_PARAMETER,
					  "it has %s, allowed are op, dtype%s", distribution->params[others[i]].name,
					  named ? " and the distribution's parameters: the name decides the stream"
						: ", the distribution's parameters and the stream's");
	return 0;
}

static int put_stream(struct bump *bump, const struct stream *stream, struct value *map)
{
	return value_put(bump, map, "generator", value_string(generator_row(stream->generator)->name)) ||
	       value_put(bump, map, "seed", value_uint(stream->seed)) ||
	       value_put(bump, map, "stream", value_uint(stream->stream));
}

/* Copies the map with n = 0, so that compiling it validates everything and needs no memory for results. */
static int ask_for_none(struct bump *bump, const struct value *map, bool as_text, const struct stream *named,
			struct value *ret_map)
{
	struct value copy = value_map();
	int failed = 0;

	for (size_t i = 0; i < map->map.count && !failed; i++) {
		const struct value_member *member = &map->map.at[i];

		/* bind_args rejects duplicates. */
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

/* Compiles a draw of n = 0 samples, which checks all parameters as a request's draw does. Afterwards its only step is
 * moved along the stream, chunk by chunk (sampler_seek). */
static int compile_distribution(struct sampler *sampler, const struct args *args, unsigned param,
				const struct operation *distribution, const struct value *map, const struct named_signal *signal,
				struct error *err)
{
	struct compiler compiler = {
		.plan = &sampler->plan,
		.first_run = &sampler->run,
		.args = {.operation = distribution, .context = args->context, .in_program = true},
		.reply = &sampler->reply,
		.signal = signal,
		.err = err,
	};
	const struct step *step;
	uint64_t more;
	int error = bind_args(&compiler.args, map, err);

	if (!error && strcmp(distribution->name, "permutation") == 0 && compiler.args.at[DRAW_COMMON].u64 == 0)
		error = bind_error(args, param, err, ERROR_MISSING_PARAMETER,
				   "permutation needs items, the number of items to permute");
	if (!error)
		error = compile(&compiler);
	if (!error)
		error = deferred_build_check(&sampler->run.bound.deferred, args->context, err);
	if (!error)
		error = placement_seek(&sampler->run, err);
	if (error)
		return error;
	step = &sampler->plan.steps[sampler->plan.n_steps - 1];
	if (sampler->plan.placements.at[step->placement].call)
		return bind_error(args, param, err, ERROR_NOT_SUPPORTED,
				  "%s: got %s, allowed are plain and trn24: a call of another framework ends",
				  distribution->params[DRAW_LAYOUT].name,
				  layout_rows[sampler->plan.placements.at[step->placement].call->layout].name);
	more = sampler->plan.placements.at[step->placement].more;
	if (signal && distribution->is_distribution)
		return bind_error(args, param, err, ERROR_OUT_OF_RANGE,
				  "op: got %s, allowed is colored: the named stream is one signal of coloured noise",
				  distribution->name);
	if (more && sampler->named && !signal)
		return bind_error(args, param, err, ERROR_NOT_SUPPORTED,
				  "op: %s of a named stream would be another signal in each reservation, allowed is a stream that "
				  "is stated, or one "
				  "that was created with noise",
				  distribution->name);
	if (!step->staged && step->draw.arrays)
		return bind_error(args, param, err, ERROR_NOT_SUPPORTED,
				  "%s: got an array, allowed is a number: an array ends with its request",
				  distribution->params[DRAW_COMMON + step->draw.arrays->parameters[0]].name);
	sampler->dtype = step->out->shape.dtype;
	sampler->components = step->staged ? 1 : draw_components(&step->draw.draw);
	sampler->sample_bytes = dtype_size(sampler->dtype) * sampler->components;
	sampler->begin = sampler->run.bound.positions[step->placement].begin;
	sampler->words = draw_words_per_sample(sampler->dtype) * (unsigned)sampler->components;
	sampler->samples = samples_left(sampler->begin / sampler->components, sampler->words);
	sampler->samples -= more < sampler->samples ? more : sampler->samples;
	if (sampler->samples == 0) /* n = 0 is valid at the end of the stream */
		return bind_error(args, param, err, ERROR_END_OF_STREAM, "no sample follows its offset");
	return 0;
}

int sampler_create(struct engine_session *session, const struct args *args, unsigned param, unsigned u64_param,
		   const struct stream *named, const struct value *noise, struct sampler **ret_sampler, struct error *err)
{
	struct sampler *sampler = calloc(1, sizeof *sampler);
	struct value none = value_map(), map;
	const struct value *given = args->at[param].given ? args->at[param].value : &none;
	const struct operation *distribution = NULL;
	const struct named_signal signal = {noise, named};
	int error = 0;

	if (!sampler || !(sampler->bump = bump_new())) {
		free(sampler);
		return no_memory(args, err);
	}
	sampler->plan = (struct plan){
		.session = session, .bump = sampler->bump, .copies_inputs = true, .is_background = true};
	sampler->run = (struct run){
		.plan = &sampler->plan, .bound = {.engine = session->engine, .bump = sampler->bump}};
	sampler->reply = value_map();
	sampler->named = named;
	if (noise && given == &none && value_put(sampler->bump, &none, "op", value_string("colored")))
		error = no_memory(args, err);
	if (!error)
		error = bind_distribution(args, param, given, false, &distribution, err);
	if (!error)
		error = check_members(args, param, given, distribution, named, err);
	if (!error && ask_for_none(sampler->bump, given, args->at[u64_param].choice != 0, named, &map))
		error = no_memory(args, err);
	if (!error)
		error = compile_distribution(sampler, args, param, distribution, &map, noise ? &signal : NULL, err);
	if (error) {
		sampler_free(sampler);
		return error;
	}
	*ret_sampler = sampler;
	return 0;
}

void sampler_end(struct sampler *sampler)
{
	step_end(sampler->stages);
	sampler->stages = NULL;
	run_end(&sampler->run);
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	sampler_end(sampler);
	bump_free(sampler->bump);
	free(sampler);
}

size_t sampler_sample_bytes(const struct sampler *sampler)
{
	return sampler->sample_bytes;
}

unsigned sampler_words(const struct sampler *sampler)
{
	return sampler->words;
}

uint64_t sampler_components(const struct sampler *sampler)
{
	return sampler->components;
}

uint64_t sampler_samples(const struct sampler *sampler)
{
	return sampler->samples;
}

/* Of samples from a named stream, offset and position are left out: they have a range each (ring_layout.h). */
int sampler_describe(const struct sampler *sampler, struct bump *bump, struct value *map)
{
	static const char *const names[] = {"length", "flat_below", "generator", "seed", "stream", "stream_format", "offset", "position"};
	const size_t n = sizeof names / sizeof *names - (sampler->named ? 2 : 0);
	int failed = value_put(bump, map, "dtype", value_string(dtype_name(sampler->dtype)));

	failed |= value_put(bump, map, "components", value_uint(sampler->components));
	for (size_t i = 0; i < n; i++) {
		const struct value *value = value_get(&sampler->reply, names[i]);

		if (value)
			failed |= value_put(bump, map, names[i], *value);
	}
	return failed ? -ERROR_NO_MEMORY : 0;
}

/* The only step, whose buffer is the producer's memory. */
static struct step *step_of(struct sampler *sampler)
{
	return &sampler->plan.steps[sampler->plan.segments[0].first];
}

/* Points the step at samples [first, first + n) and the memory that they go to; sampler_advance then has the chunks. */
void sampler_seek(struct sampler *sampler, uint64_t first, size_t n, void *out)
{
	const struct step *step = step_of(sampler);
	struct run *run = &sampler->run;
	struct position *position = &run->bound.positions[step->placement];

	assert(first <= sampler->samples && n <= sampler->samples - first);
	position->begin = sampler->begin + first * sampler->components;
	position->colored.begin = position->begin;
	position->colored.n = n;
	run->bound.base[step->out->index] = out;
	run->n = n * sampler->components;
	sampler->is_drawn = false;
	if (sampler->stages)
		step_rewind(sampler->stages);
}

int sampler_advance(struct sampler *sampler, size_t *ret_chunks)
{
	const struct segment *segment = &sampler->plan.segments[0];

	if (sampler->stages)
		return step_advance(sampler->stages, ret_chunks);
	*ret_chunks = (size_t)((sampler->run.n + segment->chunk - 1) / segment->chunk);
	sampler->is_drawn = !sampler->is_drawn;
	return sampler->is_drawn ? JOB_STAGE : JOB_END;
}

int sampler_build_tables(struct sampler *sampler, struct error *err)
{
	return deferred_build_advance(&sampler->run.bound.deferred, err);
}

/* Compiled for no samples, the work is cut again for those of a step. */
int sampler_start(struct sampler *sampler, struct job *job, uint64_t most)
{
	struct step *step = step_of(sampler);
	int error;

	if (!step->staged)
		return 0;
	step->out->shape.dims[0] = most;
	shape_finish(&step->out->shape);
	error = step_cut(&sampler->run.bound, sampler->bump, step);
	if (!error)
		error = step_begin(&sampler->run.bound, step, job, &sampler->stages);
	job->scratch_bytes = JOB_SCRATCH_ALL;
	return error;
}

uint64_t sampler_run_chunk(struct sampler *sampler, size_t chunk, void *scratch)
{
	return sampler->stages ? step_run_chunk(sampler->stages, chunk, scratch) : run_chunk(&sampler->run, chunk, scratch);
}
