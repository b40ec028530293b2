/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that lies in its messages, arenas, tiles and arrays: the client gets an error, and never a crash, a hang or a
 * descriptor too many. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/drawing.h"
#include "fake_daemon.h"

/* ------- messages ------- */

/* After an honest greeting: bytes. */
static bool answer_with(struct fake_daemon *fake, const struct message *request, const void *bytes, size_t size)
{
	if (!fake_daemon_greets(fake, request))
		fake_daemon_say(fake, bytes, size, -1);
	return true;
}

static bool answer_bomb(struct fake_daemon *fake, const struct message *request)
{
	return answer_with(fake, request, "\xdd\xff\x00\x00\x00", 5);
}

static bool answer_noise(struct fake_daemon *fake, const struct message *request)
{
	return answer_with(fake, request, "\xc1\xc1\xc1\xc1", 4);
}

static bool answer_number(struct fake_daemon *fake, const struct message *request)
{
	return answer_with(fake, request, "\x05", 1);
}

static bool answer_stranger(struct fake_daemon *fake, const struct message *request)
{
	return answer_with(fake, request, "\x94\x01\xcd\x7f\xff\xc0\x80", 7); /* [1, 32767, nil, {}] */
}

static bool answer_request(struct fake_daemon *fake, const struct message *request)
{
	return answer_with(fake, request, "\x94\x00\x01\xa4ping\x90", 9);
}

static bool answer_half(struct fake_daemon *fake, const struct message *request)
{
	answer_with(fake, request, "\x94\x01\x02", 3);
	return fake_daemon_asked(request, "version");
}

static bool answer_nothing(struct fake_daemon *fake, const struct message *request)
{
	answer_with(fake, request, "", 0);
	return fake_daemon_asked(request, "version");
}

/* [1, msgid, nil, 7]: a result that is no map. */
static bool answer_seven(struct fake_daemon *fake, const struct message *request)
{
	const char bytes[] = {(char)0x94, 1, (char)request->msgid, (char)0xc0, 7};

	return answer_with(fake, request, bytes, sizeof bytes);
}

/* [1, msgid, "oops", nil]: an error in another form. */
static bool answer_oops(struct fake_daemon *fake, const struct message *request)
{
	const char bytes[] = {(char)0x94, 1, (char)request->msgid, (char)0xa4, 'o', 'o', 'p', 's', (char)0xc0};

	return answer_with(fake, request, bytes, sizeof bytes);
}

static bool send_fd_unasked(struct fake_daemon *fake, const struct message *request)
{
	if (!fake_daemon_greets(fake, request))
		fake_daemon_reply(fake, request, NULL, NULL, 0, fake->listener);
	return true;
}

/* [2, "hello", []] before each answer: a notification, to be ignored. */
static bool notify_first(struct fake_daemon *fake, const struct message *request)
{
	struct codec_buffer buffer = {0};

	codec_notification(&buffer, "hello", NULL);
	fake_daemon_say(fake, buffer.at, buffer.size, -1);
	codec_buffer_free(&buffer);
	if (!fake_daemon_greets(fake, request))
		fake_daemon_reply(fake, request, NULL, NULL, 0, -1);
	return true;
}

/* What a ping comes to. */
static void expect_ping(script *answer, int expected)
{
	int fds = count_fds();
	struct fake_daemon *fake = fake_daemon_start(answer, NULL);
	struct trnsci_session *session = fake_daemon_open(fake);
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	int r = trnsci_run(call, NULL);

	if (r != expected)
		fail_msg("expected %s, got %s", trnsci_error_name(expected), trnsci_error_name(r));
	if (r < 0)
		assert_true(strlen(trnsci_call_error(call)->text) > 0);
	trnsci_close(session);
	trnsci_call_free(call);
	fake_daemon_stop(fake);
	assert_int_equal(count_fds(), fds);
}

static void bytes(void **state)
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

static bool speak_version_99(struct fake_daemon *fake, const struct message *request)
{
	fake_daemon_reply(fake, request, (const char *const[]){"protocol"}, (const uint64_t[]){99}, 1, -1);
	return true;
}

static void other_protocol(void **state)
{
	struct fake_daemon *fake = fake_daemon_start(speak_version_99, NULL);
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};

	(void)state;
	assert_int_equal(trnsci_open(fake->path, NULL, &session, &err), -TRNSCI_NOT_SUPPORTED);
	assert_non_null(strstr(err.text, "99"));
	fake_daemon_stop(fake);
}

