/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded engine: answers, inside this process, the requests that a daemon would answer.
 *
 * A call whose caller waits for it runs in the caller's thread (request_run); one that is submitted, or the library's own, on
 * lanes (request_start). Both end in on_answered, in the caller's thread or in a lane's. */
#include "embedded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"
#include "session/wait.h"
#include "stats.h"
#include "call/request.h"
#include "call/table.h"
#include "call/prepare.h"
#include "session/arena.h"

#include "base/checked.h"
#include "base/cpu.h"
#include "engine/engine.h"
#include "engine/memory/engine_session.h"
#include "engine/prepare.h"
#include "engine/request.h"
#include "engine/scheduler/cpus.h"

/* Bytes: work memory that is granted without a look at the machine's memory; the machine's memory where it is not known; the
 * least arena that is tried where one as large as that memory is refused; the plan cache from which the machine's memory decides;
 * what a prepared call may hold, which nobody asked for. */
#define WORK_BYTES_SURE   ((uint64_t)16 << 20)
#define WORK_BYTES_KEPT   ((uint64_t)512 << 20)
#define HUGE_BYTES        ((size_t)2 << 20)
#define MEMORY_ASSUMED    ((uint64_t)1 << 30)
#define ARENA_BYTES_LEAST ((uint64_t)8 << 20)
#define PLAN_BYTES_LEAST  ((uint64_t)256 << 20)
#define PREPARED_BYTES_MOST ((uint64_t)1 << 20)

enum { PREPARED_MOST = 1024 }; /* calls prepared at once */

/* session->peer of an embedded session: made by embedded_open, freed by embedded_destroy. */
struct embedded {
	struct engine *engine;                 /* owned, as its memory and lanes */
	struct engine_session *engine_session; /* owned until embedded_stop */
	uint64_t memory;     /* bytes that the machine has, with swap */
	char *requested_cpu;          /* the instruction set that was asked for (options or TRNSCI_CPU); NULL: none */
	unsigned unanswered; /* requests whose callback has not returned yet; under the session's lock */
};

/* An arena's address space, for unmap_arena: the engine releases it with the arena. */
struct mapping {
	void *base;
	size_t size; /* bytes, whole pages */
};

/* The callback of a request: runs in a lane's thread or inside request_start. It decrements `unanswered` last: from
 * then on embedded_stop may return, and the session may be gone. */
static void on_answered(struct request *request, void *arg)
{
	struct trnsci_call *call = arg;
	struct trnsci_session *session = call->session;
	struct embedded *embedded = session->peer;
	const struct error *error = request_error(request);
	struct error own;

	pthread_mutex_lock(&session->lock);
	if (error && error->code == ERROR_CANCELLED && session->closed) {
		error_set(&own, ERROR_CLOSED, "%s: the session was closed before its end", call->method);
		error = &own;
	} else if (error && error->code == ERROR_TIMEOUT && !args_mention(&call->args.map, "timeout_ms")) {
		error_set(&own, ERROR_TIMEOUT, "%s: no answer within %d ms", call->method, session->timeout_ms);
		error = &own;
	}
	bool orphan = call_finish_undiscarded(call, error, NULL, request, error ? NULL : request_result(request));
	pthread_mutex_unlock(&session->lock);
	if (orphan)
		call_discard(call);
	pthread_mutex_lock(&session->lock);
	if (orphan)
		session_unref_locked(session);
	embedded->unanswered--;
	if (session->closed)
		pthread_cond_broadcast(&session->ended);
	pthread_mutex_unlock(&session->lock);
}

/* Answers `stats`, which the engine does not know. */
static int send_stats(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	const struct embedded *embedded = session->peer;
	struct bump *bump = bump_new_cached(&session->bump_cache);
	struct value *map = bump ? bump_alloc(bump, sizeof *map) : NULL;

	int r = -ERROR_NO_MEMORY;

	if (map && !session_enter(session)) {
		r = -ERROR_CLOSED;
	} else if (map) {
		*map = value_map();
		r = embedded_show_stats(embedded->engine, embedded->engine_session, embedded->requested_cpu, bump, map) ? -ERROR_NO_MEMORY : 0;
		session_leave(session);
	}
	if (r < 0) {
		bump_free(bump);
		return r;
	}
	pthread_mutex_lock(&session->lock);
	call_finish(call, NULL, bump, NULL, map);
	pthread_mutex_unlock(&session->lock);
	return 0;
}

/* Keeps the request with its call: the call can be cancelled from now on. */
static void on_begins(struct request *request, void *arg)
{
	struct trnsci_call *call = arg;

	pthread_mutex_lock(&call->session->lock);
	call->answer.request = request;
	if (call->flight.cancelling)
		request_cancel(request);
	pthread_mutex_unlock(&call->session->lock);
}

