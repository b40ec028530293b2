/* SPDX-License-Identifier: Apache-2.0 */
/* The filler's place among other clients: a ring that is never full does not keep them waiting. And what its steps are cut
 * into. */
#include <sched.h>

#include "engine/engine_core.h"
#include "engine/harness.h"
#include "engine/producers/ring.h"

enum {
	CAPACITY = 1 << 18,
	CHUNK = 16384, /* words */
	TIMES = 9,
	CHUNKS = 48, /* of the other client's request */
};

struct hungry {
	struct ring_page page;
	struct ring_index index;
	struct ring *ring;
	float *samples;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool gone;
	uint64_t seen;           /* of what was produced; the engine's thread only */
	_Atomic bool counting;   /* while the other client's request is under way */
	_Atomic uint64_t counted;
};

/* The taker that is always faster: everything is taken as soon as it is there. */
static void published(void *arg)
{
	struct hungry *hungry = arg;
	const uint64_t produced = atomic_load(&hungry->page.produced);

	if (atomic_load(&hungry->counting))
		atomic_fetch_add(&hungry->counted, produced - hungry->seen);
	hungry->seen = produced;
	atomic_store(&hungry->index.taken, produced);
}

static void gone(void *arg, const struct error *why)
{
	struct hungry *hungry = arg;

	(void)why;
	pthread_mutex_lock(&hungry->lock);
	hungry->gone = true;
	pthread_cond_signal(&hungry->changed);
	pthread_mutex_unlock(&hungry->lock);
}

static void start(struct hungry *hungry, struct engine_session *engine_session)
{
	const struct ring_memory memory = {&hungry->page, (char *)hungry->samples, &hungry->index, CAPACITY};
	const struct ring_events events = {published, gone, hungry};
	struct args args = {.operation = operation_find("ring_attach", 11), .context = "check"};
	struct value none = value_map();
	struct error err = {0};
	struct sampler *sampler;

	pthread_mutex_init(&hungry->lock, NULL);
	pthread_cond_init(&hungry->changed, NULL);
	ring_page_begin(&hungry->page, CAPACITY, sizeof *hungry->samples, 0);
	assert_int_equal(bind_args(&args, &none, &err), 0);
	assert_int_equal(sampler_create(engine_session, &args, RING_NOISE, RING_U64, NULL, NULL, &sampler, &err), 0);
	assert_int_equal(ring_create(engine_session, sampler, &memory, NULL, &events, &hungry->ring, &err), 0);
}

static void end(struct hungry *hungry)
{
	ring_close(hungry->ring, ERROR_CLOSED);
	pthread_mutex_lock(&hungry->lock);
	while (!hungry->gone)
		pthread_cond_wait(&hungry->changed, &hungry->lock);
	pthread_mutex_unlock(&hungry->lock);
	ring_free(hungry->ring);
	free(hungry->samples);
	free(hungry);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The other client's request, and the ring beside it. */
struct rival {
	struct call *call;
	struct hungry *hungry;
	_Atomic bool over;
};

static void rival_done(struct request *request, void *arg)
{
	struct rival *rival = arg;

	atomic_store(&rival->over, true);
	atomic_store(&rival->hungry->counting, false);
	call_done(request, rival->call);
}

/* What the ring publishes while a request of another client is under way. Both ends are taken by the engine's one thread,
 * so that it does not matter when the test's own thread runs. */
static uint64_t count_beside(struct hungry *hungry, struct engine_session *other, uint64_t tile)
{
	struct rival rival = {call_new(), hungry, false};

	put(rival.call, "out", value_uint(tile));
	atomic_store(&hungry->counted, 0);
	assert_int_equal(request_start(other, &(struct request_call){.method = "normal", .method_size = 6, .params = &rival.call->params},
				        rival.call->bump, rival_done, &rival,
				       &rival.call->request),
			 0);
	atomic_store(&hungry->counting, true);
	if (atomic_load(&rival.over)) /* before that */
		atomic_store(&hungry->counting, false);
	call_wait(rival.call);
	assert_null(request_error(rival.call->request));
	call_free(rival.call);
	return atomic_load(&hungry->counted);
}

/* What the ring draws while another client's request of some chunks is under way: about as many chunks, since both take
 * turns and draw the same into memory that is there, and what is published at once. Counted, not timed: one thread does
 * it all. A thread that loses its CPU within a chunk has its client pay for that, so some of the counts may be larger. */
static void test_turns(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct hungry *hungry = aligned_alloc(64, (sizeof *hungry + 63) / 64 * 64);
	const uint64_t tile = tile_of(&fixture, "f32", CHUNKS * CHUNK, NULL);
	struct engine_session *other;
	uint64_t drawn[TIMES];

	(void)state;
	memset(hungry, 0, sizeof *hungry);
	hungry->samples = aligned_alloc(64, CAPACITY * sizeof *hungry->samples);
	memset(hungry->samples, 0, CAPACITY * sizeof *hungry->samples);
	assert_int_equal(engine_session_create(fixture.engine, NULL, &other), 0);
	start(hungry, other);
	for (int i = 0; i < TIMES; i++)
		drawn[i] = count_beside(hungry, fixture.memory, tile);
	qsort(drawn, TIMES, sizeof *drawn, by_number);
	if (drawn[TIMES / 3] > 2 * CHUNKS * CHUNK + CAPACITY || drawn[TIMES - 1] == 0)
		fail_msg("while another client drew %d samples: expected at most %d of the ring, got %llu or more in %d of %d",
			 CHUNKS * CHUNK, 2 * CHUNKS * CHUNK + CAPACITY, (unsigned long long)drawn[TIMES / 3],
			 TIMES - TIMES / 3, TIMES);
	end(hungry);
	engine_session_close(other);
	fixture_close(&fixture);
}

/* Nobody waits for the end of a ring's step. Cut for all threads of an embedded engine, it would wake them for a few
 * microseconds each. */
static void embedded_steps_stay_whole(void **state)
{
	struct session_owner limits = {.shares_memory = true};
	struct fixture fixture = fixture_open_with(4, cpu_detect(), 0, &limits);
	struct hungry *hungry = aligned_alloc(64, (sizeof *hungry + 63) / 64 * 64);
	uint64_t chunks = 0, words = 0;

	(void)state;
	memset(hungry, 0, sizeof *hungry);
	hungry->samples = aligned_alloc(64, CAPACITY * sizeof *hungry->samples);
	atomic_store(&hungry->counting, true);
	start(hungry, fixture.memory);
	while (atomic_load(&hungry->counted) < 4 * CAPACITY)
		sched_yield();
	end(hungry);
	for (int i = 0; i < ENGINE_LANES; i++) {
		chunks += atomic_load(&fixture.engine->lanes[i].chunks);
		words += atomic_load(&fixture.engine->lanes[i].words);
	}
	if (chunks == 0 || words != chunks * CHUNK)
		fail_msg("expected chunks of %d words, got %llu of %llu words in all", CHUNK, (unsigned long long)chunks,
			 (unsigned long long)words);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns), cmocka_unit_test(embedded_steps_stay_whole)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
