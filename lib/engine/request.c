/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: bound, compiled, and computed here or by the pool. */
#include "engine/request.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/compile/compile.h"
#include "engine/deferred_reply.h"
#include "engine/prepared/prepared.h"
#include "engine/prepared/prepared_core.h"
#include "engine/service.h"
#include "engine/program/placement.h"

/* Waking a sleeping thread, about; and the most that a request may keep its caller from others. */
enum { WAKE_NS = 20 * 1000, HERE_MOST_NS = 80 * 1000 };

struct request {
	struct job job;
	struct session_job entry;
	struct session_memory *memory;
	struct bump *bump;
	struct program program;
	uint64_t reserved; /* bytes, to be given back with these two */
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
	struct prepared *prepared; /* of a `prepare`: it is being built; NULL */
	struct error error;
	struct value result;
	request_done *done;
	void *arg;
	/* Of a request that the session's owner answers, or has ranges for. */
	struct asked *asked;
	size_t n_asked;
	atomic_uint awaiting; /* of them, and request_start's own */
	bool settled;
};

/* What the session's owner is asked. */
struct asked {
	struct deferred_reply deferred; /* first */
	struct request *request;
	struct stream_reservation *range; /* that it is to find; NULL: it answers the request itself */
	struct error error;
	int answer;
	bool later;
};

static struct request *of_job(struct job *job)
{
	return (struct request *)((char *)job - offsetof(struct request, job));
}

/* All has been answered: draws lie where their ranges do. */
static int settle(struct request *request)
{
	request->settled = true;
	for (size_t i = 0; i < request->n_asked; i++) {
		const struct asked *asked = &request->asked[i];

		if (asked->answer) {
			request->error = asked->error;
			return asked->answer;
		}
		if (asked->range) {
			asked->range->stream = asked->deferred.stream;
			asked->range->offset = asked->deferred.offset;
		}
	}
	return placement_seek(&request->program, &request->result, &request->error);
}

/* By pieces, each in a turn: what its steps need. JOB_AGAIN; 0: all is made; or an error. */
static int make(struct request *request)
{
	const int more = deferred_build_advance(&request->program.deferred, &request->error);

	return more > 0 ? JOB_AGAIN : more;
}

static int advance_prepared(struct request *request)
{
	struct prepared *prepared = request->prepared;
	const int more = deferred_build_advance(&prepared->program.deferred, &request->error);

	if (more)
		return more > 0 ? JOB_AGAIN : more;
	request->prepared = NULL;
	return service_keep(request->memory, prepared, request->bump, &request->result, &request->error);
}

static int advance(struct job *job)
{
	struct request *request = of_job(job);
	int error;

	if (request->prepared)
		return advance_prepared(request);
	if (!request->settled) {
		error = make(request);
		if (error)
			return error;
		if (atomic_load_explicit(&request->awaiting, memory_order_acquire))
			return JOB_WAIT;
		error = settle(request);
		if (error)
			return error;
	}
	error = make(request);
	return error ? error : program_advance(&request->program, job, &job->n_chunks);
}

static uint64_t run(struct job *job, size_t chunk, void *scratch)
{
	return program_run(&of_job(job)->program, chunk, scratch);
}

/* The caller's reference to the session outlives the callback, in which the request may be freed. */
static void answer(struct request *request)
{
	struct session_memory *memory = request->memory;

	prepared_drop(request->prepared);
	if (request->error.code)
		program_free_new_tiles(&request->program);
	program_end(&request->program);
	session_memory_leave(memory, &request->entry);
	request->done(request, request->arg);
	session_memory_unref(memory);
}

/* Also after the answer: the owner may still be in deferred_reply_send. */
static void forget(struct request *request)
{
	const struct session_limits *limits = &request->memory->limits;

	for (size_t i = 0; i < request->n_asked; i++)
		if (request->asked[i].later)
			limits->deferred->forget(limits->deferred_arg, &request->asked[i].deferred);
}

static void finish(struct job *job, int error)
{
	struct request *request = of_job(job);

	forget(request);
	if (!error && request->program.prepared)
		prepared_learn(request->program.prepared, &request->program);
	if (error == -ERROR_CANCELLED && atomic_load_explicit(&job->late, memory_order_relaxed))
		error_set(&request->error, ERROR_TIMEOUT, "the request was not done within its timeout_ms");
	else if (error == -ERROR_CANCELLED)
		error_set(&request->error, ERROR_CANCELLED, "the request was stopped before its end");
	else if (error && request->program.failure)
		error_set(&request->error, (enum error_code) - error, "%s", request->program.failure);
	else if (error && !request->error.code)
		error_set(&request->error, (enum error_code) - error, "%s", error_meaning(error));
	answer(request);
}

