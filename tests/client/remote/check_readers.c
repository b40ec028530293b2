/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of rings and broadcasts whose daemon ends, by SIGTERM and by SIGKILL, and is started again: their bytes are those of one
 * straight draw, and what was skipped is reported once. */
#include <pthread.h>

#include "harness/wait.h"
#include "restart.h"

enum { RESTARTS = 4, PIECES = 6, LONGEST = 1 << 15 };

/* Pieces of lengths that do not divide the ring. */
static const uint64_t lengths[PIECES] = {1, 3001, 17, 12289, 4096, 777};

struct source_case {
	struct drawing draw;
	enum trnsci_dtype dtype;
	uint64_t components;
};

static const double h[] = {0.5, 0.25, -0.125};

static const struct source_case noises[] = {
	{{.distribution = "normal", .source = {.seed = 6}}, TRNSCI_F32, 1},
	{{.distribution = "uniform", .source = {.seed = 7, .stream = 3, .offset = 12345}}, TRNSCI_F64, 1},
	{{.distribution = "exponential", .source = {.seed = 8, .position = 4 * 1001, .offset = 5}}, TRNSCI_F32, 1},
	{{.distribution = "normal", .source = {.seed = 8, .position = 4 * 1001}}, TRNSCI_F64, 1},
	{{.distribution = "gamma", .source = {.generator = "philox4x32", .seed = 9}, .params = {F64("shape", 0.7)}}, TRNSCI_F32, 1},
	{{.distribution = "dirichlet", .source = {.seed = 10, .offset = 7}, .params = {F64S("alpha", h, 2)}}, TRNSCI_F32, 2},
};

/* ---- rings ---- */

static void expect_piece(const struct source_case *noise, uint64_t at, uint64_t n, const char *got)
{
	static char expected[LONGEST * 16];
	struct drawing draw = noise->draw;
	const size_t bytes = (size_t)(n * noise->components) * trnsci_dtype_size(noise->dtype);
	struct trnsci_error err;

	draw.source.offset += at;
	if (draw_array(own, &draw, noise->dtype, n * noise->components, expected, NULL, &err) < 0)
		fail_msg("%s: %s", draw.distribution, err.text);
	if (memcmp(got, expected, bytes) != 0)
		fail_msg("%s: samples %llu and the %llu behind it are not those of one draw", draw.distribution,
			 (unsigned long long)at, (unsigned long long)n);
}

static void go_on(const struct source_case *noise, bool borrows)
{
	static char got[LONGEST * 16];
	struct trnsci_reader_info before, info;
	struct trnsci_reader *ring;
	struct trnsci_error err;
	uint64_t taken = 0;

	if (draw_ring(remote, &noise->draw, noise->dtype, 0, &ring, &err) < 0)
		fail_msg("%s: %s", noise->draw.distribution, err.text);
	trnsci_reader_describe(ring, &before);
	assert_int_equal(before.components, noise->components);
	for (int i = 0; i < RESTARTS * PIECES; i++) {
		const uint64_t n = lengths[i % PIECES];
		const void *lent = got;
		int r;

		if (i % PIECES == PIECES / 2)
			restart(signals[i / PIECES % 2]);
		r = borrows ? trnsci_reader_borrow(ring, n, 20000, &lent, NULL, &err) : trnsci_reader_take(ring, got, n, 20000, NULL, &err);
		if (r < 0)
			fail_msg("%s: expected samples after a restart, got %s", noise->draw.distribution, err.text);
		expect_piece(noise, taken, n, lent);
		if (borrows)
			assert_int_equal(trnsci_reader_release(ring, n, NULL), 0);
		taken += n;
	}
	struct trnsci_reader_span place;

	/* All that the last daemon had drawn is taken: the next sample is drawn by the next one. */
	restart(SIGKILL);
	trnsci_reader_describe(ring, &info);
	for (uint64_t n; (n = info.produced - info.taken) > 0; trnsci_reader_describe(ring, &info)) {
		n = n < LONGEST ? n : LONGEST;
		assert_int_equal(trnsci_reader_take(ring, got, n, 0, NULL, &err), 0);
		expect_piece(noise, taken, n, got);
		taken += n;
	}
	assert_int_equal(ring_place(ring, 20000, &place, &err), 0);
	assert_int_equal(place.offset, before.offset + taken);
	trnsci_reader_describe(ring, &info);
	assert_int_equal(info.offset, before.offset);
	assert_int_equal(info.position, before.position);
	assert_int_equal(info.taken, taken);
	assert_true(info.produced > taken);
	assert_true(info.restarts >= 1);
	assert_int_equal(info.skipped, 0);
	trnsci_reader_detach(ring);
}

