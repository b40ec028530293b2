/* SPDX-License-Identifier: Apache-2.0 */
/* The filler's place among other clients: a ring that is never full does not keep them waiting. */
#include "engine/harness.h"
#include "engine/producers/ring.h"

enum {
	CAPACITY = 1 << 18,
	CHUNK = 16384, /* words */
	TIMES = 9,
	CHUNKS = 12, /* of the other client's request */
};

struct hungry {
	struct ring_page page;
	struct ring_index index;
	struct ring *ring;
	float *samples;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool gone;
};

/* The taker that is always faster: everything is taken as soon as it is there. */
static void published(void *arg)
{
	struct hungry *hungry = arg;

	atomic_store(&hungry->index.taken, atomic_load(&hungry->page.produced));
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

static void start(struct hungry *hungry, struct space *space)
{
	const struct ring_memory memory = {&hungry->page, (char *)hungry->samples, &hungry->index, CAPACITY};
	const struct ring_events events = {published, gone, hungry};
	struct args args = {.operation = operation_find("ring_attach", 11), .context = "check"};
	struct value none = value_map();
	struct error err = {0};
	struct noise *noise;

	pthread_mutex_init(&hungry->lock, NULL);
	pthread_cond_init(&hungry->changed, NULL);
	ring_page_begin(&hungry->page, CAPACITY, sizeof *hungry->samples, 0);
	assert_int_equal(bind_args(&args, &none, &err), 0);
	assert_int_equal(noise_create(space, &args, RING_NOISE, RING_U64, NULL, &noise, &err), 0);
	assert_int_equal(ring_create(space, noise, &memory, NULL, &events, &hungry->ring, &err), 0);
}

static void end(struct hungry *hungry)
{
	ring_close(hungry->ring);
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

/* What the ring draws while another client's request of some chunks is under way: about as many chunks, since both take
 * turns, and what is published at once. Counted, not timed: one thread does it all. */
static void test_turns(void **state)
{
	struct bed bed = bed_open(1);
	struct hungry *hungry = aligned_alloc(64, (sizeof *hungry + 63) / 64 * 64);
	struct space *other;
	uint64_t drawn[TIMES];

	(void)state;
	memset(hungry, 0, sizeof *hungry);
	hungry->samples = aligned_alloc(64, CAPACITY * sizeof *hungry->samples);
	assert_int_equal(space_create(bed.engine, NULL, &other), 0);
	start(hungry, bed.space);
	for (int i = 0; i < TIMES; i++) {
		struct call *call = call_new();

		value_put(call->bump, &call->params, "n", value_uint(CHUNKS * CHUNK));
		drawn[i] = atomic_load(&hungry->page.produced);
		call_start(call, other, "normal");
		call_wait(call);
		drawn[i] = atomic_load(&hungry->page.produced) - drawn[i];
		assert_null(request_error(call->request));
		call_free(call);
	}
	qsort(drawn, TIMES, sizeof *drawn, by_number);
	if (drawn[TIMES / 2] > 2 * CHUNKS * CHUNK + CAPACITY || drawn[TIMES - 1] == 0)
		fail_msg("while another client drew %d samples: expected at most %d of the ring, got %llu (median of %d)",
			 CHUNKS * CHUNK, 2 * CHUNKS * CHUNK + CAPACITY, (unsigned long long)drawn[TIMES / 2], TIMES);
	end(hungry);
	space_close(other);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