static struct request_run make_run(const struct trnsci_call *call)
{
	const int64_t deadline = deadline_after(call->session->timeout_ms);

	return (struct request_run){.deadline_ns = deadline == DEADLINE_NEVER ? 0 : (uint64_t)deadline,
				    .begins = on_begins,
				    .interrupted = call->session->interrupted,
				    .interrupted_arg = call->session->interrupted_arg};
}

/* Returns whether the thread that sends the call will wait for it, and so can compute meanwhile. */
static bool is_run_here(const struct trnsci_call *call)
{
	return !call->answers_to_next && !call->internal;
}

/* Starts the request of a call. */
static int start_call(struct trnsci_call *call, const struct request_call *what, struct bump *bump,
		      struct request **ret_request)
{
	struct embedded *embedded = call->session->peer;
	const struct request_run how = make_run(call);

	if (is_run_here(call))
		return request_run(embedded->engine_session, what, bump, &how, on_answered, call);
	return request_start(embedded->engine_session, what, bump, on_answered, call, ret_request);
}

static int start_prepared(struct trnsci_call *call, struct request **ret_request)
{
	struct bump *bump = bump_new_cached(&call->session->bump_cache);
	const struct request_call run = {.prepared = call->preparation.handle, .changes = changes_for_engine(&call->changes)};

	return bump ? start_call(call, &run, bump, ret_request) : -ERROR_NO_MEMORY;
}

static int embedded_prepare(struct trnsci_call *call, struct prepared **ret_prepared)
{
	struct embedded *embedded = call->session->peer;
	const struct operation *operation = operation_find(call->method, strlen(call->method));
	struct error ignored; /* the run that follows reports it */
	int r;

	if (!operation || !session_enter(call->session))
		return -ERROR_CLOSED;
	args_set_handles(&call->args, NULL);
	r = prepared_make(embedded->engine_session, operation, &call->args.map, PREPARED_BYTES_MOST, ret_prepared, &ignored);
	session_leave(call->session);
	return r;
}

/* Once the session is closed, the engine's own reference is gone. */
static void embedded_release(struct trnsci_session *session, struct prepared *prepared)
{
	struct embedded *embedded = session->peer;

	if (session_enter(session)) {
		prepared_release(embedded->engine_session, prepared_handle(prepared), NULL);
		session_leave(session);
	}
	prepared_drop(prepared);
}

/* The engine may answer before it returns, or another thread may answer and drop the table's reference: after it, only
 * the sender's reference keeps the call. */
static int start_request(struct trnsci_call *call, struct request **ret_request, struct error *err)
{
	struct bump *bump = NULL;
	const char *method = NULL;
	struct value params;
	int r = call_build_request(call, &bump, &method, &params, err);

	if (r < 0)
		return r;
	return start_call(call, &(struct request_call){.method = method, .method_size = strlen(method), .params = &params},
			  bump, ret_request);
}

/* Counts a request among those that embedded_stop waits for. Returns false if that may have waited already. */
static bool begin_request(struct trnsci_call *call, bool *ret_prepared)
{
	struct trnsci_session *session = call->session;

	pthread_mutex_lock(&session->lock);
	const bool open = !session->closed;

	((struct embedded *)session->peer)->unanswered += open;
	*ret_prepared = prepare_is_used(call);
	pthread_mutex_unlock(&session->lock);
	return open;
}

static int embedded_send(struct trnsci_call *call, struct error *err)
{
	struct trnsci_session *session = call->session;
	struct embedded *embedded = session->peer;
	struct request *request = NULL;
	bool prepared;
	int r;

	if (strcmp(call->method, "stats") == 0 && call->args.map.map.count == 0)
		return send_stats(call);
	if (!begin_request(call, &prepared))
		return error_set(err, ERROR_CLOSED, "%s: the session was closed", call->method);
	r = prepared ? start_prepared(call, &request) : start_request(call, &request, err);
	pthread_mutex_lock(&session->lock);
	if (r < 0) {
		embedded->unanswered--;
		pthread_cond_broadcast(&session->ended);
		call->answer.request = NULL;
	} else if (request && call->state == CALL_IN_FLIGHT) {
		call->answer.request = request;
		if (call->flight.cancelling)
			request_cancel(request);
	}
	pthread_mutex_unlock(&session->lock);
	return r;
}

/* With the lock the request cannot be freed meanwhile. If there is no request yet, embedded_send will see `cancelling`.
 */
static void embedded_cancel(struct trnsci_call *call)
{
	pthread_mutex_lock(&call->session->lock);
	if (call->state == CALL_IN_FLIGHT && call->answer.request)
		request_cancel(call->answer.request);
	pthread_mutex_unlock(&call->session->lock);
}

