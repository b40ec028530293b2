/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are kept. */
#include "engine/kept.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/form.h"
#include "engine/space_core.h"
#include "rng/derive.h"

struct kept {
	struct kept *next;
	atomic_uint refs; /* the space's, and one of each run */
	uint32_t handle;
	struct zone *zone;
	struct site_choice choice; /* what the program states for draws that state none */
	const struct value *name;  /* the named stream among that; NULL */
	struct form *form;
	uint64_t charge; /* given back when nobody holds it any more: runs under way do after program_free */
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
};

static void unref(void *arg)
{
	struct kept *kept = arg;

	if (atomic_fetch_sub(&kept->refs, 1) > 1)
		return;
	form_end(kept->form);
	zone_free(kept->zone);
	if (kept->charge && kept->unreserve)
		kept->unreserve(kept->reserve_arg, kept->charge);
	free(kept);
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "program_new: no memory for it");
}

/* The request's own goes with its reply. */
static int copy_name(struct kept *kept, const struct arg *name)
{
	struct value *copy;

	if (!name->given)
		return 0;
	copy = zone_alloc(kept->zone, sizeof *copy);
	if (!copy || value_copy(kept->zone, name->value, copy))
		return -ERROR_NO_MEMORY;
	kept->name = copy;
	return 0;
}

