/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that lies: the client gets an error, and never a crash, a hang or a descriptor too many.
 *
 * The false daemon runs in a thread and answers by a script: a function that sees each request and writes what it
 * likes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "codec.h"
#include "fdpass.h"
#include "frame.h"

struct liar;

/* Answers one request; false ends the connection. */
typedef bool script(struct liar *liar, const struct message *request);

/* What a false ring is; an honest one but for one of these. */
struct ring_lie {
	uint64_t capacity, sample_bytes, components, data_offset, told, real, index_bytes;
	uint64_t produced; /* on its page */
	int seals;
	unsigned fds;
	bool pipe;
	int expected; /* of attaching; 0: then of taking, -BAD_REPLY */
	uint64_t range, claimed;
};

struct liar {
	const struct ring_lie *ring;
	int listener, client;
	char path[64];
	pthread_t thread;
	script *answer;
	size_t arena_bytes;
	int seals;
	bool no_fd, two_fds;
	uint64_t told_bytes; /* 0: the truth */
	uint64_t offset, bytes;
};

/* ---- what the false daemon says ---- */

static void say(struct liar *liar, const void *bytes, size_t size, int fd)
{
	const char *at = bytes;

	while (size > 0) {
		struct fdpass one = {{fd}, fd >= 0};
		ssize_t sent = fdpass_send(liar->client, at, size, &one);

		if (sent <= 0)
			return;
		fd = -1;
		at += sent;
		size -= (size_t)sent;
	}
}

static void reply_map(struct liar *liar, uint32_t msgid, struct zone *zone, const char *const *names,
		      const uint64_t *numbers, size_t count, int fd)
{
	struct codec_buffer buffer = {0};
	struct value map = value_map();

	for (size_t i = 0; i < count; i++)
		value_put(zone, &map, names[i], value_uint(numbers[i]));
	codec_response(&buffer, msgid, NULL, &map);
	say(liar, buffer.at, buffer.size, fd);
	codec_buffer_free(&buffer);
}

static void reply_version(struct liar *liar, const struct message *request, uint64_t protocol)
{
	struct zone *zone = zone_new();

	reply_map(liar, request->msgid, zone, (const char *const[]){"protocol"}, &protocol, 1, -1);
	zone_free(zone);
}

static bool is(const struct message *request, const char *method)
{
	return request->method_size == strlen(method) && memcmp(request->method, method, request->method_size) == 0;
}

static void reply_arena(struct liar *liar, const struct message *request)
{
	struct zone *zone = zone_new();
	int fd = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	uint64_t told = liar->told_bytes ? liar->told_bytes : liar->arena_bytes;

	assert_int_equal(ftruncate(fd, (off_t)liar->arena_bytes), 0);
	if (liar->seals)
		fcntl(fd, F_ADD_SEALS, liar->seals);
	if (liar->two_fds) { /* the first with a byte that is part of no message yet */
		struct codec_buffer buffer = {0};
		struct value map = value_map();

		value_put(zone, &map, "bytes", value_uint(told));
		codec_response(&buffer, request->msgid, NULL, &map);
		say(liar, buffer.at, 1, fd);
		say(liar, buffer.at + 1, buffer.size - 1, fd);
		codec_buffer_free(&buffer);
	} else {
		reply_map(liar, request->msgid, zone, (const char *const[]){"bytes", "page"},
			  (const uint64_t[]){told, 4096}, 2, liar->no_fd ? -1 : fd);
	}
	close(fd);
	zone_free(zone);
}

enum { RING_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | F_SEAL_FUTURE_WRITE };

static int false_memory(uint64_t size, uint64_t produced, uint64_t claimed, int seals)
{
	int fd = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_true(size < 128 || (pwrite(fd, &produced, sizeof produced, 64) == sizeof produced &&
				   pwrite(fd, &claimed, sizeof claimed, 72) == sizeof claimed));
	fcntl(fd, F_ADD_SEALS, seals);
	return fd;
}