/* Returns the bytes that this process may have: the machine's memory, including swap, or less in a control group. Beyond it the
 * kernel would kill the process. */
static uint64_t machine_memory(void)
{
	const uint64_t limit = cpus_memory_limit();
	struct sysinfo info;
	uint64_t memory = MEMORY_ASSUMED;

	if (sysinfo(&info) == 0)
		memory = ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
	return memory < limit ? memory : limit;
}

/* Refuses work memory that does not fit beside the tiles: the allocation would succeed, but its pages could not be had.
 */
static int reserve_work(void *arg, uint64_t bytes, struct error *err)
{
	const struct embedded *embedded = arg;
	const uint64_t tiles = bytes < WORK_BYTES_SURE ? 0 : engine_session_bytes_used(embedded->engine_session);

	if (bytes < WORK_BYTES_SURE || (tiles < embedded->memory && bytes <= embedded->memory - tiles))
		return 0;
	return error_set(err, ERROR_NO_MEMORY,
			 "work memory: %" PRIu64 " bytes beside %" PRIu64 " bytes of tiles, the machine has %" PRIu64
			 " bytes",
			 bytes, tiles, embedded->memory);
}

static void unmap_arena(void *arg)
{
	struct mapping *mapping = arg;

	munmap(mapping->base, mapping->size);
	free(mapping);
}

/* With huge pages, but for the beginning: a process with small tiles alone would pay for a whole one. */
static void *reserve_addresses(size_t size)
{
	char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base != MAP_FAILED && size > 2 * HUGE_BYTES)
		madvise(base + HUGE_BYTES, size - HUGE_BYTES, MADV_HUGEPAGE); /* a kernel without them refuses */
	return base;
}

/* Reserves *size bytes, or less if a limit (RLIMIT_AS, strict overcommit) forbids that: then at most half of what it allows,
 * since threads, plans and work memory need address space as well. */
static void *reserve_most(uint64_t *size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), wanted = *size;
	void *base = reserve_addresses(*size);

	while (base == MAP_FAILED && *size > ARENA_BYTES_LEAST) {
		*size = *size / 2 / page * page;
		base = reserve_addresses(*size);
	}
	if (base == MAP_FAILED || *size == wanted)
		return base;
	munmap(base, *size);
	*size = *size / 2 / page * page;
	return reserve_addresses(*size);
}

/* Reserves address space only: a page costs memory when it is first touched. bytes: 0 for as much as the machine's
 * memory, or as a limit allows. */
static int add_arena(struct trnsci_session *session, size_t bytes, struct error *err)
{
	struct embedded *embedded = session->peer;
	struct mapping *mapping = malloc(sizeof *mapping);
	struct arena *arena = calloc(1, sizeof *arena);
	uint64_t size, wanted = bytes ? bytes : embedded->memory;

	if (!mapping || !arena || round_up_overflows(wanted, (uint64_t)sysconf(_SC_PAGESIZE), &size)) {
		free(mapping);
		free(arena);
		return error_set(err, ERROR_NO_MEMORY, "arena: %zu bytes", bytes);
	}
	if (bytes > embedded->memory) {
		free(mapping);
		free(arena);
		return error_set(err, ERROR_NO_MEMORY, "arena: %zu bytes, this process may have %" PRIu64, bytes, embedded->memory);
	}
	void *base = bytes ? reserve_addresses(size) : reserve_most(&size);

	if (base == MAP_FAILED) {
		free(mapping);
		free(arena);
		return error_set(err, ERROR_NO_MEMORY, "arena: %" PRIu64 " bytes of address space: %s", size,
				 strerror(errno));
	}
	*mapping = (struct mapping){base, size};
	*arena = (struct arena){.base = base, .size = size, .fd = -1};
	int r = engine_session_attach(embedded->engine_session, base, size, unmap_arena, mapping, &arena->handle);

	if (r < 0) {
		unmap_arena(mapping);
		free(arena);
		return error_set(err, (enum error_code) - r, "arena: the engine refused it");
	}
	arena_add(session, arena);
	return 0;
}

/* One is enough: address space costs nothing. */
static int embedded_begin_arenas(struct trnsci_session *session, size_t bytes, struct error *err)
{
	(void)bytes;
	pthread_mutex_lock(&session->lock);
	int r = session->arenas || session->closed ? 0 : add_arena(session, session->arena_bytes, err);
	pthread_mutex_unlock(&session->lock);
	return r;
}