static void rings_go_on(void **state)
{
	(void)state;
	open_both();
	for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
		go_on(&noises[i], i % 2);
	close_both();
}

/* The connection is lost, the daemon is not: it ends the ring with the session. */
static void cut_connections(void **state)
{
	static float got[1 << 17];
	struct trnsci_reader *ring;
	struct trnsci_error err;
	uint64_t taken = 0;

	(void)state;
	open_both();
	assert_int_equal(draw_ring(remote, &noises[0].draw, TRNSCI_F32, 0, &ring, NULL), 0);
	for (int i = 0; i < 5; i++) {
		cut();
		if (trnsci_reader_take(ring, got, 1 << 17, 20000, NULL, &err) < 0)
			fail_msg("expected samples, got %s", err.text);
		for (uint64_t at = 0; at < 1 << 17; at += LONGEST)
			expect_piece(&noises[0], taken + at, LONGEST, (char *)(got + at));
		taken += 1 << 17;
	}
	trnsci_reader_detach(ring);
	ping();
	close_both();
}

struct reader {
	struct trnsci_reader *ring;
	atomic_bool over;
	atomic_ulong taken;
};

static void *take_on(void *arg)
{
	static float got[4096];
	struct reader *reader = arg;
	struct trnsci_error err;

	while (!atomic_load(&reader->over)) {
		if (trnsci_reader_take(reader->ring, got, 4096, 20000, NULL, &err) < 0)
			fail_msg("expected samples, got %s", err.text);
		expect_piece(&noises[0], atomic_load(&reader->taken), 4096, (char *)got);
		atomic_fetch_add(&reader->taken, 4096);
	}
	return NULL;
}

/* At any moment of a reader that never stops. */
static void at_any_moment(void **state)
{
	struct reader reader = {0};
	struct trnsci_reader_info info;
	pthread_t thread;

	(void)state;
	open_both();
	assert_int_equal(draw_ring(remote, &noises[0].draw, TRNSCI_F32, 0, &reader.ring, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, take_on, &reader), 0);
	for (int i = 0; i < 10; i++) {
		const unsigned long before = atomic_load(&reader.taken);

		AWAIT(atomic_load(&reader.taken) > before + (1 << 17));
		restart(signals[i % 2]);
	}
	const unsigned long last = atomic_load(&reader.taken);

	AWAIT(atomic_load(&reader.taken) > last + (1 << 17));
	atomic_store(&reader.over, true);
	pthread_join(thread, NULL);
	trnsci_reader_describe(reader.ring, &info);
	assert_int_equal(info.restarts, 10);
	trnsci_reader_detach(reader.ring);
	close_both();
}

/* What has been seen of a ring of a named stream. */
struct seen {
	struct trnsci_reader *ring;
	uint64_t end, skipped; /* behind the last sample taken; as the ring counts them */
};

/* Takes samples of the next place, which lies behind those before, and has the stream's samples. */
static void take_place(struct seen *seen)
{
	static float got[LONGEST], expected[LONGEST];
	struct trnsci_reader_span span;
	struct trnsci_reader_info info;
	struct trnsci_error err;
	uint64_t n;

	if (ring_place(seen->ring, 20000, &span, &err) < 0)
		fail_msg("expected a place, got %s", err.text);
	trnsci_reader_describe(seen->ring, &info);
	if (span.offset < seen->end)
		fail_msg("expected a place at or behind %llu, got %llu", (unsigned long long)seen->end, (unsigned long long)span.offset);
	assert_true(info.skipped >= seen->skipped);
	assert_true(info.skipped - seen->skipped <= span.offset - seen->end);
	seen->skipped = info.skipped;
	n = span.run < 3000 ? span.run : 3000;
	assert_int_equal(trnsci_reader_take(seen->ring, got, n, 20000, NULL, &err), 0);
	const struct drawing again = {.distribution = "normal",
				      .source = {.seed = info.seed, .stream = info.stream, .offset = span.offset}};

	assert_int_equal(draw_array(own, &again, TRNSCI_F32, n, expected, NULL, NULL), 0);
	assert_memory_equal(got, expected, n * sizeof *got);
	seen->end = span.offset + n;
}

