/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in place: alone, or short draws in a batch. */
#include "runs.h"

#include <assert.h>
#include <stddef.h>

#include "engine/call/prepared.h"

static const char RUN_PREPARED[] = "run_prepared";

static_assert((int)RUN_PREPARED_SEED == (int)PREPARED_SEED && (int)RUN_PREPARED_STREAM == (int)PREPARED_STREAM &&
		      (int)RUN_PREPARED_OFFSET == (int)PREPARED_OFFSET,
	      "the wire and the engine name the same parameters of a run by the same bits");

/* Tiles behind the last that is given are the call's own. Most runs give none, or one. */
static size_t count_tiles(const uint32_t tiles[RUN_PREPARED_TILES])
{
	size_t n = RUN_PREPARED_TILES;
	uint32_t others = 0;

	for (size_t i = 1; i < RUN_PREPARED_TILES; i++)
		others |= tiles[i];
	if (!others)
		return tiles[0] != 0;
	while (tiles[n - 1] == 0)
		n--;
	return n;
}

/* only_tiles: results in the reply are refused, since a completion has no room for them. */
static struct prepared_changes changes_of_run(const struct run_prepared *run, bool only_tiles)
{
	return (struct prepared_changes){.given = run->given,
					 .seed = run->seed,
					 .stream = run->stream,
					 .offset = run->offset,
					 .tiles = run->tiles,
					 .n_tiles = count_tiles(run->tiles),
					 .only_tiles = only_tiles};
}

/* A run that has ended in this thread. */
static void end_run(struct session *session, const struct run_prepared *run, run_completed *completed,
		    const struct error *error, const struct value *result)
{
	if (completed)
		completed(session, run->user, error, result);
	else
		session_reply(session, (uint32_t)run->user, error, result, NULL);
}

/* Takes a job, or the one that the run before has left. */
static int take_job(struct session *session, struct error *err)
{
	if (!session->holds_job)
		return quota_share_take(&session->jobs, 1, err);
	session->holds_job = false;
	return 0;
}

void runs_end(struct session *session)
{
	if (session->holds_job)
		quota_share_give(&session->jobs, 1);
	session->holds_job = false;
}

static void count_runs(struct session *session, unsigned n)
{
	requests_note_computing(session);
	session->requests += n;
	session->service->stats.requests += n;
	session->service->stats.requests_prepared += n;
}

/* Takes a job for runs of a turn, or keeps the one of the run before. */
static bool keep_job(struct session *session)
{
	session->holds_job = session->holds_job || quota_share_take(&session->jobs, 1, NULL) == 0;
	return session->holds_job;
}

bool runs_draw(struct session *session, struct prepared_batch *batch, const struct run_prepared *run,
	       struct draw_position *ret_position)
{
	const struct prepared_changes changes = changes_of_run(run, true);

	return keep_job(session) && prepared_batch_run(batch, run->prepared, &changes, ret_position);
}

bool runs_reply_draw(struct session *session, struct prepared_batch *batch, const struct run_prepared *run)
{
	const struct prepared_changes changes = changes_of_run(run, false);
	const struct value *result = keep_job(session) ? prepared_batch_reply(batch, run->prepared, &changes) : NULL;

	if (!result)
		return false;
	session_reply(session, (uint32_t)run->user, NULL, result, NULL);
	return true;
}

void runs_close_batch(struct session *session, struct prepared_batch *batch, uint64_t took_ns)
{
	if (batch->is_open && batch->runs)
		count_runs(session, batch->runs);
	prepared_batch_end(batch, took_ns);
}

void runs_end_batch(struct session *session, struct prepared_batch *batch, unsigned answered)
{
	struct service *service = session->service;
	uint64_t now, took_ns;

	if (answered == 0) {
		runs_close_batch(session, batch, 0);
		return;
	}
	now = stats_now_ns();
	took_ns = now - service->clock_ns;
	runs_close_batch(session, batch, took_ns);
	latency_add_many(&service->latency[LATENCY_PREPARED], took_ns, answered);
	if (session_is_slow(session, took_ns))
		session_note_slow(session, &(struct slow_request){.method = RUN_PREPARED, .total_ns = took_ns});
	service->clock_ns = now;
}

void runs_start(struct session *session, const struct run_prepared *run, run_completed *completed)
{
	const struct prepared_changes changes = changes_of_run(run, completed);
	struct error err = {.code = 0};
	struct prepared *prepared;
	const struct value *result;

	count_runs(session, 1);
	if (take_job(session, &err) < 0) {
		end_run(session, run, completed, &err, NULL);
		return;
	}
	result = prepared_rerun_listed(session->memory, run->prepared, &changes, &prepared);
	if (result) {
		session->service->frame_class = LATENCY_PREPARED;
		session->service->frame_method = RUN_PREPARED;
		end_run(session, run, completed, NULL, result);
		prepared_give(prepared);
	} else if (requests_start_run(session, run, &changes, completed, &err) == 0) {
		return;
	} else {
		end_run(session, run, completed, &err, NULL);
	}
	session->holds_job = true;
}