static const struct job_ops request_ops = {advance, run, finish};

static int check_method(const struct operation *operation, const char *method, size_t size, const struct value *params,
			struct error *err)
{
	char got[BIND_TEXT];

	if (!operation)
		return error_set(err, ERROR_UNKNOWN_METHOD, "\"%s\": no such method, describe lists them all",
				 bind_text(method, size, got));
	if (operation->class == METHOD_SESSION)
		return error_set(err, ERROR_NOT_SUPPORTED, "%s: is answered by a session only", operation->name);
	if (params->kind != VALUE_MAP)
		return error_set(err, ERROR_WRONG_TYPE, "%s: params: takes a map", operation->name);
	return 0;
}

/* Results are written, and temporaries had, only after this, and tables filled that are not small. */
static uint64_t bytes_of(const struct program *program)
{
	const uint64_t bytes = program->inline_out + program->temp_bytes;

	return program->deferred.first ? bytes + program->deferred.held_bytes + program->deferred.work_bytes : bytes;
}

static int reserve(struct request *request, uint64_t bytes)
{
	const struct session_limits *limits = &request->memory->limits;
	int error = limits->reserve && bytes ? limits->reserve(limits->reserve_arg, bytes, &request->error) : 0;

	if (error || !limits->reserve)
		return error;
	request->reserved = bytes;
	request->unreserve = limits->unreserve;
	request->reserve_arg = limits->reserve_arg;
	return 0;
}

/* What a program's run takes of its session's shares. */
static int reserve_run(struct request *request)
{
	const struct session_limits *limits = &request->memory->limits;
	const uint64_t reply_bytes = request->program.inline_out;
	int error = 0;

	if (limits->reserve_reply && reply_bytes)
		error = limits->reserve_reply(limits->reply_arg, reply_bytes, &request->error);
	return error ? error : reserve(request, bytes_of(&request->program));
}