/* Takes what is there; then the rest of the range is lost. */
static void take_the_rest(struct seen *seen)
{
	static float got[LONGEST];
	struct trnsci_reader_span span;
	struct trnsci_reader_info info;
	struct trnsci_error err;

	for (trnsci_reader_describe(seen->ring, &info); info.produced > info.taken; trnsci_reader_describe(seen->ring, &info)) {
		uint64_t n = info.produced - info.taken;

		n = n < LONGEST ? n : LONGEST;
		assert_int_equal(ring_place(seen->ring, 0, &span, &err), 0);
		n = n < span.run ? n : span.run;
		assert_int_equal(trnsci_reader_take(seen->ring, got, n, 0, NULL, &err), 0);
		seen->end = span.offset + n;
	}
}

/* A part of what is there that is less than what is to be lent is skipped, too. Returns what is lent. */
static struct trnsci_reader_span lend_more_than_is_there(struct trnsci_reader *ring, uint64_t left)
{
	static float got[LONGEST];
	struct trnsci_reader_span place, behind;
	struct trnsci_reader_info info;
	struct trnsci_error err;
	const void *lent;
	uint64_t skipped;

	assert_int_equal(trnsci_reader_take(ring, got, 1001, 20000, NULL, &err), 0);
	restart(SIGKILL);
	for (trnsci_reader_describe(ring, &info); info.produced > info.taken + left; trnsci_reader_describe(ring, &info))
		assert_int_equal(trnsci_reader_take(ring, got, 1, 0, NULL, &err), 0);
	assert_int_equal(ring_place(ring, 0, &place, &err), 0);
	skipped = info.skipped;
	assert_int_equal(trnsci_reader_borrow(ring, left + 1, 20000, &lent, &behind, &err), 0);
	trnsci_reader_describe(ring, &info);
	assert_int_equal(info.skipped, skipped + place.run);
	assert_true(behind.offset >= place.offset + place.run);
	assert_int_equal(trnsci_reader_release(ring, left + 1, NULL), 0);
	return behind;
}

/* One take of the first part of a range, and of what the next daemon draws: its run ends where the range's rest was lost. */
static void take_over_a_loss(struct trnsci_reader *ring, const struct trnsci_reader_span *in, uint64_t left)
{
	static float got[LONGEST];
	struct trnsci_reader_span place, behind;
	struct trnsci_reader_info info;
	struct trnsci_error err;

	trnsci_reader_describe(ring, &info);
	const uint64_t end_of_range = in->first + info.range;

	assert_int_equal(trnsci_reader_take(ring, got, 5000, 20000, NULL, &err), 0);
	AWAIT(trnsci_reader_describe(ring, &info) == 0 && info.produced > end_of_range);
	restart(SIGKILL);
	assert_int_equal(trnsci_reader_take(ring, got, end_of_range - info.taken, 0, NULL, &err), 0);
	assert_int_equal(ring_place(ring, 0, &place, &err), 0);
	trnsci_reader_describe(ring, &info);
	const uint64_t there = info.produced - info.taken;

	assert_true(there > 0 && there < place.run);
	assert_int_equal(trnsci_reader_take(ring, got, there + left, 20000, &behind, &err), 0);
	assert_true(behind.count == there + left && behind.offset == place.offset);
	assert_int_equal(behind.run, there);
}

