/* SPDX-License-Identifier: Apache-2.0 */
/* One step at a time: located, drawn by the pool's lanes, then published. */
#include "engine/producers/producer.h"

#include <stddef.h>
#include <string.h>

#include "engine/engine.h"

enum { NOT_ASKED = REPLY_DEFERRED + 1 };

/* Takes the owner's reply, on a thread that may hold locks of the owner. */
static void on_reserved(struct deferred_reply *reservation, int error)
{
	struct producer *producer = (struct producer *)((char *)reservation - offsetof(struct producer, reservation));

	atomic_store_explicit(&producer->reply, error, memory_order_release);
	pool_wake(producer->pool, &producer->job);
}

static void init_reservations(struct producer *producer, const struct ring_stream *named)
{
	producer->named = named;
	producer->reply = NOT_ASKED;
	producer->reservation = (struct deferred_reply){.error = &producer->refusal,
							.same = &named->stream,
							.n = producer->memory.capacity,
							.words = sampler_words(producer->sampler),
							.send = on_reserved};
}

/* A producer is a job of its session, with the session's share of turns, and counts as one of its requests. Takes
 * ownership of the sampler, also when it fails. */
int producer_start(struct producer *producer, const struct job_ops *ops, const char *kind,
		   struct engine_session *session, struct sampler *sampler, const struct ring_memory *memory,
		   const struct ring_stream *named, uint64_t most, const struct ring_events *events, struct error *err)
{
	int error;

	*producer = (struct producer){
		.job = {.ops = ops, .fair_entry = &session->fair_entry},
		.session = session,
		.pool = session->engine->pool,
		.sampler = sampler,
		.memory = *memory,
		.events = *events,
		.samples_available = sampler_samples(sampler),
		.most = most,
	};
	if (named)
		init_reservations(producer, named);
	producer->entry.job = &producer->job;
	error = engine_session_enter(session, &producer->entry, kind, err);
	if (error)
		sampler_free(sampler);
	return error;
}

/* Returns JOB_AGAIN until the sampler has its tables and memory. */
static int start_sampler(struct producer *producer)
{
	const int more = sampler_build_tables(producer->sampler, &producer->failure);

	if (more != 0)
		return more > 0 ? JOB_AGAIN : more;
	producer->has_started = true;
	return sampler_start(producer->sampler, &producer->job, producer->most);
}

int producer_continue(struct producer *producer)
{
	int next = producer->has_started ? 0 : start_sampler(producer);

	if (next == 0 && producer->samples_in_flight > 0)
		next = sampler_advance(producer->sampler, &producer->job.n_chunks);
	return next == JOB_END ? 0 : next;
}

bool producer_publish(struct producer *producer)
{
	if (producer->samples_in_flight == 0)
		return false;
	producer->samples_published += producer->samples_in_flight;
	producer->samples_in_flight = 0;
	atomic_store_explicit(&producer->memory.page->produced, producer->samples_published, memory_order_release);
	return true;
}

void producer_notify(struct producer *producer, uint32_t state)
{
	atomic_store_explicit(&producer->memory.page->state, state, memory_order_release);
	atomic_fetch_add_explicit(&producer->memory.page->news, 1, memory_order_release);
	producer->events.published(producer->events.arg);
}

/* Asks for a reservation unless that was done, and returns the reply. It may come before `reserve` has returned. */
static int ask_reservation(struct producer *producer)
{
	const struct session_owner *owner = &producer->session->limits;
	int reply = atomic_load_explicit(&producer->reply, memory_order_acquire);

	if (reply == NOT_ASKED) {
		atomic_store_explicit(&producer->reply, REPLY_DEFERRED, memory_order_relaxed);
		reply = owner->deferred->reserve(owner->deferred_arg, producer->named->name, strlen(producer->named->name),
						 "named stream", &producer->reservation);
	}
	if (reply != REPLY_DEFERRED)
		atomic_store_explicit(&producer->reply, NOT_ASKED, memory_order_relaxed);
	return reply;
}

/* The page has the last four reservations: the client can have unread samples of the last two at most, since one is as
 * long as the ring. */
static int take_reservation(struct producer *producer, uint64_t number)
{
	const int reply = ask_reservation(producer);

	if (reply < 0)
		producer->failure = producer->refusal;
	if (reply != 0)
		return reply;
	producer->reserved = number + 1;
	producer->first = producer->reservation.offset;
	atomic_store_explicit(&producer->memory.page->ranges[number % RING_RANGES], producer->first, memory_order_release);
	return 0;
}

int producer_locate(struct producer *producer, uint64_t *ret_at)
{
	const uint64_t sample = producer->samples_published, capacity = producer->memory.capacity;
	const uint64_t number = sample / capacity, within = sample % capacity;
	int reply = 0;

	*ret_at = sample;
	if (!producer->named)
		return 0;
	if (number + 1 != producer->reserved)
		reply = take_reservation(producer, number);
	if (reply != 0)
		return reply;
	*ret_at = producer->first + within;
	return 0;
}

int producer_begin_step(struct producer *producer, size_t n, uint64_t at)
{
	const size_t place = (size_t)(producer->samples_published % producer->memory.capacity) *
			     sampler_sample_bytes(producer->sampler);

	producer->samples_in_flight = n;
	sampler_seek(producer->sampler, at, n, producer->memory.samples + place);
	return producer_continue(producer);
}

uint64_t producer_run_chunk(struct job *job, size_t chunk, void *scratch)
{
	return sampler_run_chunk(((struct producer *)job)->sampler, chunk, scratch);
}

/* Holds its reference to the session until `gone` has returned. */
void producer_finish(struct producer *producer, const char *kind, int error)
{
	struct engine_session *session = producer->session;

	if (!producer->failure.code)
		error_set(&producer->failure, (enum error_code) - error, "%s: %s", kind, error_meaning(error));
	if (producer->named)
		session->limits.deferred->forget(session->limits.deferred_arg, &producer->reservation);
	const uint32_t closed_as = atomic_load(&producer->closed_as);

	producer_notify(producer, error != -ERROR_CANCELLED ? (uint32_t)-error : closed_as ? closed_as : ERROR_CLOSED);
	engine_session_leave(session, &producer->entry);
	sampler_end(producer->sampler);
	producer->events.gone(producer->events.arg, &producer->failure);
	engine_session_unref(session);
}
