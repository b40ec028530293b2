/* SPDX-License-Identifier: Apache-2.0 */
/* Rings and broadcasts on named streams: each sample is where its place says, as a plain draw there repeats, and nobody
 * else gets its words. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "drawing.h"

#include "harness/daemon.h"
#include "harness/wait.h"

enum { SAMPLES = 4096, TIMEOUT_MS = 20000, SPANS_MOST = 1 << 14 };

static struct daemon trnscid;
static struct trnsci_session *session;

/* Words of a stream that somebody was given: [from, to). */
struct span {
	uint64_t from, to;
};

struct spans {
	size_t n;
	struct span at[SPANS_MOST];
};

static void good(int r, const struct trnsci_error *err)
{
	if (r < 0)
		fail_msg("%s", err->text);
}

static void expect(int r, int expected, const struct trnsci_error *err, const char *words)
{
	if (r != expected || !strstr(err->text, words))
		fail_msg("expected %s with \"%s\", got %s: %s", trnsci_error_name(expected), words, trnsci_error_name(r),
			 err->text);
}

static void add(struct spans *spans, uint64_t from, uint64_t words)
{
	assert_true(spans->n < SPANS_MOST);
	spans->at[spans->n++] = (struct span){from, from + words};
}

static int by_from(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* No word twice. */
static void expect_apart(struct spans *spans)
{
	qsort(spans->at, spans->n, sizeof *spans->at, by_from);
	for (size_t i = 1; i < spans->n; i++)
		if (spans->at[i].from < spans->at[i - 1].to)
			fail_msg("words from %llu are given twice: expected none before %llu",
				 (unsigned long long)spans->at[i].from, (unsigned long long)spans->at[i - 1].to);
}

static void create(const char *name, uint64_t seed)
{
	const struct trnsci_stream_options options = {.seed = seed, .has_seed = true};
	struct trnsci_error err;

	good(trnsci_stream_create(session, name, &options, NULL, &err), &err);
}

static struct trnsci_reader *attach(const char *name, const struct drawing *draw, enum trnsci_dtype dtype)
{
	struct trnsci_reader *ring = NULL;
	struct trnsci_error err;

	good(stream_ring(session, name, draw, dtype, SAMPLES, &ring, &err), &err);
	return ring;
}

/* What a plain draw gives there. */
static void draw_again(const struct drawing *draw, const struct trnsci_reader_info *info, uint64_t offset, uint64_t n,
		       void *out)
{
	struct drawing plain = *draw;
	struct trnsci_error err;

	plain.source = (struct trnsci_source){
		.generator = info->generator, .seed = info->seed, .stream = info->stream, .offset = offset};
	good(draw_array(session, &plain, info->dtype, n * info->components, out, NULL, &err), &err);
}

static uint64_t words_of(const struct trnsci_reader_info *info)
{
	return info->components * (trnsci_dtype_size(info->dtype) == 8 ? 2 : 1);
}

/* Takes n samples, by pieces of any size, each compared with the draw from its reported position. */
static void take_and_compare(struct trnsci_reader *ring, const struct drawing *draw, uint64_t n, struct spans *spans)
{
	struct trnsci_reader_info info;
	struct trnsci_error err;
	uint64_t run = 0;

	assert_int_equal(trnsci_reader_describe(ring, &info), 0);
	assert_true(info.range == info.capacity && info.range >= SAMPLES);
	unsigned char *got = malloc(info.range * info.sample_bytes), *expected = malloc(info.range * info.sample_bytes);
	for (uint64_t done = 0, piece = 1; done < n; done += run, piece = piece * 7 % 5003) {
		struct trnsci_reader_span place, span;

		good(ring_place(ring, TIMEOUT_MS, &place, &err), &err);
		assert_true(place.run <= info.range);
		run = place.run < piece ? place.run : piece;
		run = run < n - done ? run : n - done;
		good(trnsci_reader_take(ring, got, run, TIMEOUT_MS, &span, &err), &err);
		assert_true(span.count == run && span.offset == place.offset && span.run == place.run);
		draw_again(draw, &info, span.offset, run, expected);
		if (memcmp(got, expected, run * info.sample_bytes))
			fail_msg("%s seed %llu: %llu samples from %llu: expected those of a draw at offset %llu", draw->distribution,
				 (unsigned long long)info.seed, (unsigned long long)run, (unsigned long long)done,
				 (unsigned long long)span.offset);
		add(spans, span.offset * words_of(&info), run * words_of(&info));
	}
	free(got);
	free(expected);
}

struct drawer {
	const char *name;
	atomic_bool stop;
	struct spans spans;
};

static void *draw_along(void *arg)
{
	struct drawer *drawer = arg;
	const struct drawing draw = {.distribution = "uniform"};
	struct trnsci_session *own;
	struct trnsci_span range;
	struct trnsci_error err;
	float out[700];

	if (trnsci_open(trnscid.socket, NULL, &own, &err) < 0)
		return "no session";
	for (size_t i = 0; !atomic_load(&drawer->stop) && i < SPANS_MOST / 2; i++) {
		const uint64_t n = 1 + i * 97 % 700;

		if (stream_array(own, drawer->name, &draw, TRNSCI_F32, n, out, &range, &err) < 0)
			return "no draw";
		add(&drawer->spans, range.position, n);
	}
	trnsci_close(own);
	return NULL;
}

/* A ring, a second one of other samples, and a client that draws, all of one stream. */
static void with_others(void **state)
{
	static struct drawer drawer = {.name = "shared"};
	static struct spans spans;
	const struct drawing normal = {.distribution = "normal", .params = {I64("mean", 2)}};
	const struct drawing sphere = {.distribution = "sphere", .params = {I64("dimensions", 3)}};
	pthread_t thread;
	void *failure;
	size_t own;

	(void)state;
	create("shared", 41);
	pthread_create(&thread, NULL, draw_along, &drawer);
	struct trnsci_reader *one = attach("shared", &normal, TRNSCI_F32), *other = attach("shared", &sphere, TRNSCI_F64);
	for (int i = 0; i < 4; i++) {
		take_and_compare(one, &normal, 3 * SAMPLES + 11, &spans);
		take_and_compare(other, &sphere, 2 * SAMPLES + 5, &spans);
	}
	atomic_store(&drawer.stop, true);
	pthread_join(thread, &failure);
	if (failure)
		fail_msg("the drawer: expected draws, got %s", (const char *)failure);
	assert_true(drawer.spans.n > 0);
	own = spans.n;
	for (size_t i = 0; i < drawer.spans.n; i++)
		add(&spans, drawer.spans.at[i].from, drawer.spans.at[i].to - drawer.spans.at[i].from);
	expect_apart(&spans);
	assert_true(spans.n > own);
	trnsci_reader_detach(one);
	trnsci_reader_detach(other);
}

/* What a ring has taken, and nobody has seen, does not come again. */
static void never_returned(void **state)
{
	const struct drawing draw = {.distribution = "bits"};
	struct trnsci_span range;
	struct trnsci_reader_info info;
	struct trnsci_error err;
	struct trnsci_reader_span span;
	const void *lent;
	uint32_t out[4], expected[16];

	(void)state;
	create("kept", 42);
	struct trnsci_reader *ring = attach("kept", &draw, TRNSCI_U32);
	good(trnsci_reader_borrow(ring, 16, TIMEOUT_MS, &lent, &span, &err), &err);
	assert_true(span.first == 0 && span.count == 16 && span.offset == 0 && span.run == SAMPLES);
	trnsci_reader_describe(ring, &info);
	draw_again(&draw, &info, 0, 16, expected);
	assert_memory_equal(lent, expected, sizeof expected);
	trnsci_reader_detach(ring);
	good(stream_array(session, "kept", &draw, TRNSCI_U32, 4, out, &range, &err), &err);
	assert_true(range.position >= SAMPLES && range.position % SAMPLES == 0);
}

/* A span states how many of its samples lie in one piece; the others lie where the next range does. */
static void over_two_ranges(void **state)
{
	enum { MORE = 100 };
	const struct drawing draw = {.distribution = "bits"};
	static uint32_t got[SAMPLES + MORE], expected[SAMPLES];
	struct trnsci_reader_span span, next;
	struct trnsci_reader_info info;
	struct trnsci_error err;

	(void)state;
	create("two", 47);
	struct trnsci_reader *ring = attach("two", &draw, TRNSCI_U32);
	trnsci_reader_describe(ring, &info);
	assert_int_equal(info.range, SAMPLES);
	good(trnsci_reader_take(ring, got, 7, TIMEOUT_MS, NULL, &err), &err);
	good(trnsci_reader_take(ring, got, SAMPLES - 7 + MORE, TIMEOUT_MS, &span, &err), &err);
	assert_true(span.first == 7 && span.count == SAMPLES - 7 + MORE && span.run == SAMPLES - 7);
	draw_again(&draw, &info, span.offset, span.run, expected);
	assert_memory_equal(got, expected, span.run * sizeof *got);
	good(ring_place(ring, TIMEOUT_MS, &next, &err), &err);
	assert_true(next.first == SAMPLES + MORE && next.run == SAMPLES - MORE && next.offset >= span.offset + span.run + MORE);
	draw_again(&draw, &info, next.offset - MORE, MORE, expected);
	assert_memory_equal(got + span.run, expected, MORE * sizeof *got);
	trnsci_reader_detach(ring);
}

/* Rings that end at any point of their first ranges, also while they wait for the disk; the stream goes on. */
static void short_lived(void **state)
{
	const struct drawing draw = {.distribution = "uniform"};
	struct trnsci_span range;
	struct trnsci_session *other;
	struct trnsci_error err;
	float out[4];

	(void)state;
	create("fleeting", 48);
	for (int i = 0; i < 60; i++) {
		struct trnsci_reader *ring = NULL;

		good(trnsci_open(trnscid.socket, NULL, &other, &err), &err);
		good(stream_ring(other, "fleeting", &draw, TRNSCI_F32, SAMPLES, &ring, &err), &err);
		if (i % 3 == 0)
			good(trnsci_reader_take(ring, out, 4, TIMEOUT_MS, NULL, &err), &err);
		wait_to_strike((unsigned)i % 7 * 200);
		if (i % 2)
			trnsci_close(other);
		trnsci_reader_detach(ring);
		if (i % 2 == 0)
			trnsci_close(other);
	}
	good(stream_array(session, "fleeting", &draw, TRNSCI_F32, 4, out, &range, &err), &err);
	assert_true(range.position % SAMPLES == 0 && range.position >= 20 * SAMPLES);
}

/* The stream is deleted, and another made under its name: the ring ends, and takes nothing of the other. */
static void deleted(void **state)
{
	const struct drawing draw = {.distribution = "normal"};
	struct trnsci_stream_info info;
	static float out[4 * SAMPLES];
	struct trnsci_error err;
	struct trnsci_reader_span span;

	(void)state;
	create("brief", 43);
	struct trnsci_reader *ring = attach("brief", &draw, TRNSCI_F32);
	good(trnsci_reader_take(ring, out, 1, TIMEOUT_MS, NULL, &err), &err);
	good(trnsci_stream_delete(session, "brief", NULL, &err), &err);
	create("brief", 43);
	expect(trnsci_reader_take(ring, out, 4 * SAMPLES, TIMEOUT_MS, &span, &err), -TRNSCI_CLOSED, &err, "detached");
	assert_true(span.count < 2 * SAMPLES);
	good(trnsci_stream_show(session, "brief", &info, &err), &err);
	assert_true(info.position == 0);
	trnsci_reader_detach(ring);
}

static void end_of_stream(void **state)
{
	const struct drawing draw = {.distribution = "bits"};
	static uint32_t out[8 * SAMPLES];
	struct trnsci_error err;
	struct trnsci_reader_span span;

	(void)state;
	create("short", 44);
	good(trnsci_stream_advance(session, "short", 0, UINT64_MAX - 3 * SAMPLES + 1 - 400, NULL, &err), &err);
	struct trnsci_reader *ring = attach("short", &draw, TRNSCI_U32);
	expect(trnsci_reader_take(ring, out, 8 * SAMPLES, TIMEOUT_MS, &span, &err), -TRNSCI_END_OF_STREAM, &err, "no more");
	assert_int_equal(span.count, 3 * SAMPLES);
	trnsci_reader_detach(ring);
}

static int try(const char *name, const struct drawing *draw, struct trnsci_error *err)
{
	struct trnsci_reader *ring = NULL;
	const int r = stream_ring(session, name, draw, TRNSCI_F32, SAMPLES, &ring, err);

	trnsci_reader_detach(ring);
	return r;
}

static void refusals(void **state)
{
	const struct drawing normal = {.distribution = "normal"}, seeded = {.distribution = "normal", .source = {.seed = 1}};
	struct trnsci_session *embedded;
	struct trnsci_reader *none = NULL;
	struct trnsci_call *call;
	struct trnsci_error err;

	(void)state;
	create("strict", 45);
	expect(try("nothing", &normal, &err), -TRNSCI_NOT_FOUND, &err, "name");
	expect(try("no name", &normal, &err), -TRNSCI_OUT_OF_RANGE, &err, "name");
	expect(try("strict", &seeded, &err), -TRNSCI_OUT_OF_RANGE, &err, "seed");
	good(trnsci_open("embedded:", NULL, &embedded, &err), &err);
	expect(stream_ring(embedded, "strict", &normal, TRNSCI_F32, 0, &none, &err),
	       -TRNSCI_NOT_SUPPORTED, &err, "name");
	trnsci_close(embedded);
	/* By the wire a stream in the noise is refused, too. */
	good(trnsci_call_new(session, "broadcast_create", &call), &(struct trnsci_error){0});
	trnsci_set(trnsci_call_args(call), trnsci_param_text("name", "b"));
	trnsci_set(trnsci_call_args(call), trnsci_param_text("stream_name", "strict"));
	trnsci_set(trnsci_set_map(trnsci_call_args(call), "noise"), trnsci_param_u64("offset", 1));
	expect(trnsci_run(call, NULL), -TRNSCI_UNKNOWN_PARAMETER, trnsci_call_error(call), "offset");
	trnsci_call_free(call);
}

/* Another user may not draw where the mode does not let him. Only root can be another user. */
static void not_permitted(void **state)
{
	const struct drawing normal = {.distribution = "normal"};
	struct trnsci_session *other;
	struct trnsci_reader *ring = NULL;
	struct trnsci_error err;
	int status;

	(void)state;
	if (getuid() != 0) {
		printf("# only root can become another user\n");
		skip();
	}
	create("own", 46);
	assert_int_equal(chmod(trnscid.dir, 0755), 0);
	assert_int_equal(chmod(trnscid.socket, 0666), 0);
	pid_t child = fork();
	if (child == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0 || trnsci_open(trnscid.socket, NULL, &other, &err) < 0)
			_exit(2);
		_exit(stream_ring(other, "own", &normal, TRNSCI_F32, 0, &ring, &err) ==
				      -TRNSCI_NOT_PERMITTED
			      ? 0
			      : 1);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Readers get the position of what they see, also those who come late. */
static void broadcasts(void **state)
{
	const struct drawing draw = {.distribution = "normal"}, named = drawing_of(&draw, "air");
	static struct spans spans;
	struct trnsci_reader *reader, *late;
	struct trnsci_reader_span span;
	struct trnsci_reader_info info;
	struct trnsci_span range;
	struct trnsci_error err;
	static float got[SAMPLES], expected[SAMPLES];
	uint64_t seen = 0;

	(void)state;
	create("air", 47);
	good(draw_broadcast(session, "air", &named, TRNSCI_F32, SAMPLES, 0, 0600, &err), &err);
	good(trnsci_broadcast_attach(session, "air", &reader, &err), &err);
	assert_int_equal(trnsci_reader_describe(reader, &info), 0);
	assert_true(info.range == SAMPLES && info.seed == 47);
	for (uint64_t published = 0; published < 20 * SAMPLES; published += 1500) {
		good(trnsci_broadcast_publish(session, "air", 1500, NULL, &err), &err);
		good(stream_array(session, "air", &draw, TRNSCI_F32, 6, got, &range, &err), &err);
		add(&spans, range.position, 6);
		while (seen < published + 1500) {
			good(trnsci_reader_take(reader, got, published + 1500 - seen, TIMEOUT_MS, &span, &err), &err);
			assert_true(span.first == seen && span.missed == seen && span.count > 0);
			draw_again(&draw, &info, span.offset, span.count, expected);
			assert_memory_equal(got, expected, span.count * sizeof *got);
			add(&spans, span.offset, span.count);
			seen += span.count;
		}
	}
	expect_apart(&spans);
	good(trnsci_broadcast_attach(session, "air", &late, &err), &err);
	good(trnsci_reader_take(late, got, 100, TIMEOUT_MS, &span, &err), &err);
	assert_true(span.first == seen - SAMPLES && span.count > 0);
	draw_again(&draw, &info, span.offset, span.count, expected);
	assert_memory_equal(got, expected, span.count * sizeof *got);
	/* Its stream goes: what waits is answered, and readers hear of it. */
	good(trnsci_stream_delete(session, "air", NULL, &err), &err);
	int r = 0;
	for (int i = 0; i < 3 && r == 0; i++)
		r = trnsci_broadcast_publish(session, "air", SAMPLES, NULL, &err);
	expect(r, -TRNSCI_NOT_FOUND, &err, "air");
	trnsci_reader_detach(reader);
	trnsci_reader_detach(late);
}

static int start(void **state)
{
	struct trnsci_error err;

	(void)state;
	/* Small blocks: rings wait for the disk. */
	daemon_start(&trnscid, ARGUMENTS("--threads=2", "--stream-block=8192"));
	return trnsci_open(trnscid.socket, NULL, &session, &err);
}

static int stop(void **state)
{
	(void)state;
	trnsci_close(session);
	daemon_stop(&trnscid);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_others),	 cmocka_unit_test(never_returned), cmocka_unit_test(deleted),
		cmocka_unit_test(end_of_stream), cmocka_unit_test(refusals),	   cmocka_unit_test(not_permitted),
		cmocka_unit_test(broadcasts),	 cmocka_unit_test(short_lived),	   cmocka_unit_test(over_two_ranges),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