/* A ring of a named stream has a new reservation: what was left of the old one is reported as skipped, and no place comes twice. */
static void rings_of_named_streams(void **state)
{
	enum { LEFT = 100 };
	struct drawing draw = {.distribution = "normal", .source = {.name = "n"}};
	struct trnsci_reader_span lent;
	struct trnsci_reader_info info;
	struct trnsci_error err;
	struct seen seen = {0};

	(void)state;
	open_both();
	assert_int_equal(trnsci_stream_create(remote, "n", NULL, NULL, &err), 0);
	assert_int_equal(draw_ring(remote, &draw, TRNSCI_F32, 8192, &seen.ring, &err), 0);
	for (int i = 0; i < 4 * RESTARTS; i++) {
		take_place(&seen);
		if (i % 4 != 3)
			continue;
		restart(signals[i / 4 % 2]);
		take_the_rest(&seen);
	}
	lent = lend_more_than_is_there(seen.ring, LEFT);
	take_over_a_loss(seen.ring, &lent, LEFT);
	trnsci_reader_describe(seen.ring, &info);
	assert_int_equal(info.restarts, RESTARTS + 2);
	assert_int_equal(info.offset, 0);
	trnsci_reader_detach(seen.ring);
	close_both();
}

/* A stream that was deleted and made again under the name is another one. */
static void another_stream_of_the_name(void **state)
{
	const struct drawing draw = {.distribution = "normal", .source = {.name = "n"}};
	struct trnsci_reader *ring;
	struct trnsci_error err;
	static float got[1 << 17];
	int r;

	(void)state;
	open_both();
	assert_int_equal(trnsci_stream_create(remote, "n", NULL, NULL, &err), 0);
	assert_int_equal(draw_ring(remote, &draw, TRNSCI_F32, 8192, &ring, &err), 0);
	restart(SIGTERM);
	assert_int_equal(trnsci_stream_delete(remote, "n", NULL, &err), 0);
	r = trnsci_reader_take(ring, got, 1 << 17, 20000, NULL, &err);
	assert_int_equal(r, -TRNSCI_NOT_FOUND);
	assert_int_equal(trnsci_stream_create(remote, "n", NULL, NULL, &err), 0);
	r = trnsci_reader_take(ring, got, 1 << 17, 20000, NULL, &err);
	assert_int_equal(r, -TRNSCI_BAD_REPLY);
	trnsci_reader_detach(ring);
	close_both();
}

/* An outage beyond reconnect_ms is an error, also for a reader that does not wait; the ring goes on once the daemon is back. */
static void long_outages(void **state)
{
	static float got[1 << 17];
	struct trnsci_reader *ring;
	struct trnsci_error err;
	struct trnsci_reader_span span;
	uint64_t taken = 0;

	(void)state;
	open_with(50, NULL);
	assert_int_equal(draw_ring(remote, &noises[0].draw, TRNSCI_F32, 8192, &ring, &err), 0);
	for (int i = 0; i < 4; i++) {
		const int timeout_ms = i < 2 ? 0 : -1;

		assert_int_equal(trnsci_reader_take(ring, got, 100, 20000, &span, &err), 0);
		expect_piece(&noises[0], taken, 100, (char *)got);
		taken += 100;
		end_daemon(signals[i % 2]);
		for (int k = 0; k < 3; k++) {
			const int r = trnsci_reader_take(ring, got, 1 << 17, timeout_ms, &span, &err);

			if (r != -TRNSCI_CLOSED || !strstr(err.text, "again: "))
				fail_msg("expected closed, got %s", err.text);
			if (span.count)
				expect_piece(&noises[0], taken, span.count, (char *)got);
			taken += span.count;
		}
		daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
		AWAIT(trnsci_reader_take(ring, got, 1, 20000, NULL, &err) == 0);
		expect_piece(&noises[0], taken, 1, (char *)got);
		taken++;
	}
	trnsci_reader_detach(ring);
	close_both();
}

/* ---- broadcasts ---- */

enum { CAPACITY = 4096 };

static void make_broadcast(uint64_t offset)
{
	const struct drawing draw = {.distribution = "normal", .source = {.seed = 6, .offset = offset}};
	struct trnsci_error err;

	if (draw_broadcast(remote, "b", &draw, TRNSCI_F32, CAPACITY, 0, 0600, &err) < 0)
		fail_msg("expected a broadcast, got %s", err.text);
}

static void publish(uint64_t n)
{
	assert_int_equal(trnsci_broadcast_publish(remote, "b", n, NULL, NULL), 0);
}

