/* SPDX-License-Identifier: Apache-2.0 */
/* The filler of a ring, whose taker writes what it likes into its index and wakes it when it likes: the ring ends
 * exactly when the index cannot be, and no sample is written elsewhere than it must.
 *
 * Input: pairs of bytes, what to do with the index, and by how much. The ring settles between them, so a model knows
 * what must come. */
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"
#include "engine/engine.h"
#include "engine/producers/ring.h"
#include "engine/request.h"
#include "harness/wait.h"

enum { CAPACITY = 64, HALF = CAPACITY / 2, STEP = HALF, GUARD = 64, STEPS_MOST = 12, BARRIER = 12000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct engine_session *engine_session;

struct fixture {
	struct ring_page page;
	struct ring_index index;
	uint32_t memory[GUARD + CAPACITY + GUARD];
	_Atomic uint32_t gone;
	_Atomic int code;
};

static void published(void *arg)
{
	struct fixture *fixture = arg;

	syscall(SYS_futex, &fixture->page.news, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void on_gone(void *arg, const struct error *why)
{
	struct fixture *fixture = arg;

	atomic_store(&fixture->code, why->code);
	atomic_store(&fixture->gone, 1);
}

static void must(int right)
{
	if (!right)
		abort();
}

static struct ring *make(struct fixture *fixture)
{
	const struct ring_memory memory = {&fixture->page, (char *)(fixture->memory + GUARD), &fixture->index,
					   CAPACITY};
	const struct ring_events events = {published, on_gone, fixture};
	struct value map = value_map(), *params = &map, noise = value_map();
	struct args args = {.operation = operation_find("ring_attach", 11), .context = "fuzz"};
	struct bump *bump = bump_new();
	struct sampler *bits;
	struct ring *ring;

	memset(fixture->memory, 0xa5, sizeof fixture->memory);
	must(value_put(bump, &noise, "op", value_string("bits")) == 0 && value_put(bump, &map, "noise", noise) == 0);
	must(bind_args(&args, params, NULL) == 0);
	must(sampler_create(engine_session, &args, RING_NOISE, RING_U64, NULL, NULL, &bits, NULL) == 0);
	must(ring_create(engine_session, bits, &memory, NULL, &events, &ring, NULL) == 0);
	bump_free(bump);
	return ring;
}

static void on_done(struct request *request, void *arg)
{
	(void)request;
	atomic_store((_Atomic int *)arg, 1);
}

/* The one thread serves a client's jobs in turn: when this one, too long to be computed here, is answered, the ring has
 * looked since it was woken. */
static void pass_barrier(void)
{
	struct bump *bump = bump_new();
	struct value map = value_map();
	struct request *request;
	_Atomic int done = 0;

	must(value_put(bump, &map, "n", value_uint(BARRIER)) == 0);
	must(request_start(engine_session, &(struct request_call){.method = "exponential", .method_size = 11, .params = &map},
			   bump, on_done, (void *)&done, &request) == 0);
	AWAIT(atomic_load(&done));
	must(!request_error(request));
	request_free(request);
}

/* Until it has looked, and sleeps with all that can be drawn or is gone. */
static void settle(const struct fixture *fixture, uint64_t produced)
{
	pass_barrier();
	AWAIT(atomic_load(&fixture->gone) ||
	      (atomic_load(&fixture->page.asleep) && atomic_load(&fixture->page.produced) == produced));
}

static void wait_gone(const struct fixture *fixture)
{
	AWAIT(atomic_load(&fixture->gone));
}

static uint64_t next_index(uint64_t taken, uint64_t produced, uint8_t what, uint8_t by)
{
	switch (what % 8) {
	case 0:
		return taken - by;
	case 1:
		return produced + by;
	case 2:
		return UINT64_MAX - by;
	case 3:
		return (uint64_t)1 << (by % 64);
	case 4:
		return produced;
	default:
		return taken + by % (produced - taken + 1);
	}
}

static void check_guards(const struct fixture *fixture)
{
	for (size_t i = 0; i < GUARD; i++)
		must(fixture->memory[i] == 0xa5a5a5a5 && fixture->memory[GUARD + CAPACITY + i] == 0xa5a5a5a5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fixture *fixture = aligned_alloc(64, (sizeof *fixture + 63) / 64 * 64);
	uint64_t taken = 0, slept_at = 0, produced = CAPACITY;
	struct engine *engine;
	struct ring *ring;
	int lied = 0;

	if (!engine_session) {
		must(engine_create(&(struct engine_settings){.threads = 1}, &engine, NULL) == 0);
		must(engine_session_create(engine, NULL, &engine_session) == 0);
	}
	memset(fixture, 0, sizeof *fixture);
	ring = make(fixture);
	settle(fixture, produced);
	for (size_t i = 0; i + 1 < size && i < 2 * STEPS_MOST && !lied; i += 2) {
		const uint64_t index = next_index(taken, produced, data[i], data[i + 1]);

		lied = index < taken || index > produced;
		atomic_store(&fixture->index.taken, index);
		ring_wake(ring);
		if (lied)
			break;
		/* It sleeps until a multiple of half a ring is passed, then fills up, step by step. */
		if (index / HALF != slept_at / HALF) {
			produced += (CAPACITY - (produced - index)) / STEP * STEP;
			slept_at = index;
		}
		taken = index;
		settle(fixture, produced);
	}
	if (lied)
		wait_gone(fixture);
	must(!lied == !atomic_load(&fixture->gone));
	ring_close(ring, ERROR_CLOSED);
	wait_gone(fixture);
	must(atomic_load(&fixture->code) == (lied ? ERROR_OUT_OF_RANGE : ERROR_CANCELLED));
	must(atomic_load(&fixture->page.produced) == produced);
	check_guards(fixture);
	ring_free(ring);
	free(fixture);
	return 0;
}
