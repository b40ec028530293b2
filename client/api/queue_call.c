/* SPDX-License-Identifier: Apache-2.0 */
/* A small call that is run often goes through the queue: one step, whose reply states only numbers that a completion has, and
 * whose results are few enough that nobody would cancel it. */
#include "queue_call.h"

#include <string.h>

#include "base/dtype.h"
#include "call/prepare.h"
#include "call/queued_call.h"
#include "call/run.h"
#include "session/public_error.h"
#include "tile.h"
#include "tile_pool.h"

enum {
	RUNS_OFTEN = 64,             /* within TIME_OFTEN_NS: often. A queue pays for itself after as many */
	TIME_OFTEN_NS = 2000000000,  /* 32 runs a second: each of a crowd of hundreds has not many more */
	RUNS_ASKED = 4,              /* where the options ask for a queue */
	RESULT_MOST = 256 << 10,     /* bytes in the reply, which lie in a tile of the library's own */
	TILE_MOST = 1 << 20,         /* bytes: by the socket a call takes 5 to 8 us more */
	ANSWER_MS = 1000,            /* to wait for the daemon's answers */
	NOT_YET = 1,
};

static bool is_often(struct trnsci_call *call)
{
	if (atomic_load_explicit(&call->session->queue_refused, memory_order_relaxed))
		return false;
	if (call->queue.runs++ == 0)
		call->queue.began_ns = clock_ns();
	if (call->session->queue_option > 0)
		return call->queue.runs >= RUNS_ASKED;
	if (call->queue.runs < RUNS_OFTEN)
		return false;
	call->queue.runs = 0;
	return clock_ns() - call->queue.began_ns < TIME_OFTEN_NS;
}

/* ---- the tile of the results ---- */

static void free_own_tile(struct queued_call *queued)
{
	if (queued->own)
		prepare_release(queued->own->session, queued->prepared, queued->connection);
	trnsci_tile_free(queued->own);
	queued->own = NULL;
}

static int make_own_tile(struct trnsci_session *session, const struct value *reply, struct queued_call *queued)
{
	struct trnsci_array like;
	struct error ignored;

	if (trnsci_value_to_array((const struct trnsci_value *)(const void *)reply, &like) < 0 || like.bytes > RESULT_MOST ||
	    like.bytes == 0)
		return -ERROR_NOT_SUPPORTED;
	queued->release = free_own_tile;
	return tile_pool_take(session, &like, &queued->own, &ignored);
}

static bool is_output(void *arg, const struct args_tile *at)
{
	struct trnsci_tile **out = arg;

	if (!at->output)
		return false;
	*out = at->tile;
	return true;
}

/* ---- the prepared call ---- */

/* The same call with another name for its output; the tree itself stays as its owner set it. */
static int prepare_with_tile(struct trnsci_call *call, struct queued_call *queued)
{
	struct trnsci_call *prepare;
	struct error error;
	uint64_t handle = 0;
	int r = call_new(call->session, "prepare", &prepare);

	if (r < 0)
		return r;
	prepare->internal = true;
	prepare->tied = true;
	prepare->tied_to = queued->connection;
	prepare->preparation.prepares_into = queued->own;
	prepare->preparation.prepares = call;
	r = call_run_until(prepare, NULL, deadline_after(ANSWER_MS));
	prepare->preparation.prepares = NULL;
	if (r == 0)
		r = call_reply_u64(prepare, "prepared", &handle, &error);
	if (r == 0 && (handle == 0 || handle > UINT32_MAX || prepare->connection != queued->connection))
		r = -ERROR_CLOSED;
	queued->prepared = (uint32_t)handle;
	trnsci_call_free(prepare);
	return r;
}

/* ---- all of it ---- */

static bool is_one_step(const struct trnsci_call *call)
{
	const struct operation *operation = operation_find(call->method, strlen(call->method));

	return operation && operation->start == START_COMPILED && strcmp(call->method, "run") != 0;
}

/* With the last reply, if that is one of these parameters, and the call is prepared. Returns NOT_YET if not. */
static int begin_queued(struct trnsci_call *call, struct queued_call **ret_queued)
{
	int r = NOT_YET;

	if (!is_one_step(call))
		return -ERROR_NOT_SUPPORTED;
	pthread_mutex_lock(&call->session->lock);
	if (call->state == CALL_DONE && call->answer.reply && prepare_is_used(call) && call->connection == call->session->connection)
		r = queued_call_new(call, ret_queued);
	if (r == 0) {
		(*ret_queued)->prepared = call->preparation.handle;
		(*ret_queued)->connection = call->connection;
		(*ret_queued)->version = call->args.version;
	}
	pthread_mutex_unlock(&call->session->lock);
	return r;
}

static int find_results(struct trnsci_call *call, struct queued_call *queued)
{
	struct trnsci_tile *out = NULL;
	int r;

	if (!queued->data) {
		if (!args_visit_tiles(&call->args, NULL, is_output, &out) || out->bytes > TILE_MOST)
			return -ERROR_NOT_SUPPORTED;
		queued->out = tile_ref(out);
		return 0;
	}
	r = make_own_tile(call->session, &queued->reply, queued);
	return r < 0 ? r : prepare_with_tile(call, queued);
}

static void drop_queued(struct trnsci_call *call)
{
	if (call->queue.slot)
		call_drop_reply(call); /* it lies there */
	call_end_queued(call);
}

static void make_queued(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	struct queued_call *queued = NULL;
	struct error error;
	int r = begin_queued(call, &queued);

	if (r == NOT_YET)
		return;
	if (r == 0)
		r = find_results(call, queued);
	if (r == 0) {
		r = session->engine->begin_queue(session, &error);
		if (r < 0)
			atomic_store(&session->queue_refused, true);
	}
	if (r < 0) {
		call->queue.refused_version = call->args.version + 1;
		queued_call_free(queued);
		return;
	}
	call_set_queued(call, queued);
}

void queue_call_count(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	const struct queued_call *queued = call->queue.slot;

	if (queued && queued->version == call->args.version && !queued->outdated)
		return;
	if (!session->engine->begin_queue || session->queue_option < 0 || session_check(session, NULL) < 0)
		return;
	if (call->internal || call->state == CALL_IN_FLIGHT || call->queue.refused_version == call->args.version + 1 ||
	    !args_are_good(&call->args))
		return;
	if (queued) {
		drop_queued(call);
		call->queue.runs = 0;
	}
	if (is_often(call))
		make_queued(call);
}