/* A daemon that answers nothing at all: trnsci_open comes back in the time given. */
static bool stay_silent(struct fake_daemon *fake, const struct message *request)
{
	(void)fake;
	(void)request;
	return true;
}

static void silence(void **state)
{
	struct fake_daemon *fake = fake_daemon_start(stay_silent, NULL);
	const struct trnsci_options options = {.timeout_ms = 50};
	struct trnsci_session *session = NULL;

	(void)state;
	assert_int_equal(trnsci_open(fake->path, &options, &session, NULL), -TRNSCI_TIMEOUT);
	assert_null(session);
	fake_daemon_stop(fake);
}

/* ------- reasons ------- */

/* [2, "error", [{"kind": 0, "text": "timeout: message: too slow"}]], and then the end. */
static bool say_why(struct fake_daemon *fake)
{
	struct codec_buffer buffer = {0};
	struct bump *bump = bump_new();
	struct value params = value_map();

	assert_int_equal(value_put(bump, &params, "kind", value_uint(0)), 0);
	assert_int_equal(value_put(bump, &params, "text", value_string("timeout: message: too slow")), 0);
	codec_notification(&buffer, "error", &params);
	fake_daemon_say(fake, buffer.at, buffer.size, -1);
	codec_buffer_free(&buffer);
	bump_free(bump);
	return false;
}

static bool refuse(struct fake_daemon *fake, const struct message *request)
{
	(void)request;
	return say_why(fake);
}

static bool serve_no_more(struct fake_daemon *fake, const struct message *request)
{
	return fake_daemon_greets(fake, request) || say_why(fake);
}

/* A daemon that says why it ends the connection: the program sees that, and not only that it is over. */
static void closings(void **state)
{
	const struct trnsci_options options = {.reconnect_ms = -1};
	struct fake_daemon *fake = fake_daemon_start(refuse, NULL);
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	struct trnsci_call *call;

	(void)state;
	assert_int_equal(trnsci_open(fake->path, &options, &session, &err), -TRNSCI_TIMEOUT);
	assert_string_equal(err.text, "timeout: message: too slow");
	fake_daemon_stop(fake);

	fake = fake_daemon_start(serve_no_more, NULL);
	assert_int_equal(trnsci_open(fake->path, &options, &session, &err), 0);
	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	assert_non_null(strstr(trnsci_call_error(call)->text, "timeout: message: too slow"));
	trnsci_call_free(call);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

/* ------- arenas and tiles ------- */

/* What an arena and the tile in it are. */
struct arena_lie {
	size_t arena_bytes;
	int seals;
	bool no_fd, two_fds;
	uint64_t stated_bytes; /* 0: the truth */
	uint64_t arena, offset, bytes; /* of the tile */
};

static const struct arena_lie truth = {
	.arena_bytes = 64 << 20, .seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, .arena = 1, .bytes = 32};

static void reply_arena(struct fake_daemon *fake, const struct message *request, const struct arena_lie *lie)
{
	const uint64_t numbers[] = {1, lie->stated_bytes ? lie->stated_bytes : lie->arena_bytes, 4096};
	int fd = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, (off_t)lie->arena_bytes), 0);
	if (lie->seals)
		fcntl(fd, F_ADD_SEALS, lie->seals);
	/* The first with a byte that is part of no message yet. */
	if (lie->two_fds) {
		struct codec_buffer buffer = {0};
		struct bump *bump = bump_new();
		struct value map = value_map();

		value_put(bump, &map, "arena", value_uint(1));
		value_put(bump, &map, "bytes", value_uint(numbers[1]));
		codec_response(&buffer, request->msgid, NULL, &map);
		fake_daemon_say(fake, buffer.at, 1, fd);
		fake_daemon_say(fake, buffer.at + 1, buffer.size - 1, fd);
		codec_buffer_free(&buffer);
		bump_free(bump);
	} else {
		fake_daemon_reply(fake, request, (const char *const[]){"arena", "bytes", "page"}, numbers, 3,
				  lie->no_fd ? -1 : fd);
	}
	close(fd);
}