/* Reads samples of these numbers, which lie at `offset` of the stream, behind a gap from `missed` on. */
static void expect_span(struct trnsci_reader *reader, uint64_t missed, uint64_t first, uint64_t n, uint64_t offset)
{
	static float got[CAPACITY];
	struct trnsci_reader_span span;
	struct trnsci_error err;

	for (uint64_t done = 0; done < n; done += span.count) {
		if (trnsci_reader_take(reader, got, n - done, 20000, &span, &err) < 0)
			fail_msg("expected sample %llu, got %s", (unsigned long long)(first + done), err.text);
		assert_int_equal(span.missed, done ? first + done : missed);
		assert_int_equal(span.first, first + done);
		assert_int_equal(span.offset, offset + done);
		expect_piece(&noises[0], span.offset, span.count, (char *)got);
	}
}

/* A reader goes on in each broadcast that is made again under the name, wherever it begins. */
static void expect_to_go_on(struct trnsci_reader *reader, int signal)
{
	struct trnsci_reader_span span;
	struct trnsci_reader_info info;
	struct trnsci_error err;
	float one;

	publish(1000);
	expect_span(reader, 0, 0, 400, 0);
	restart(signal);
	expect_span(reader, 400, 400, 600, 400); /* what the reader had not taken is still there */
	assert_int_equal(trnsci_reader_take(reader, &one, 1, 0, &span, &err), -TRNSCI_TIMEOUT);

	make_broadcast(1000); /* where it ended */
	publish(500);
	expect_span(reader, 1000, 1000, 500, 1000);
	trnsci_reader_describe(reader, &info);
	assert_int_equal(info.restarts, 1);
	assert_int_equal(info.offset, 0);
	assert_int_equal(info.taken, 1500);
	assert_int_equal(info.produced, 1500);

	restart(signal);
	make_broadcast(2000); /* behind a gap, which is reported once */
	publish(300);
	expect_span(reader, 1500, 2000, 200, 2000);
	expect_span(reader, 2200, 2200, 100, 2200);

	restart(signal);
	make_broadcast(1900); /* before the reader's place: it gets no sample twice */
	publish(600);
	expect_span(reader, 2300, 2300, 200, 2300);

	restart(signal);
	make_broadcast(1 << 20);
	publish(10);
	expect_span(reader, 2500, 1 << 20, 10, 1 << 20);
	restart(signal);
	make_broadcast(0); /* anew: the reader goes on there */
	publish(10);
	expect_span(reader, (1 << 20) + 10, (1 << 20) + 10, 10, 0);
}

/* A reader gets an error where nobody makes the broadcast again, and goes on once somebody does; and where the owner closes it. */
static void expect_ends(struct trnsci_reader *reader, int signal)
{
	struct trnsci_reader_span span;
	struct trnsci_error err;
	float one;

	/* Nobody makes it again. */
	restart(signal);
	assert_int_equal(trnsci_reader_take(reader, &one, 1, -1, &span, &err), -TRNSCI_CLOSED);
	assert_non_null(strstr(err.text, "not_found"));
	make_broadcast(10);
	publish(1);
	expect_span(reader, (1 << 20) + 20, (1 << 20) + 20, 1, 10);

	/* The owner ends it. */
	assert_int_equal(trnsci_broadcast_close(remote, "b", NULL), 0);
	assert_int_equal(trnsci_reader_take(reader, &one, 1, -1, &span, &err), -TRNSCI_CLOSED);
	assert_non_null(strstr(err.text, "it was closed"));
}

static void broadcasts_go_on(void **state)
{
	struct trnsci_reader *reader;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		open_with(1000, NULL);
		make_broadcast(0);
		assert_int_equal(trnsci_broadcast_attach(remote, "b", &reader, NULL), 0);
		expect_to_go_on(reader, signals[i]);
		expect_ends(reader, signals[i]);
		trnsci_reader_detach(reader);
		ping();
		close_both();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_go_on),
		cmocka_unit_test(cut_connections),
		cmocka_unit_test(at_any_moment),
		cmocka_unit_test(rings_of_named_streams),
		cmocka_unit_test(another_stream_of_the_name),
		cmocka_unit_test(long_outages),
		cmocka_unit_test(broadcasts_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
