/* SPDX-License-Identifier: Apache-2.0 */
/* The part that rings and broadcasts share: a job that runs until its readers are gone.
 *
 * It draws samples into shared memory step by step and publishes each step by advancing the page's counter. Clients can
 * overwrite the page, so the producer never reads its own counter back from it.
 *
 * Samples of a plain stream are consecutive. Those of a named stream lie in reservations of the session's owner
 * (deferred_reply.h): the job waits for a late one as a request does. */
#ifndef TRNSCI_ENGINE_PRODUCER_H
#define TRNSCI_ENGINE_PRODUCER_H

#include "engine/deferred_reply.h"
#include "engine/memory/engine_session_core.h"
#include "engine/producers/ring_memory.h"
#include "engine/producers/sampler.h"

struct producer {
	struct job job; /* must be the first member: the scheduler's callbacks cast back to us */
	struct session_job entry;
	struct engine_session *session;
	struct pool *pool; /* outlives the session */
	struct sampler *sampler;
	struct ring_memory memory;
	struct ring_events events;
	/* Of a named stream (NULL: it is a plain one): a reservation is taken when its first sample is to be drawn, and other
	 * clients' draws may lie between two of them. One is never given back: its samples go to nobody else. */
	const struct ring_stream *named;
	struct deferred_reply reservation; /* the owner's while the reply is REPLY_DEFERRED */
	struct error refusal;              /* the owner's text */
	atomic_int reply;                  /* 0 or an error: it is there; REPLY_DEFERRED; NOT_ASKED */
	uint64_t reserved;                 /* reservations taken so far, the last of which begins at sample `first` */
	uint64_t first;
	uint64_t samples_available; /* from the start position to the end of the stream */
	uint64_t samples_published; /* authoritative; the shared page holds a copy */
	size_t samples_in_flight;   /* in the step that is being drawn */
	uint64_t most;              /* samples of a step */
	bool has_started;           /* the sampler has its tables and memory */
	struct error failure;
	_Atomic uint32_t closed_as; /* state of the page once it is cancelled; 0: ERROR_CLOSED */
};

/* Registers the producer with its session under `kind` ("ring" or "broadcast"), which names it in errors. Takes
 * ownership of the sampler, also when it fails. named: as ring_create. most: samples of a step. The caller submits producer->job. Returns 0,
 * -ERROR_CLOSED, or -ERROR_LIMIT. */
int producer_start(struct producer *producer, const struct job_ops *ops, const char *kind,
		   struct engine_session *session, struct sampler *sampler, const struct ring_memory *memory,
		   const struct ring_stream *named, uint64_t most, const struct ring_events *events, struct error *err);

/* Goes on with what was begun: builds one piece of the sampler's tables (as long as a chunk), or begins the next stage of the
 * step. Returns JOB_AGAIN, JOB_STAGE or JOB_WAIT, then 0, or an error. */
int producer_continue(struct producer *producer);

/* Makes the last step visible to readers. Returns false if it was empty. */
bool producer_publish(struct producer *producer);

/* Sets the page's state and wakes readers that sleep. */
void producer_notify(struct producer *producer, uint32_t state);

/* Finds where the next sample lies in the stream. Takes a new reservation where one begins, and publishes it in the page. A
 * reservation is as long as the memory, so a step that does not wrap lies in one. Returns 0, REPLY_DEFERRED (the job is woken when the reply is there), or the owner's
 * error. */
int producer_locate(struct producer *producer, uint64_t *ret_at);

/* Begins a step: n samples from sample `at` of the stream. Returns as producer_continue. */
int producer_begin_step(struct producer *producer, size_t n, uint64_t at);

/* As job_ops.run. */
uint64_t producer_run_chunk(struct job *job, size_t chunk, void *scratch);

/* Ends the job: reports the failure under `kind`, leaves the session and calls events.gone, which may free the
 * producer. */
void producer_finish(struct producer *producer, const char *kind, int error);

#endif