/* The owner of the space, to whom it goes back, outlives every request, the space itself may not. */
static int reserve(struct space *space, struct kept *kept, uint64_t bytes, struct error *err)
{
	const struct space_limits *limits = &space->limits;
	int error = limits->reserve ? limits->reserve(limits->reserve_arg, bytes, err) : 0;

	if (error)
		return error;
	kept->charge = bytes;
	kept->unreserve = limits->unreserve;
	kept->reserve_arg = limits->reserve_arg;
	return 0;
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

static int build(struct space *space, const struct args *args, struct kept *kept, struct error *err)
{
	uint64_t bytes = 0;
	int error;

	pthread_mutex_lock(&space->lock);
	error = check_room(space, err);
	pthread_mutex_unlock(&space->lock);
	kept->choice = compile_choice(args);
	if (!error && copy_name(kept, &args->at[RUN_NAME]))
		error = no_memory(err);
	if (!error)
		error = form_make(space, args, kept->zone, &kept->form, &bytes, err);
	return error ? error : reserve(space, kept, bytes + sizeof *kept, err);
}

void kept_drop(struct kept *kept)
{
	if (kept)
		unref(kept);
}

int kept_begin(struct space *space, const struct args *args, struct kept **ret_kept, struct error *err)
{
	struct kept *kept = calloc(1, sizeof *kept);
	int error;

	if (!kept)
		return no_memory(err);
	atomic_init(&kept->refs, 1);
	kept->zone = zone_new();
	error = kept->zone ? build(space, args, kept, err) : no_memory(err);
	if (error) {
		kept_drop(kept);
		return error;
	}
	*ret_kept = kept;
	return 0;
}

int kept_go_on(struct kept *kept, struct error *err)
{
	return form_go_on(kept->form, err);
}

bool kept_is_made(const struct kept *kept)
{
	return form_is_made(kept->form);
}

uint64_t kept_work_bytes(const struct kept *kept)
{
	return form_work_bytes(kept->form);
}

int kept_keep(struct space *space, struct kept *kept, uint32_t *ret_handle, struct error *err)
{
	int error;

	pthread_mutex_lock(&space->lock);
	error = check_room(space, err);
	if (!error) {
		*ret_handle = kept->handle = ++space->last_program;
		kept->next = space->programs;
		space->programs = kept;
		space->n_programs++;
	}
	pthread_mutex_unlock(&space->lock);
	return error;
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

/* A place of its own, instead of one that the program would take of a named stream. */
static bool states_place(const struct arg *at)
{
	return at[KEPT_GENERATOR].given || at[KEPT_SEED].given || at[KEPT_STREAM].given || at[KEPT_LABEL].given ||
	       at[KEPT_OFFSET].given;
}

static int check_named(const struct compiler *compiler)
{
	static const unsigned own[] = {KEPT_GENERATOR, KEPT_SEED, KEPT_STREAM, KEPT_LABEL, KEPT_OFFSET};
	const struct args *args = &compiler->args;

	for (size_t i = 0; args->at[KEPT_NAME].given && i < sizeof own / sizeof *own; i++)
		if (args->at[own[i]].given)
			return bind_error(args, KEPT_NAME, compiler->err, ERROR_OUT_OF_RANGE,
					  "given beside %s, allowed is one of them",
					  args->operation->params[own[i]].name);
	return 0;
}

/* What this run states, instead of what the program does. */
static int set_run(struct compiler *compiler, struct site_choice *run)
{
	const struct arg *at = compiler->args.at;
	struct stream stream;
	int error = check_named(compiler);

	if (error)
		return error;
	if (at[KEPT_GENERATOR].given)
		run->generator = at[KEPT_GENERATOR].choice;
	if (at[KEPT_SEED].given)
		run->seed = at[KEPT_SEED].u64;
	if (at[KEPT_STREAM].given)
		run->stream = at[KEPT_STREAM].u64;
	if (at[KEPT_OFFSET].given)
		run->offset = at[KEPT_OFFSET].u64;
	if (at[KEPT_U64].given)
		run->text = at[KEPT_U64].choice != 0;
	if (!at[KEPT_LABEL].given)
		return 0;
	stream = (struct stream){run->generator, run->seed, run->stream};
	if (!stream_id_fits(&stream))
		return bind_error(&compiler->args, KEPT_STREAM, compiler->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", which the program's generator does not have", stream.stream);
	derive_label(&stream, at[KEPT_LABEL].value->bytes.at, at[KEPT_LABEL].value->bytes.size, &stream);
	run->seed = stream.seed;
	run->stream = stream.stream;
	return 0;
}

enum { SWAPS_MOST = 1024 };

static int read_pair(const struct compiler *compiler, const struct value *pair, struct form_swap *ret)
{
	if (pair->kind == VALUE_ARRAY && pair->array.count == 2 && value_to_u64(&pair->array.at[0], &ret->from) &&
	    value_to_u64(&pair->array.at[1], &ret->to))
		return 0;
	return bind_error(&compiler->args, KEPT_TILES, compiler->err, ERROR_WRONG_TYPE,
			  "takes an array of pairs of tiles' handles");
}

/* `tiles`, in the run's zone; NULL without any. */
static int read_swaps(struct compiler *compiler, const struct kept *kept, uint64_t **ret_to)
{
	const struct arg *arg = &compiler->args.at[KEPT_TILES];
	const size_t n = arg->given && arg->value->kind == VALUE_ARRAY ? arg->value->array.count : 0;
	struct form_swap *swaps;
	int error = 0;

	*ret_to = NULL;
	if (!arg->given)
		return 0;
	if (arg->value->kind != VALUE_ARRAY || n > SWAPS_MOST)
		return bind_error(&compiler->args, KEPT_TILES, compiler->err, ERROR_WRONG_TYPE,
				  "takes an array of at most %d pairs of tiles' handles", SWAPS_MOST);
	swaps = zone_alloc(compiler->program->zone, (n + 1) * sizeof *swaps);
	if (!swaps)
		return compile_no_memory(compiler);
	for (size_t i = 0; i < n && !error; i++)
		error = read_pair(compiler, &arg->value->array.at[i], &swaps[i]);
	if (error || n == 0)
		return error;
	return form_swap(kept->form, compiler->program->zone, swaps, n, "program_run: tiles", ret_to, compiler->err);
}

int kept_compile(struct compiler *compiler)
{
	struct program *program = compiler->program;
	const struct arg *at = compiler->args.at, *name = &at[KEPT_NAME];
	const uint64_t handle = at[KEPT_PROGRAM].u64;
	struct kept *kept = take(program->space, handle);
	struct site_choice run;
	uint64_t *to;
	int error;

	if (!kept)
		return no_program(compiler->args.context, handle, compiler->err);
	if (zone_defer(program->zone, unref, kept)) {
		unref(kept);
		return compile_no_memory(compiler);
	}
	run = kept->choice;
	error = set_run(compiler, &run);
	if (!error)
		error = read_swaps(compiler, kept, &to);
	if (!error)
		error = form_bind(kept->form, program, to, compiler->reply, compiler->err);
	if (error)
		return error;
	program->form = kept->form;
	program->sites.run = run;
	if (site_name_run(program, name->given ? name->value : states_place(at) ? NULL : kept->name))
		return compile_no_memory(compiler);
	return 0;
}