static void reply_ring(struct liar *liar, const struct message *request)
{
	const struct ring_lie *lie = liar->ring;
	struct zone *zone = zone_new();
	struct codec_buffer buffer = {0};
	struct value map = value_map();
	struct fdpass fds = {.count = 3};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fds.at[0] = false_memory(lie->real, lie->produced, lie->claimed, lie->seals);
	fds.at[1] = false_memory(4096, 0, 0, RING_SEALS & ~F_SEAL_FUTURE_WRITE);
	fds.at[2] = lie->pipe ? dup(ends[1]) : eventfd(0, EFD_CLOEXEC);
	value_put(zone, &map, "ring", value_uint(1));
	value_put(zone, &map, "capacity", value_uint(lie->capacity));
	value_put(zone, &map, "sample_bytes", value_uint(lie->sample_bytes));
	value_put(zone, &map, "components", value_uint(lie->components));
	value_put(zone, &map, "data_offset", value_uint(lie->data_offset));
	value_put(zone, &map, "bytes", value_uint(lie->told));
	value_put(zone, &map, "index_bytes", value_uint(lie->index_bytes));
	value_put(zone, &map, "dtype", value_string("f32"));
	value_put(zone, &map, "offset", value_uint(0));
	value_put(zone, &map, "position", value_uint(0));
	value_put(zone, &map, "generator", value_string("threefry4x32"));
	value_put(zone, &map, "seed", value_uint(0));
	value_put(zone, &map, "stream", value_uint(0));
	if (lie->range)
		value_put(zone, &map, "range", value_uint(lie->range));
	codec_response(&buffer, request->msgid, NULL, &map);
	const struct fdpass sent = {{fds.at[0], fds.at[1], fds.at[2], fds.at[0]}, lie->fds};
	fdpass_send(liar->client, buffer.at, buffer.size, &sent);
	fdpass_close(&fds);
	close(ends[0]);
	close(ends[1]);
	codec_buffer_free(&buffer);
	zone_free(zone);
}

static bool lie_about_rings(struct liar *liar, const struct message *request)
{
	struct zone *zone = zone_new();

	if (is(request, "version"))
		reply_version(liar, request, 1);
	else if (is(request, "ring_attach") || is(request, "broadcast_attach"))
		reply_ring(liar, request);
	else
		reply_map(liar, request->msgid, zone, NULL, NULL, 0, -1);
	zone_free(zone);
	return true;
}

/* Honest but for what the fields say. */
static bool lie_in_numbers(struct liar *liar, const struct message *request)
{
	struct zone *zone = zone_new();

	if (is(request, "version"))
		reply_version(liar, request, 1);
	else if (is(request, "arena"))
		reply_arena(liar, request);
	else if (is(request, "tile"))
		reply_map(liar, request->msgid, zone, (const char *const[]){"tile", "offset", "bytes"},
			  (const uint64_t[]){1, liar->offset, liar->bytes}, 3, -1);
	else
		reply_map(liar, request->msgid, zone, NULL, NULL, 0, -1);
	zone_free(zone);
	return true;
}

static bool speak_version_99(struct liar *liar, const struct message *request)
{
	reply_version(liar, request, 99);
	return true;
}

/* After an honest greeting: bytes. */
static bool answer_with(struct liar *liar, const struct message *request, const void *bytes, size_t size)
{
	if (is(request, "version"))
		reply_version(liar, request, 1);
	else
		say(liar, bytes, size, -1);
	return true;
}

static bool answer_bomb(struct liar *liar, const struct message *request)
{
	return answer_with(liar, request, "\xdd\xff\x00\x00\x00", 5);
}

static bool answer_noise(struct liar *liar, const struct message *request)
{
	return answer_with(liar, request, "\xc1\xc1\xc1\xc1", 4);
}

static bool answer_number(struct liar *liar, const struct message *request)
{
	return answer_with(liar, request, "\x05", 1);
}

static bool answer_stranger(struct liar *liar, const struct message *request)
{
	return answer_with(liar, request, "\x94\x01\xcd\x7f\xff\xc0\x80", 7); /* [1, 32767, nil, {}] */
}

