/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are kept. */
#include "engine/kept.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/space_core.h"
#include "rng/derive.h"

struct kept {
	struct kept *next;
	atomic_uint refs; /* the space's, and one of each run */
	uint32_t handle;
	struct zone *zone;
	struct args run; /* as of `run` */
	struct bound_step *steps;
	uint64_t charge;
};

static void unref(void *arg)
{
	struct kept *kept = arg;

	if (atomic_fetch_sub(&kept->refs, 1) > 1)
		return;
	zone_free(kept->zone);
	free(kept);
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "program_new: no memory for it");
}

/* All that the parameters point to is copied: the request's own goes with its reply. */
static int copy_args(struct kept *kept, const struct args *args)
{
	kept->run = *args;
	kept->run.context = "program"; /* steps are told of by it at every run */
	for (unsigned p = 0; p < args->operation->n_params; p++) {
		struct value *copy;

		if (!args->at[p].value)
			continue;
		copy = zone_alloc(kept->zone, sizeof *copy);
		if (!copy || value_copy(kept->zone, args->at[p].value, copy))
			return -ERROR_NO_MEMORY;
		kept->run.at[p].value = copy;
	}
	return 0;
}

/* Laid out once, so that what is wrong is told now. */
static int try_out(struct space *space, struct kept *kept, struct error *err)
{
	struct program program = {.space = space, .zone = zone_new()};
	struct value reply = value_map();
	struct compiler compiler = {.program = &program, .args = kept->run, .reply = &reply, .err = err};
	int error;

	if (!program.zone)
		return no_memory(err);
	error = compile_bind_steps(&compiler, &kept->run, kept->zone, &kept->steps);
	if (!error)
		error = compile_bound(&compiler, &kept->run, kept->steps);
	if (!error)
		error = program_finish(&program, "program_new", err);
	program_end(&program);
	zone_free(program.zone);
	return error;
}

static int reserve(struct space *space, struct kept *kept, struct error *err)
{
	const uint64_t bytes = zone_bytes(kept->zone) + sizeof *kept;
	int error = space->limits.reserve ? space->limits.reserve(space->limits.reserve_arg, bytes, err) : 0;

	if (!error)
		kept->charge = bytes;
	return error;
}

static void give_back(struct space *space, const struct kept *kept)
{
	if (kept->charge && space->limits.unreserve)
		space->limits.unreserve(space->limits.reserve_arg, kept->charge);
}

/* Under the lock. */
static int check_room(const struct space *space, struct error *err)
{
	if (space->closed)
		return error_set(err, ERROR_CLOSED, "program_new: the session is closed");
	if (space->n_programs >= space->limits.programs || space->last_program == UINT32_MAX)
		return error_set(err, ERROR_LIMIT, "program_new: %zu programs are kept, allowed are %zu (programs)",
				 space->n_programs, space->limits.programs);
	return 0;
}

static int keep(struct space *space, struct kept *kept, struct error *err)
{
	int error;

	pthread_mutex_lock(&space->lock);
	error = check_room(space, err);
	if (!error) {
		kept->handle = ++space->last_program;
		kept->next = space->programs;
		space->programs = kept;
		space->n_programs++;
	}
	pthread_mutex_unlock(&space->lock);
	return error;
}

static int build(struct space *space, const struct args *args, struct kept *kept, struct error *err)
{
	int error;

	pthread_mutex_lock(&space->lock);
	error = check_room(space, err);
	pthread_mutex_unlock(&space->lock);
	if (!error && copy_args(kept, args))
		error = no_memory(err);
	if (!error)
		error = try_out(space, kept, err);
	if (!error)
		error = reserve(space, kept, err);
	return error ? error : keep(space, kept, err);
}

int kept_create(struct space *space, const struct args *args, uint32_t *ret_handle, struct error *err)
{
	struct kept *kept = calloc(1, sizeof *kept);
	int error;

	if (!kept)
		return no_memory(err);
	atomic_init(&kept->refs, 1);
	kept->zone = zone_new();
	error = kept->zone ? build(space, args, kept, err) : no_memory(err);
	if (error) {
		give_back(space, kept);
		unref(kept);
		return error;
	}
	*ret_handle = kept->handle;
	return 0;
}

/* Under the lock. */
static struct kept **find(struct space *space, uint64_t handle)
{
	struct kept **at = &space->programs;

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

static int no_program(const char *context, uint64_t handle, struct error *err)
{
	return error_set(err, ERROR_BAD_TILE,
			 "%s: program: there is no program %" PRIu64 ", allowed is the handle of one that is kept",
			 context, handle);
}

int kept_free(struct space *space, uint64_t handle, struct error *err)
{
	struct kept **at, *kept;

	pthread_mutex_lock(&space->lock);
	at = find(space, handle);
	kept = *at;
	if (kept) {
		*at = kept->next;
		space->n_programs--;
	}
	pthread_mutex_unlock(&space->lock);
	if (!kept)
		return no_program("program_free", handle, err);
	give_back(space, kept);
	unref(kept);
	return 0;
}

void kept_free_all(struct space *space)
{
	while (space->programs)
		kept_free(space, space->programs->handle, NULL);
}

static struct kept *take(struct space *space, uint64_t handle)
{
	struct kept *kept;

	pthread_mutex_lock(&space->lock);
	kept = *find(space, handle);
	if (kept)
		atomic_fetch_add(&kept->refs, 1);
	pthread_mutex_unlock(&space->lock);
	return kept;
}

static void override(struct args *run, unsigned param, const struct arg *own)
{
	if (own->given)
		run->at[param] = *own;
}

/* What this run states, instead of what the program does. */
static int set_run(struct compiler *compiler, struct args *run)
{
	const struct arg *at = compiler->args.at;
	struct stream stream;

	override(run, RUN_SEED, &at[KEPT_SEED]);
	override(run, RUN_STREAM, &at[KEPT_STREAM]);
	override(run, RUN_OFFSET, &at[KEPT_OFFSET]);
	override(run, RUN_U64, &at[KEPT_U64]);
	if (!at[KEPT_LABEL].given)
		return 0;
	stream = (struct stream){run->at[RUN_GENERATOR].choice, run->at[RUN_SEED].u64, run->at[RUN_STREAM].u64};
	if (!stream_id_fits(&stream))
		return bind_error(&compiler->args, KEPT_STREAM, compiler->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", which the program's generator does not have", stream.stream);
	derive_label(&stream, at[KEPT_LABEL].value->bytes.at, at[KEPT_LABEL].value->bytes.size, &stream);
	run->at[RUN_SEED].u64 = stream.seed;
	run->at[RUN_STREAM].u64 = stream.stream;
	return 0;
}

int kept_compile(struct compiler *compiler)
{
	const uint64_t handle = compiler->args.at[KEPT_PROGRAM].u64;
	struct kept *kept = take(compiler->program->space, handle);
	struct args run;
	int error;

	if (!kept)
		return no_program(compiler->args.context, handle, compiler->err);
	if (zone_defer(compiler->program->zone, unref, kept)) {
		unref(kept);
		return compile_no_memory(compiler);
	}
	run = kept->run;
	error = set_run(compiler, &run);
	return error ? error : compile_bound(compiler, &run, kept->steps);
}