static bool lie_about_arenas(struct fake_daemon *fake, const struct message *request)
{
	const struct arena_lie *lie = fake->lie;

	if (fake_daemon_asked(request, "arena"))
		reply_arena(fake, request, lie);
	else if (fake_daemon_asked(request, "tile"))
		fake_daemon_reply(fake, request, (const char *const[]){"tile", "arena", "offset", "bytes"},
				  (const uint64_t[]){1, lie->arena, lie->offset, lie->bytes}, 4, -1);
	else if (!fake_daemon_greets(fake, request))
		fake_daemon_reply(fake, request, NULL, NULL, 0, -1);
	return true;
}

/* What a tile of 8 float32 comes to. */
static void expect_tile(const struct arena_lie *lie, int expected)
{
	int fds = count_fds();
	const uint64_t n = 8;
	struct fake_daemon *fake = fake_daemon_start(lie_about_arenas, lie);
	struct trnsci_session *session = fake_daemon_open(fake);
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err = {0};
	int r = trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, &err);

	if (r != expected)
		fail_msg("expected %s, got %s: %s", trnsci_error_name(expected), trnsci_error_name(r), err.text);
	if (r == 0)
		memset(trnsci_tile_data(tile), 1, tile_info(tile).bytes);
	trnsci_tile_free(tile);
	trnsci_close(session);
	fake_daemon_stop(fake);
	assert_int_equal(count_fds(), fds);
}

static void arenas(void **state)
{
	struct arena_lie lies[7];

	(void)state;
	expect_tile(&truth, 0);
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
		lies[i] = truth;
	lies[0].seals = 0;
	lies[1].seals = F_SEAL_GROW | F_SEAL_SEAL; /* it could shrink */
	lies[2].stated_bytes = 2 * truth.arena_bytes;
	lies[3].arena_bytes = 4096; /* less than was asked for */
	lies[4].no_fd = true;
	lies[5].two_fds = true;
	lies[6].arena_bytes += 32; /* the end of the last tile would not be aligned */
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
		expect_tile(&lies[i], -TRNSCI_BAD_REPLY);
}

static void tiles(void **state)
{
	static const struct {
		uint64_t offset, bytes, arena;
	} lies[] = {
		{0, 32, 2}, /* an arena that was never given */
		{0, 32, UINT64_MAX},
		{UINT64_C(64) << 20, 32, 1}, /* one past the end */
		{(UINT64_C(64) << 20) - 64 + 1, 32, 1},
		{32, 32, 1}, /* not aligned */
		{0, 31, 1},
		{0, 33, 1},
		{UINT64_MAX - 63, 32, 1}, /* the sum wraps */
		{UINT64_C(1) << 63, 32, 1},
		{64, UINT64_MAX, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct arena_lie lie = truth;

		lie.arena = lies[i].arena;
		lie.offset = lies[i].offset;
		lie.bytes = lies[i].bytes;
		expect_tile(&lie, -TRNSCI_BAD_REPLY);
	}
}

/* ------- arrays ------- */

/* A draw's reply whose data is shorter than its shape. */
static bool answer_short_array(struct fake_daemon *fake, const struct message *request)
{
	struct bump *bump = bump_new();
	struct codec_buffer buffer = {0};
	struct value map = value_map(), shape = value_array();

	if (fake_daemon_greets(fake, request)) {
		bump_free(bump);
		return true;
	}
	value_push(bump, &shape, value_uint(UINT64_C(1) << 62));
	value_push(bump, &shape, value_uint(4));
	value_put(bump, &map, "dtype", value_string("f32"));
	value_put(bump, &map, "shape", shape);
	value_put(bump, &map, "data", value_bytes("abcdefgh", 8));
	value_put(bump, &map, "position", value_uint(0));
	value_put(bump, &map, "next", value_uint(4));
	codec_response(&buffer, request->msgid, NULL, &map);
	fake_daemon_say(fake, buffer.at, buffer.size, -1);
	codec_buffer_free(&buffer);
	bump_free(bump);
	return true;
}

static void arrays(void **state)
{
	struct fake_daemon *fake = fake_daemon_start(answer_short_array, NULL);
	const struct drawing draw = {.distribution = "normal"};
	struct trnsci_session *session = fake_daemon_open(fake);
	float samples[2];

	(void)state;
	assert_int_equal(draw_array(session, &draw, TRNSCI_F32, 2, samples, NULL, NULL), -TRNSCI_BAD_REPLY);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes), cmocka_unit_test(other_protocol), cmocka_unit_test(silence),
		cmocka_unit_test(closings),
		cmocka_unit_test(arenas), cmocka_unit_test(tiles), cmocka_unit_test(arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