static bool answer_request(struct liar *liar, const struct message *request)
{
	return answer_with(liar, request, "\x94\x00\x01\xa4ping\x90", 9);
}

static bool answer_half(struct liar *liar, const struct message *request)
{
	answer_with(liar, request, "\x94\x01\x02", 3);
	return is(request, "version");
}

static bool answer_nothing(struct liar *liar, const struct message *request)
{
	answer_with(liar, request, "", 0);
	return is(request, "version");
}

/* [1, msgid, nil, 7]: a result that is no map. */
static bool answer_seven(struct liar *liar, const struct message *request)
{
	const char bytes[] = {(char)0x94, 1, (char)request->msgid, (char)0xc0, 7};

	return answer_with(liar, request, bytes, sizeof bytes);
}

/* [1, msgid, "oops", nil]: an error in another form. */
static bool answer_oops(struct liar *liar, const struct message *request)
{
	const char bytes[] = {(char)0x94, 1, (char)request->msgid, (char)0xa4, 'o', 'o', 'p', 's', (char)0xc0};

	return answer_with(liar, request, bytes, sizeof bytes);
}

static bool send_fd_unasked(struct liar *liar, const struct message *request)
{
	struct zone *zone = zone_new();

	if (is(request, "version"))
		reply_version(liar, request, 1);
	else
		reply_map(liar, request->msgid, zone, NULL, NULL, 0, liar->listener);
	zone_free(zone);
	return true;
}

/* [2, "hello", []] before each answer: a notification, to be ignored. */
static bool notify_first(struct liar *liar, const struct message *request)
{
	struct codec_buffer buffer = {0};

	codec_notification(&buffer, "hello", NULL);
	say(liar, buffer.at, buffer.size, -1);
	codec_buffer_free(&buffer);
	return lie_in_numbers(liar, request);
}

/* A draw's reply whose data is shorter than its shape. */
static bool answer_short_array(struct liar *liar, const struct message *request)
{
	struct zone *zone = zone_new();
	struct codec_buffer buffer = {0};
	struct value map = value_map(), shape = value_array();

	if (is(request, "version")) {
		reply_version(liar, request, 1);
		zone_free(zone);
		return true;
	}
	value_push(zone, &shape, value_uint(UINT64_C(1) << 62));
	value_push(zone, &shape, value_uint(4));
	value_put(zone, &map, "dtype", value_string("f32"));
	value_put(zone, &map, "shape", shape);
	value_put(zone, &map, "data", value_bytes("abcdefgh", 8));
	value_put(zone, &map, "position", value_uint(0));
	value_put(zone, &map, "next", value_uint(4));
	codec_response(&buffer, request->msgid, NULL, &map);
	say(liar, buffer.at, buffer.size, -1);
	codec_buffer_free(&buffer);
	zone_free(zone);
	return true;
}

/* ---- its life ---- */

static bool handle(struct liar *liar, const char *frame, size_t size)
{
	struct zone *zone = zone_new();
	struct message message;
	bool go_on = codec_decode(frame, size, zone, &message, NULL) == 0 && liar->answer(liar, &message);

	zone_free(zone);
	return go_on;
}

static void serve(struct liar *liar)
{
	char bytes[65536];
	size_t used = 0, size;
	struct frame_scan scan;

	frame_scan_init(&scan, NULL);
	for (;;) {
		ssize_t got = recv(liar->client, bytes + used, sizeof bytes - used, 0);

		if (got <= 0)
			return;
		used += (size_t)got;
		while (used > 0 && frame_scan_more(&scan, bytes, used, &size) == 1) {
			if (!handle(liar, bytes, size))
				return;
			used -= size;
			memmove(bytes, bytes + size, used);
			frame_scan_init(&scan, NULL);
		}
	}
}

static void *live(void *arg)
{
	struct liar *liar = arg;

	liar->client = accept4(liar->listener, NULL, NULL, SOCK_CLOEXEC);
	if (liar->client >= 0) {
		serve(liar);
		close(liar->client);
	}
	return NULL;
}

