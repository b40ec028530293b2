/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/producers/producer.h"

#include "engine/engine.h"

int feed_begin(struct feed *feed, const struct job_ops *ops, const char *what, struct space *space, struct noise *noise,
	       const struct ring_memory *memory, const struct ranges_source *ranges, const struct ring_events *events,
	       struct error *err)
{
	int error;

	*feed = (struct feed){
		.job = {.ops = ops, .turn = &space->turn},
		.space = space,
		.pool = space->engine->pool,
		.noise = noise,
		.memory = *memory,
		.events = *events,
		.samples = noise_samples(noise),
	};
	if (ranges)
		feed->ranges = (struct ranges){.source = *ranges, .samples = memory->capacity};
	feed->entry.job = &feed->job;
	error = space_enter(space, &feed->entry, what, err);
	if (error)
		noise_free(noise);
	return error;
}

int feed_make(struct feed *feed)
{
	const int more = noise_make(feed->noise, &feed->why);

	return more > 0 ? JOB_AGAIN : more;
}

bool feed_publish(struct feed *feed)
{
	if (feed->filling == 0)
		return false;
	feed->produced += feed->filling;
	feed->filling = 0;
	atomic_store_explicit(&feed->memory.page->produced, feed->produced, memory_order_release);
	return true;
}

void feed_tell(struct feed *feed, uint32_t state)
{
	atomic_store_explicit(&feed->memory.page->state, state, memory_order_release);
	atomic_fetch_add_explicit(&feed->memory.page->news, 1, memory_order_release);
	feed->events.published(feed->events.arg);
}

int feed_find(struct feed *feed, size_t *n, uint64_t *ret_at)
{
	return ranges_find(&feed->ranges, feed->memory.page, feed->produced, n, ret_at, &feed->why);
}

int feed_aim(struct feed *feed, size_t n, uint64_t at)
{
	const size_t place = (size_t)(feed->produced % feed->memory.capacity) * noise_sample_bytes(feed->noise);

	feed->filling = n;
	noise_aim(feed->noise, at, n, feed->memory.samples + place, &feed->job.n_units);
	return JOB_STAGE;
}

uint64_t feed_run(struct job *job, size_t unit, void *scratch)
{
	return noise_run(((struct feed *)job)->noise, unit, scratch);
}

/* The caller's reference to the space outlives `gone`. */
void feed_finish(struct feed *feed, const char *what, int error)
{
	struct space *space = feed->space;

	if (!feed->why.code)
		error_set(&feed->why, (enum error_code) - error, "%s: %s", what, error_meaning(error));
	ranges_forget(&feed->ranges);
	feed_tell(feed, error == -ERROR_CANCELLED ? ERROR_CLOSED : (uint32_t)-error);
	space_leave(space, &feed->entry);
	noise_end(feed->noise);
	feed->events.gone(feed->events.arg, &feed->why);
	space_unref(space);
}
