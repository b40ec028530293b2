/* SPDX-License-Identifier: Apache-2.0 */
/* One step at a time: located, drawn by the pool's lanes, then published. */
#include "engine/producers/producer.h"

#include "engine/engine.h"

/* A producer is a job of its session, with the session's share of turns, and counts as one of its requests. Takes
 * ownership of the sampler, also when it fails. */
int producer_start(struct producer *producer, const struct job_ops *ops, const char *kind,
		   struct engine_session *session, struct sampler *sampler, const struct ring_memory *memory,
		   const struct reservation_source *source, const struct ring_events *events, struct error *err)
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
	};
	if (source)
		producer->map = (struct sample_map){.source = *source, .samples = memory->capacity};
	producer->entry.job = &producer->job;
	error = engine_session_enter(session, &producer->entry, kind, err);
	if (error)
		sampler_free(sampler);
	return error;
}

int producer_build_tables(struct producer *producer)
{
	const int more = sampler_build_tables(producer->sampler, &producer->failure);

	return more > 0 ? JOB_AGAIN : more;
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

int producer_locate(struct producer *producer, size_t *n, uint64_t *ret_at)
{
	return sample_map_locate(&producer->map, producer->memory.page, producer->samples_published, n, ret_at,
				 &producer->failure);
}

int producer_begin_step(struct producer *producer, size_t n, uint64_t at)
{
	const size_t place = (size_t)(producer->samples_published % producer->memory.capacity) *
			     sampler_sample_bytes(producer->sampler);

	producer->samples_in_flight = n;
	sampler_seek(producer->sampler, at, n, producer->memory.samples + place, &producer->job.n_chunks);
	return JOB_STAGE;
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
	sample_map_forget(&producer->map);
	const uint32_t closed_as = atomic_load(&producer->closed_as);

	producer_notify(producer, error != -ERROR_CANCELLED ? (uint32_t)-error : closed_as ? closed_as : ERROR_CLOSED);
	engine_session_leave(session, &producer->entry);
	sampler_end(producer->sampler);
	producer->events.gone(producer->events.arg, &producer->failure);
	engine_session_unref(session);
}
