/* SPDX-License-Identifier: Apache-2.0 */
/* Draws that come again: a reply has the bytes that a client gets which has never sent the like. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "served.h"

enum { ROOM = 4 << 20, ARENA = 1 << 20 };

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--connections-per-second=1000000", "--arena-bytes=1M",
						"--work-bytes=8K", "--arena-ahead-bytes=0", NULL};

	(void)state;
	served_start(arguments);
	return 0;
}

static uint64_t repeated(void)
{
	return client_stat(&witness, "daemon.requests_repeated");
}

/* Sends all of it on a connection of its own and ends it: what has come back. */
static size_t exchange(const void *bytes, size_t size, char *ret)
{
	struct client client;
	size_t have = 0;
	ssize_t got;

	client_open(&client, served.socket);
	client_send_bytes(&client, bytes, size);
	shutdown(client.fd, SHUT_WR);
	while ((got = read(client.fd, ret + have, ROOM - have)) > 0)
		have += (size_t)got;
	assert_int_equal(got, 0);
	client_close(&client);
	return have;
}

/* The last frame behind others, and alone. */
static void expect_same(const struct codec_buffer *frames, size_t last, char *alone, char *behind, const char *what,
			uint64_t number)
{
	const size_t n_alone = exchange(frames->at + last, frames->size - last, alone);
	const size_t n_behind = exchange(frames->at, frames->size, behind);

	if (n_behind < n_alone || memcmp(behind + n_behind - n_alone, alone, n_alone) != 0)
		fail_msg("%s %llu: another reply, %zu bytes for %zu", what, (unsigned long long)number, n_behind, n_alone);
}

static void put_draw(struct codec_buffer *frames, uint32_t msgid, const char *law, uint64_t offset, uint64_t seed)
{
	struct zone *zone = zone_new();
	struct value params = value_map();

	assert_int_equal(value_put(zone, &params, "n", value_uint(5)) |
				 value_put(zone, &params, "offset", value_uint(offset)) |
				 value_put(zone, &params, "seed", value_uint(seed)),
			 0);
	assert_int_equal(codec_request(frames, msgid, law, &params), 0);
	zone_free(zone);
}

/* At both ends of each width, and where the stream ends. */
static void positions(void **state)
{
	static const uint64_t from[] = {0, 128, 256, 65536, 1ull << 32, UINT64_MAX - 20};
	static const uint64_t to[] = {127, 255, 65535, UINT32_MAX, (1ull << 62) + 1, UINT64_MAX};
	char *alone = malloc(ROOM), *behind = malloc(ROOM);
	uint64_t before = repeated();

	(void)state;
	for (int i = 0; i < 6; i++)
		for (uint64_t k = 0; k < 12; k++) {
			const uint64_t offset = k < 6 ? from[i] + k : to[i] - (k - 6);
			struct codec_buffer frames = {0};
			size_t last;

			put_draw(&frames, 1, "normal", from[i], from[i]);
			put_draw(&frames, 2, "normal", from[i] + 1, to[i]);
			last = frames.size;
			put_draw(&frames, (uint32_t)(3 + k), "normal", offset, to[i] - k);
			expect_same(&frames, last, alone, behind, "offset", offset);
			codec_buffer_free(&frames);
		}
	/* All but those beyond the end of the stream. */
	assert_in_range(repeated() - before, 5 * 12, 6 * 12);
	free(alone);
	free(behind);
}

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

/* A frame alike but for some bytes is answered as if nothing had gone before. */
static void mutated(void **state)
{
	enum { CASES = 600 };
	char *alone = malloc(ROOM), *behind = malloc(ROOM);
	uint64_t before = repeated();

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		uint64_t random = ~seed;
		struct codec_buffer frames = {0};
		size_t last;

		for (uint32_t i = 0; i < 3; i++) {
			last = frames.size;
			put_draw(&frames, i, "uniform", 70000, 200);
		}
		for (uint64_t n = next(&random) % 3; n; n--)
			frames.at[last + next(&random) % (frames.size - last)] = (char)next(&random);
		expect_same(&frames, last, alone, behind, "seed", seed);
		codec_buffer_free(&frames);
	}
	before = repeated() - before;
	printf("# %llu of %d were known\n", (unsigned long long)before, CASES);
	assert_in_range(before, CASES / 4, CASES - CASES / 4);
	free(alone);
	free(behind);
}

static struct message draw_into(struct client *client, uint64_t tile, uint64_t offset)
{
	struct value params =
		client_map(client, "out", value_uint(tile), "offset", value_uint(offset), NULL);

	return client_call(client, "uniform", &params);
}

static uint64_t new_tile(struct client *client, uint64_t n)
{
	struct value params = client_map(client, "shape", value_uint(n), "dtype", value_string("f32"), NULL);
	struct value tile = client_result(client, "tile", &params);

	return client_number(&tile, "tile");
}

/* Freed and made anew between two draws: the handle is another, and the old one's error the same as ever. */
static void freed_tiles(void **state)
{
	struct client client;
	struct message message;
	uint64_t before = repeated(), tile;
	float *base;

	(void)state;
	client_open(&client, served.socket);
	close(client_arena(&client, ARENA, (void **)&base));
	tile = new_tile(&client, 512);
	for (uint64_t i = 0; i < 6; i++) {
		message = draw_into(&client, tile, 1);
		assert_int_equal(message.error.code, 0);
		assert_int_equal(client_number(&message.result, "offset"), 1);
		assert_int_equal(client_number(&message.result, "next"), 516);
	}
	assert_int_equal(repeated() - before, 4);
	struct value params = client_map(&client, "tile", value_uint(tile), NULL);
	client_result(&client, "free", &params);
	assert_int_not_equal(new_tile(&client, 100), tile);
	memset(base, 0, ARENA);
	message = draw_into(&client, tile, 1);
	assert_int_equal(message.error.code, ERROR_BAD_TILE);
	assert_non_null(strstr(message.error.text, "uniform: out: tile 1 was freed"));
	for (int i = 0; i < 1024; i++)
		assert_true(base[i] == 0);
	assert_int_equal(repeated() - before, 4);
	munmap(base, ARENA);
	client_close(&client);
}

/* More of them than are kept, in turn, and other requests between: each gets its own. */
static void many(void **state)
{
	static const char *const laws[] = {"uniform", "normal", "exponential", "bits", "rademacher"};
	char *alone = malloc(ROOM), *behind = malloc(ROOM);

	(void)state;
	for (uint32_t kinds = 1; kinds <= 5; kinds++) {
		struct codec_buffer frames = {0};
		size_t last = 0;

		for (uint32_t i = 0; i < 6 * kinds; i++) {
			last = frames.size;
			put_draw(&frames, i, laws[i % kinds], i, 0);
			if (i + 1 < 6 * kinds)
				assert_int_equal(codec_request(&frames, 100, "ping", NULL), 0);
		}
		expect_same(&frames, last, alone, behind, "kinds", kinds);
		codec_buffer_free(&frames);
	}
	free(alone);
	free(behind);
}

/* Nothing is held beyond a session. */
static void rest(void **state)
{
	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	served_expect_rest();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions), cmocka_unit_test(mutated), cmocka_unit_test(freed_tiles),
		cmocka_unit_test(many),	     cmocka_unit_test(rest),
	};

	return cmocka_run_group_tests(tests, setup, served_stop);
}