/* Of a job: timeout_ms, which runs from here. */
static void set_deadline(struct request *request, uint64_t timeout_ms)
{
	struct timespec now;

	if (timeout_ms == 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	request->job.deadline_ns =
		(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + timeout_ms * 1000000u;
}

/* The last answer wakes the request. */
static void answered(struct request *request)
{
	if (atomic_fetch_sub_explicit(&request->awaiting, 1, memory_order_acq_rel) == 1)
		pool_wake(request->memory->engine->pool, &request->job);
}

static void on_answer(struct deferred_reply *deferred, int error)
{
	struct asked *asked = (struct asked *)deferred;

	asked->answer = error;
	answered(asked->request);
}

void deferred_reply_send(struct deferred_reply *deferred, int error)
{
	deferred->send(deferred, error);
}

static int check_owner(struct request *request, const char *context)
{
	if (request->memory->limits.deferred)
		return 0;
	return error_set(&request->error, ERROR_NOT_SUPPORTED,
			 "%s: named streams are kept by a daemon, allowed: a session with one", context);
}

static int make_asked(struct request *request, size_t n)
{
	request->asked = bump_alloc(request->bump, n * sizeof *request->asked);
	if (!request->asked)
		return error_set(&request->error, ERROR_NO_MEMORY, "no memory for the request");
	atomic_store(&request->awaiting, 1);
	return 0;
}

static struct asked *add_asked(struct request *request, struct stream_reservation *range)
{
	struct asked *asked = &request->asked[request->n_asked++];

	memset(asked, 0, sizeof *asked);
	asked->request = request;
	asked->range = range;
	asked->deferred = (struct deferred_reply){.bump = request->bump,
						  .reply = &request->result,
						  .error = &asked->error,
						  .n = range ? range->n : 0,
						  .words = range ? range->words : 0,
						  .send = on_answer};
	atomic_fetch_add(&request->awaiting, 1);
	return asked;
}

/* The answer of the call that asked. */
static int take_answer(struct asked *asked, int answer)
{
	asked->later = answer == REPLY_DEFERRED;
	if (asked->later)
		return 0;
	atomic_fetch_sub(&asked->request->awaiting, 1);
	if (answer)
		asked->request->error = asked->error;
	return answer;
}

/* What was asked is settled now, or is waited for: 1; or 0 when all is answered and there is nothing to run. */
static int await(struct request *request)
{
	int error = 0;

	if (atomic_fetch_sub_explicit(&request->awaiting, 1, memory_order_acq_rel) == 1)
		error = settle(request);
	else
		return 1;
	return error ? error : request->program.n_segments > 0;
}

/* Asks the session's owner. 0: answered; 1: it is waited for; or an error. */
static int serve(struct request *request, struct compiler *compiler, const struct value *params)
{
	const struct session_limits *limits = &request->memory->limits;
	struct asked *asked;
	int error = bind_args(&compiler->args, params, &request->error);

	if (!error)
		error = check_owner(request, compiler->args.context);
	if (!error)
		error = make_asked(request, 1);
	if (error)
		return error;
	set_deadline(request, bind_timeout_ms(&compiler->args));
	asked = add_asked(request, NULL);
	error = take_answer(asked, limits->deferred->begin(limits->deferred_arg, &compiler->args, &asked->deferred));
	return error ? error : await(request);
}

/* Asks for the ranges that its draws take of named streams, all at once. */
static int ask_ranges(struct request *request)
{
	const struct session_limits *limits = &request->memory->limits;
	struct placements *placements = &request->program.placements;
	char context[PLACEMENT_CONTEXT];
	int error = make_asked(request, placements->n_ranges);

	for (size_t i = 0; i < placements->n_ranges && !error; i++) {
		struct stream_reservation *range = &placements->ranges[i];
		struct asked *asked;

		if (!range->name || range->draws == 0)
			continue;
		placement_context(&placements->at[range->first], context);
		error = check_owner(request, context);
		if (error)
			break;
		asked = add_asked(request, range);
		error = take_answer(asked, limits->deferred->reserve(limits->deferred_arg, range->name,
								     range->name_size, context, &asked->deferred));
	}
	return error;
}

/* A program that is compiled. 1: it is ready to run, or waits for its ranges; or an error. */
static int ready_program(struct request *request, const char *context, uint64_t timeout_ms)
{
	int error = 0;

	set_deadline(request, timeout_ms);
	if (!placement_waits(&request->program)) {
		error = settle(request);
		if (!error)
			error = reserve_run(request);
		return error ? error : 1;
	}
	/* What is wrong with the rest is found before a range is spent. */
	error = deferred_build_check(&request->program.deferred, context, &request->error);
	if (!error)
		error = reserve_run(request);
	if (!error && request->program.placements.is_run)
		error = placement_seek(&request->program, &request->result, &request->error);
	if (!error)
		error = ask_ranges(request);
	if (error)
		return error;
	error = await(request);
	return error < 0 ? error : 1;
}

/* For a request's program and reply; the rest of args is large, and set by bind_args. */
static void init_compiler(struct compiler *compiler, struct request *request, const struct operation *operation)
{
	memset(compiler, 0, offsetof(struct compiler, args.at));
	compiler->program = &request->program;
	compiler->reply = &request->result;
	compiler->err = &request->error;
	compiler->args.operation = operation;
	compiler->args.context = operation->name;
}

static int answer_service(struct request *request, struct compiler *compiler, const struct value *params)
{
	int error = bind_args(&compiler->args, params, &request->error);

	if (!error)
		error = service_answer(request->memory, &compiler->args, request->bump, &request->result,
				       &request->prepared, &request->error);
	if (error || !request->prepared)
		return error;
	error = reserve(request, request->prepared->program.deferred.work_bytes);
	return error ? error : 1;
}

static int compile_request(struct request *request, struct compiler *compiler, const struct value *params)
{
	const char *name = compiler->args.operation->name;
	int error;

	if (strcmp(name, "stream_draw") && strcmp(name, "run_prepared"))
		return compile(compiler, params);
	error = bind_args(&compiler->args, params, &request->error);
	if (!error && strcmp(name, "run_prepared") == 0)
		return prepared_compile(compiler);
	if (!error)
		error = check_owner(request, compiler->args.context);
	return error ? error : compile_stream_draw(compiler);
}

/* 0: answered; 1: a program is ready to run; or an error. */
static int ready(struct request *request, const struct operation *operation, const struct value *params)
{
	struct compiler compiler;
	uint64_t timeout_ms;
	int error;

	init_compiler(&compiler, request, operation);
	if (operation->class == METHOD_SERVICE)
		return answer_service(request, &compiler, params);
	if (operation->class == METHOD_STREAM && strcmp(operation->name, "stream_draw") != 0)
		return serve(request, &compiler, params);
	error = compile_request(request, &compiler, params);
	if (error)
		return error;
	timeout_ms = bind_timeout_ms(&compiler.args);
	if (request->program.prepared && timeout_ms == 0)
		timeout_ms = request->program.prepared->timeout_ms;
	return ready_program(request, operation->name, timeout_ms);
}

static int ready_prepared(struct request *request, const struct operation *operation, uint32_t handle,
			  const struct prepared_changes *changes)
{
	struct compiler compiler;
	int error;

	init_compiler(&compiler, request, operation);
	error = prepared_compile_run(&compiler, handle, changes);
	return error ? error : ready_program(request, operation->name, request->program.prepared->timeout_ms);
}

static struct request *request_new(struct session_memory *memory, struct bump *bump, request_done *done, void *arg)
{
	struct request *request = bump_alloc(bump, sizeof *request);

	if (!request)
		return NULL;
	memset(request, 0, sizeof *request);
	request->memory = memory;
	request->bump = bump;
	request->result = value_map();
	request->done = done;
	request->arg = arg;
	request->program = (struct program){.memory = memory, .bump = bump};
	request->job.ops = &request_ops;
	request->job.fair_entry = &memory->fair_entry;
	request->entry.job = &request->job;
	return request;
}

/* To hand over c of work to t threads takes two wakings and c / t: below this, c is done sooner where it arrived. By
 * counted work alone, so that what runs where does not hang on a clock. */
static uint64_t here_ns(unsigned threads)
{
	const uint64_t even = threads > 1 ? (uint64_t)2 * WAKE_NS * threads / (threads - 1) : HERE_MOST_NS;

	return even < HERE_MOST_NS ? even : HERE_MOST_NS;
}

/* ready: as ready() says. */
static void start(struct request *request, int ready)
{
	struct pool *pool = request->memory->engine->pool;

	if (ready != 1) {
		forget(request);
		answer(request);
	} else if (!request->prepared && !request->program.deferred.first &&
		   program_cost_ns(&request->program) <= here_ns(pool_threads(pool))) {
		pool_run_here(pool, &request->job);
	} else {
		pool_submit(pool, &request->job);
	}
}

int request_start(struct session_memory *memory, const char *method, size_t method_size, const struct value *params,
		  struct bump *bump, request_done *done, void *arg, struct request **ret_request)
{
	const struct operation *operation = operation_find(method, method_size);
	struct request *request = request_new(memory, bump, done, arg);

	if (!request) {
		bump_free(bump);
		return -ERROR_NO_MEMORY;
	}
	*ret_request = request;
	if (check_method(operation, method, method_size, params, &request->error) ||
	    session_memory_enter(memory, &request->entry, operation->name, &request->error)) {
		done(request, arg);
		return 0;
	}
	start(request, ready(request, operation, params));
	return 0;
}

int prepared_start(struct session_memory *memory, uint32_t handle, const struct prepared_changes *changes,
		   struct bump *bump, request_done *done, void *arg, struct request **ret_request)
{
	static const char name[] = "run_prepared";
	const struct operation *operation = operation_find(name, sizeof name - 1);
	struct request *request = request_new(memory, bump, done, arg);

	if (!request) {
		bump_free(bump);
		return -ERROR_NO_MEMORY;
	}
	*ret_request = request;
	if (session_memory_enter(memory, &request->entry, name, &request->error)) {
		done(request, arg);
		return 0;
	}
	start(request, ready_prepared(request, operation, handle, changes));
	return 0;
}

const struct error *request_error(const struct request *request)
{
	return request->error.code ? &request->error : NULL;
}

const struct value *request_result(const struct request *request)
{
	return &request->result;
}

void request_cancel(struct request *request)
{
	pool_cancel(request->memory->engine->pool, &request->job);
}

void request_free(struct request *request)
{
	if (!request)
		return;
	const uint64_t reserved = request->reserved;
	void (*const unreserve)(void *arg, uint64_t bytes) = request->unreserve;
	void *const arg = request->reserve_arg;

	bump_free(request->bump); /* and the request with it */
	if (reserved && unreserve)
		unreserve(arg, reserved);
}