static struct liar *start(script *answer)
{
	struct liar *liar = calloc(1, sizeof *liar);
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	liar->answer = answer;
	liar->arena_bytes = 64 << 20;
	liar->seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	liar->bytes = 32;
	strcpy(liar->path, "/tmp/trnsci-liar-XXXXXX");
	close(mkstemp(liar->path));
	unlink(liar->path);
	strcpy(address.sun_path, liar->path);
	liar->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(liar->listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(liar->listener, 1), 0);
	pthread_create(&liar->thread, NULL, live, liar);
	return liar;
}

static void stop(struct liar *liar)
{
	pthread_join(liar->thread, NULL);
	close(liar->listener);
	unlink(liar->path);
	free(liar);
}

static int count_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* ---- checks ---- */

static const struct trnsci_options patient = {.timeout_ms = 10000};

/* What a ping comes to. */
static void expect_ping(script *answer, int expected)
{
	int fds = count_fds();
	struct liar *liar = start(answer);
	struct trnsci_session *session = NULL;
	struct trnsci_call *call;

	assert_int_equal(trnsci_open(liar->path, &patient, &session, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	int r = trnsci_run(call);

	if (r != expected)
		fail_msg("expected %s, got %s", trnsci_error_name(expected), trnsci_error_name(r));
	if (r < 0)
		assert_true(strlen(trnsci_call_error(call)->text) > 0);
	trnsci_close(session);
	trnsci_call_free(call);
	stop(liar);
	assert_int_equal(count_fds(), fds);
}

static void test_bytes(void **state)
{
	(void)state;
	expect_ping(answer_bomb, -TRNSCI_BAD_REPLY);
	expect_ping(answer_noise, -TRNSCI_BAD_REPLY);
	expect_ping(answer_number, -TRNSCI_BAD_REPLY);
	expect_ping(answer_stranger, -TRNSCI_BAD_REPLY);
	expect_ping(answer_request, -TRNSCI_BAD_REPLY);
	expect_ping(answer_half, -TRNSCI_CLOSED);
	expect_ping(answer_nothing, -TRNSCI_CLOSED);
	expect_ping(answer_seven, -TRNSCI_BAD_REPLY);
	expect_ping(answer_oops, -TRNSCI_SYSTEM); /* an error nonetheless, of no name that we know */
	expect_ping(send_fd_unasked, -TRNSCI_BAD_REPLY);
	expect_ping(notify_first, 0);
}

static void test_other_protocol(void **state)
{
	struct liar *liar = start(speak_version_99);
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};

	(void)state;
	assert_int_equal(trnsci_open(liar->path, &patient, &session, &err), -TRNSCI_NOT_SUPPORTED);
	assert_non_null(strstr(err.text, "99"));
	stop(liar);
}

/* What a tile of 8 float32 comes to. */
static void expect_tile(struct liar *liar, int expected)
{
	int fds = count_fds();
	const uint64_t n = 8;
	struct trnsci_session *session = NULL;
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_open(liar->path, &patient, &session, NULL), 0);
	int r = trnsci_tile_new(session, 0, TRNSCI_F32, 1, &n, &tile, &err);

	if (r != expected)
		fail_msg("expected %s, got %s: %s", trnsci_error_name(expected), trnsci_error_name(r), err.text);
	if (r == 0)
		memset(trnsci_tile_data(tile), 1, trnsci_tile_bytes(tile));
	trnsci_tile_free(tile);
	trnsci_close(session);
	pthread_join(liar->thread, NULL);
	close(liar->listener);
	unlink(liar->path);
	assert_true(count_fds() <= fds);
	free(liar);
}