static int attach_ring(struct trnsci_call *call, struct ring_link *ret_link, struct error *err)
{
	struct trnsci_session *session = call->session;
	struct embedded *embedded = session->peer;
	int r;

	if (!session_enter(session)) {
		trnsci_call_free(call);
		return error_set(err, ERROR_CLOSED, "ring_attach: the session was closed");
	}
	r = embedded_attach_ring(call, embedded->engine_session, ret_link, err);
	session_leave(session);
	return r;
}

/* Answers come from lanes' threads: the eventfd of the queue is all that there is to poll. */
static int embedded_poll_fd(struct trnsci_session *session)
{
	return session->ready_fd;
}

/* Cancels what runs. A chunk is short (base/chunk.h), and so is the wait. The engine's memory stays until nobody uses it: a request
 * that is being started has no reference yet. */
static void embedded_stop(struct trnsci_session *session)
{
	struct embedded *embedded = session->peer;

	engine_session_stop(embedded->engine_session);
	pthread_mutex_lock(&session->lock);
	session_wake(session);
	while (session_is_in_use(session) || embedded->unanswered > 0 || session->waiting)
		pthread_cond_wait(&session->ended, &session->lock);
	pthread_mutex_unlock(&session->lock);
	engine_session_close(embedded->engine_session);
}

static void embedded_destroy(struct trnsci_session *session)
{
	struct embedded *embedded = session->peer;

	arena_remove_all(session);
	engine_destroy(embedded->engine);
	free(embedded->requested_cpu);
	free(embedded);
}

/* The lanes' threads do not exist in a child: what they hold stays allocated until exec or exit. */
static void embedded_abandon(struct trnsci_session *session)
{
	(void)session;
}

static const struct session_engine embedded_engine = {
	.shares_memory = true,
	.send = embedded_send,
	.prepare = embedded_prepare,
	.release = embedded_release,
	.cancel = embedded_cancel,
	.begin_arenas = embedded_begin_arenas,
	.attach_ring = attach_ring,
	.wake_ring = embedded_wake_ring,
	.detach_ring = embedded_detach_ring,
	.poll_fd = embedded_poll_fd,
	.stop = embedded_stop,
	.destroy = embedded_destroy,
	.abandon = embedded_abandon,
};

/* An eighth of memory keeps the plans of the longest transforms that fit. Returns 0, the engine's default, if memory is
 * small. */
static size_t plan_cache_bytes(const struct embedded *embedded)
{
	return embedded->memory / 8 > PLAN_BYTES_LEAST ? (size_t)(embedded->memory / 8) : 0;
}

/* What is made belongs to `embedded`, also on failure: free_embedded destroys it. */
static int make_engine(const struct trnsci_options *options, struct embedded *embedded, struct error *err)
{
	struct engine_settings settings = {
		.threads = options->threads,
		.pin = true,
		.plan_cache_bytes = plan_cache_bytes(embedded),
		.work_memory_bytes = WORK_BYTES_KEPT,
	};
	const struct session_owner limits = {.shares_memory = true, .prepared = PREPARED_MOST, .reserve = reserve_work,
					      .reserve_arg = embedded};

	if (cpu_allowed(embedded->requested_cpu, &settings.features) < 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "cpu: no level is called %s, see TRNSCI_CPU", embedded->requested_cpu);
	int r = engine_create(&settings, &embedded->engine, err);

	if (r < 0)
		return r;
	r = engine_session_create(embedded->engine, &limits, &embedded->engine_session);
	return r < 0 ? error_set(err, (enum error_code) - r, "embedded: no memory for tiles") : 0;
}

/* Frees an engine that is only partly made. */
static void free_embedded(struct embedded *embedded)
{
	engine_session_close(embedded->engine_session);
	engine_destroy(embedded->engine);
	free(embedded->requested_cpu);
	free(embedded);
}

int embedded_open(const struct trnsci_options *options, struct trnsci_session **ret_session, struct error *err)
{
	struct embedded *embedded = calloc(1, sizeof *embedded);
	const char *requested_cpu = options->cpu ? options->cpu : getenv("TRNSCI_CPU");
	struct trnsci_session *session;

	if (!embedded || (requested_cpu && !(embedded->requested_cpu = strdup(requested_cpu)))) {
		free(embedded);
		return error_set(err, ERROR_NO_MEMORY, "embedded: no memory for a session");
	}
	embedded->memory = machine_memory();
	int r = make_engine(options, embedded, err);

	if (r < 0) {
		free_embedded(embedded);
		return r;
	}
	session = session_new(&embedded_engine, "embedded:", options);
	if (!session) {
		free_embedded(embedded);
		return error_set(err, ERROR_NO_MEMORY, "embedded: no memory for a session");
	}
	session->peer = embedded;
	*ret_session = session;
	return 0;
}