static void expect_ring(size_t number, const struct ring_lie *lie)
{
	const struct trnsci_draw draw = {.law = "normal"};
	int fds = count_fds();
	struct liar *liar = start(lie_about_rings);
	struct trnsci_session *session = NULL;
	struct trnsci_ring *ring = NULL;
	struct trnsci_error err = {0};
	float out[16];

	liar->ring = lie;
	assert_int_equal(trnsci_open(liar->path, &patient, &session, NULL), 0);
	int r = trnsci_ring_attach(session, &draw, TRNSCI_F32, 4096, &ring, &err);

	if (r != lie->expected)
		fail_msg("lie %zu: expected %s, got %s: %s", number, trnsci_error_name(lie->expected),
			 trnsci_error_name(r), err.text);
	if (r == 0)
		assert_int_equal(trnsci_ring_take(ring, out, 16, 1000, NULL, &err), -TRNSCI_BAD_REPLY);
	trnsci_ring_detach(ring);
	trnsci_close(session);
	stop(liar);
	assert_int_equal(count_fds(), fds);
}

static void test_rings(void **state)
{
	enum { ALL = 4096 + 4096 * 4 };
	const int wrong = -TRNSCI_BAD_REPLY;
	const struct ring_lie lies[] = {
		/* capacity, sample, components, offset, told, real, index, produced, seals, fds, pipe, ends with, range, claimed */
		{4096, 4, 1, 4096, ALL, ALL, 4096, 4097, RING_SEALS, 3, false, 0, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, UINT64_MAX, RING_SEALS, 3, false, 0, 0, 0},
		{4095, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{0, 4, 1, 4096, 4096, 4096, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{(uint64_t)1 << 63, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{(uint64_t)1 << 62, 4, 1, 4096, 4096, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 8, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, (uint64_t)1 << 62, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 0, 0, 4096, 4096, 4096, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 0, ALL - 4096, ALL - 4096, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 100, ALL - 3996, ALL - 3996, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL - 4096, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, 0, 4096, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 8192, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, F_SEAL_SHRINK, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS & ~F_SEAL_SHRINK, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 0, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 2, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 4, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, true, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, .range = 2048},
		{4096, 4, 1, 4096, ALL, ALL, 4096, 0, RING_SEALS, 3, false, wrong, .range = 8191},
		{4096, 4, 1, 4096, ALL, ALL, 4096, UINT64_MAX, RING_SEALS, 3, false, 0, .range = (uint64_t)1 << 63},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
		expect_ring(i, &lies[i]);
}

/* Attaching is refused; or, where only the counters lie, taking ends in time and stays within the memory. */
static void expect_broadcast(size_t number, const struct ring_lie *lie)
{
	int fds = count_fds();
	struct liar *liar = start(lie_about_rings);
	struct trnsci_session *session = NULL;
	struct trnsci_broadcast *reader = NULL;
	struct trnsci_broadcast_span span;
	struct trnsci_error err = {0};
	static float out[3 * 4096];

	liar->ring = lie;
	assert_int_equal(trnsci_open(liar->path, &patient, &session, NULL), 0);
	int r = trnsci_broadcast_attach(session, "lie", &reader, &err);

	if (r != lie->expected)
		fail_msg("lie %zu: expected %s, got %s: %s", number, trnsci_error_name(lie->expected),
			 trnsci_error_name(r), err.text);
	for (int i = 0; r == 0 && i < 4; i++) {
		int taken = trnsci_broadcast_take(reader, out, 3 * 4096, 20, &span, &err);

		assert_true(taken == 0 || taken == -TRNSCI_TIMEOUT);
		assert_true(span.count <= 3 * 4096);
	}
	trnsci_broadcast_detach(reader);
	trnsci_close(session);
	stop(liar);
	assert_int_equal(count_fds(), fds);
}

static void test_broadcasts(void **state)
{
	enum { ALL = 4096 + 4096 * 4 };
	const int wrong = -TRNSCI_BAD_REPLY;
	const uint64_t huge = (uint64_t)1 << 62;
	const struct ring_lie lies[] = {
		/* capacity, sample, components, offset, told, real, index, produced, seals, fds, pipe, ends with, range, claimed */
		{4096, 4, 1, 4096, ALL, ALL, 0, 4096, RING_SEALS, 1, false, 0, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, UINT64_MAX, RING_SEALS, 1, false, 0, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, huge, RING_SEALS, 1, false, 0, .claimed = UINT64_MAX},
		{4096, 4, 1, 4096, ALL, ALL, 0, 10, RING_SEALS, 1, false, 0, .claimed = huge},
		{4096, 4, 1, 4096, ALL, ALL, 0, huge, RING_SEALS, 1, false, 0, .claimed = huge, .range = huge},
		{4095, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{0, 4, 1, 4096, 4096, 4096, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{huge, 4, 1, 4096, 4096, ALL, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{4096, 8, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{4096, 4, 1, 100, ALL - 3996, ALL - 3996, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL - 4096, 0, 0, RING_SEALS, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, F_SEAL_SHRINK, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS & ~F_SEAL_FUTURE_WRITE, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS & ~F_SEAL_SHRINK, 1, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 0, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 3, false, wrong, 0, 0},
		{4096, 4, 1, 4096, ALL, ALL, 0, 0, RING_SEALS, 1, false, wrong, .range = 4095},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
		expect_broadcast(i, &lies[i]);
}

static struct liar *tile_liar(void)
{
	return start(lie_in_numbers);
}

static void test_arenas(void **state)
{
	struct liar *liar;

	(void)state;
	expect_tile(tile_liar(), 0);
	liar = tile_liar();
	liar->seals = 0;
	expect_tile(liar, -TRNSCI_BAD_REPLY);
	liar = tile_liar();
	liar->seals = F_SEAL_GROW | F_SEAL_SEAL; /* it could shrink */
	expect_tile(liar, -TRNSCI_BAD_REPLY);
	liar = tile_liar();
	liar->told_bytes = UINT64_C(128) << 20; /* twice what it is */
	expect_tile(liar, -TRNSCI_BAD_REPLY);
	liar = tile_liar();
	liar->arena_bytes = 4096; /* less than was asked for */
	expect_tile(liar, -TRNSCI_BAD_REPLY);
	liar = tile_liar();
	liar->no_fd = true;
	expect_tile(liar, -TRNSCI_BAD_REPLY);
	liar = tile_liar();
	liar->two_fds = true;
	expect_tile(liar, -TRNSCI_BAD_REPLY);
}

static void test_tiles(void **state)
{
	static const struct {
		uint64_t offset, bytes;
	} lies[] = {
		{UINT64_C(64) << 20, 32}, /* one past the end */
		{(UINT64_C(64) << 20) - 64 + 1, 32},
		{32, 32}, /* not aligned */
		{0, 31},
		{0, 33},
		{UINT64_MAX - 63, 32}, /* the sum wraps */
		{UINT64_C(1) << 63, 32},
		{64, UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct liar *liar = tile_liar();

		liar->offset = lies[i].offset;
		liar->bytes = lies[i].bytes;
		expect_tile(liar, -TRNSCI_BAD_REPLY);
	}
}

static void test_arrays(void **state)
{
	struct liar *liar = start(answer_short_array);
	const struct trnsci_draw draw = {.law = "normal"};
	struct trnsci_session *session = NULL;
	float samples[2];

	(void)state;
	assert_int_equal(trnsci_open(liar->path, &patient, &session, NULL), 0);
	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_F32, 2, samples, NULL, NULL), -TRNSCI_BAD_REPLY);
	trnsci_close(session);
	stop(liar);
}

/* A daemon that answers nothing at all: trnsci_open comes back in the time given. */
static bool stay_silent(struct liar *liar, const struct message *request)
{
	(void)liar;
	(void)request;
	return true;
}

static void test_silence(void **state)
{
	struct liar *liar = start(stay_silent);
	const struct trnsci_options options = {.timeout_ms = 50};
	struct trnsci_session *session = NULL;

	(void)state;
	assert_int_equal(trnsci_open(liar->path, &options, &session, NULL), -TRNSCI_TIMEOUT);
	assert_null(session);
	stop(liar);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes), cmocka_unit_test(test_rings), cmocka_unit_test(test_broadcasts), cmocka_unit_test(test_other_protocol), cmocka_unit_test(test_arenas),
		cmocka_unit_test(test_tiles), cmocka_unit_test(test_arrays),         cmocka_unit_test(test_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
