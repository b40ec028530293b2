/* SPDX-License-Identifier: Apache-2.0 */
/* What a daemon's end leaves to those who speak the protocol themselves: an arena keeps its content when the daemon is
 * killed or stopped, so a client takes it along to the next instance. When a living daemon ends a session, the arena is
 * emptied, the client's own bytes at its end first. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/producers/ring_layout.h"
#include "harness.h"

enum { ARENA = 1 << 20, N = 1000, PAGE = 4096, RESERVE = 64 };

static struct daemon trnscid;
static const char *const arguments[] = {"--threads=2", NULL};
static const int signals[] = {SIGKILL, SIGTERM};

/* A client and its arena. */
struct holder {
	struct client client;
	int fd;
	char *base;
};

static void open_holder(struct holder *holder)
{
	struct message message;

	client_open(&holder->client, trnscid.socket);
	struct value params =
		client_map(&holder->client, "bytes", value_uint(ARENA), "reserve", value_uint(RESERVE), NULL);

	client_send(&holder->client, "arena", &params);
	assert_true(client_receive_fd(&holder->client, &message, &holder->fd));
	assert_int_equal(client_number(&message.result, "bytes"), ARENA);
	holder->base = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED, holder->fd, 0);
	assert_true(holder->base != MAP_FAILED);
	memset(holder->base + ARENA - RESERVE, 1, RESERVE);
}

static void close_holder(struct holder *holder)
{
	munmap(holder->base, ARENA);
	close(holder->fd);
	client_close(&holder->client);
}

static struct value tile_params(struct client *client, const char *dtype, uint64_t offset)
{
	return client_map(client, "dtype", value_string(dtype), "shape", value_uint(N), "offset", value_uint(offset), NULL);
}

static uint64_t make_tile(struct client *client, const char *dtype, uint64_t offset)
{
	struct value params = tile_params(client, dtype, offset);
	struct value tile = client_result(client, "tile", &params);

	assert_int_equal(client_number(&tile, "offset"), offset);
	return client_number(&tile, "tile");
}

static void copy_instance(struct client *client, char text[17])
{
	struct value params = value_map(), version = client_result(client, "version", &params);
	const struct value *instance = value_get(&version, "instance");

	assert_non_null(instance);
	assert_int_equal(instance->kind, VALUE_STRING);
	assert_int_equal(instance->bytes.size, 16);
	memcpy(text, instance->bytes.at, 16);
	text[16] = '\0';
}

/* The bytes that the daemon sends in a reply. */
static void copy_reply(struct client *client, const char *method, const struct value *params, void *out, size_t bytes)
{
	struct value reply = client_result(client, method, params);
	const struct value *data = value_get(&reply, "data");

	assert_non_null(data);
	assert_int_equal(data->bytes.size, bytes);
	memcpy(out, data->bytes.at, bytes);
}

/* By pread, which makes no page. */
static bool holds(const struct holder *holder, off_t at)
{
	char byte;

	assert_int_equal(pread(holder->fd, &byte, 1, at), 1);
	return byte;
}

/* Whether the client's own bytes are still there. */
static bool is_whole(const struct holder *holder)
{
	return holds(holder, ARENA - 1);
}

static void await_end(struct client *client)
{
	struct message message;

	while (client_receive(client, &message))
		;
}

/* ------- the daemon ends ------- */

/* A draw and a transform into tiles are under way. A stop answers both; a kill answers none. */
static void end_while_it_works(struct holder *holder, uint64_t x, uint64_t drawn, uint64_t spectrum, int signal_number)
{
	struct value draw = client_map(&holder->client, "seed", value_uint(1), "out", value_uint(drawn), NULL);
	struct value fft = client_map(&holder->client, "in", value_uint(x), "out", value_uint(spectrum), NULL);
	struct message message;
	int answers = 0;

	if (signal_number == SIGKILL)
		kill(trnscid.pid, SIGSTOP);
	client_send(&holder->client, "normal", &draw);
	client_send(&holder->client, "fft", &fft);
	kill(trnscid.pid, signal_number);
	while (client_receive(&holder->client, &message)) {
		assert_int_equal(message.error.code, 0);
		answers++;
	}
	assert_int_equal(answers, signal_number == SIGKILL ? 0 : 2);
	assert_int_equal(daemon_wait(&trnscid), signal_number == SIGKILL ? 128 + SIGKILL : 0);
}

/* x is the client's own, the others are drawn and transformed. */
static void the_content_goes_along(void **state)
{
	enum { X = 0, DRAWN = 4096, SPECTRUM = 64 << 10, SUM = 128 << 10 };
	static float own[N], drawn[N], spectrum[2 * N], again[2 * N], sums[N];
	char instances[3][17];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct holder before, after;
		struct value params;
		uint64_t x, sum;

		open_holder(&before);
		copy_instance(&before.client, instances[0]);
		x = make_tile(&before.client, "f32", X);
		for (int k = 0; k < N; k++)
			own[k] = (float)(k + 1);
		memcpy(before.base + X, own, sizeof own);
		params = client_map(&before.client, "n", value_uint(N), "seed", value_uint(1), NULL);
		copy_reply(&before.client, "normal", &params, drawn, sizeof drawn);
		params = client_map(&before.client, "in", value_uint(x), NULL);
		copy_reply(&before.client, "fft", &params, spectrum, sizeof spectrum);
		const uint64_t first = make_tile(&before.client, "f32", DRAWN);

		end_while_it_works(&before, x, first, make_tile(&before.client, "c64", SPECTRUM), signals[i]);
		assert_true(is_whole(&before));
		assert_memory_equal(before.base + X, own, sizeof own);
		if (signals[i] == SIGTERM) {
			assert_memory_equal(before.base + DRAWN, drawn, sizeof drawn);
			assert_memory_equal(before.base + SPECTRUM, spectrum, sizeof spectrum);
		}

		daemon_spawn(&trnscid, arguments, NULL);
		daemon_await(&trnscid, "READY=1");
		open_holder(&after);
		copy_instance(&after.client, instances[1]);
		assert_string_not_equal(instances[0], instances[1]);
		x = make_tile(&after.client, "f32", X);
		make_tile(&after.client, "c64", SPECTRUM); /* what lies between stays free */
		sum = make_tile(&after.client, "f32", SUM);
		memcpy(after.base + X, before.base + X, sizeof own);
		close_holder(&before);

		params = client_map(&after.client, "a", value_uint(x), "b", value_uint(x), "out", value_uint(sum), NULL);
		client_result(&after.client, "add", &params);
		for (int k = 0; k < N; k++)
			sums[k] = 2 * own[k];
		assert_memory_equal(after.base + SUM, sums, sizeof sums);
		params = client_map(&after.client, "in", value_uint(x), NULL);
		copy_reply(&after.client, "fft", &params, again, sizeof again);
		assert_memory_equal(again, spectrum, sizeof again);
		copy_instance(&after.client, instances[2]);
		assert_string_equal(instances[1], instances[2]);
		close_holder(&after);
	}
}

/* The samples of a run of the prepared call, in the reply. */
static void run_prepared(struct client *client, uint64_t prepared, uint64_t seed, float out[N])
{
	struct value params = client_map(client, "prepared", value_uint(prepared), "seed", value_uint(seed), NULL);

	copy_reply(client, "run_prepared", &params, out, N * sizeof(float));
}

static uint64_t prepare_draw(struct client *client)
{
	struct value draw = client_map(client, "n", value_uint(N), NULL);
	struct value params = client_map(client, "method", value_string("normal"), "params", draw, NULL);
	struct value reply = client_result(client, "prepare", &params);

	return client_number(&reply, "prepared");
}

static void attach_ring(struct client *client, struct fdpass *ret_fds)
{
	struct value noise = client_map(client, "op", value_string("normal"), "seed", value_uint(1), NULL);
	struct value params = client_map(client, "samples", value_uint(PAGE), "noise", noise, NULL);
	struct message message;

	client_send(client, "ring_attach", &params);
	assert_true(client_receive_fds(client, &message, ret_fds));
	assert_int_equal(message.error.code, 0);
	assert_int_equal(ret_fds->count, 3);
}

/* Until so many samples are there. */
static void await_samples(const struct ring_page *page, uint64_t n)
{
	AWAIT(atomic_load(&page->produced) >= n);
}

/* Prepared calls and rings are gone with the daemon, and their handles mean nothing to the next; made again they give the
 * same. What a ring had is still there. */
static void prepared_calls_and_rings(void **state)
{
	static float expected[N], got[N];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		const size_t bytes = 5 * PAGE;
		struct client before, after;
		struct fdpass old = {.count = 0}, new = {.count = 0};
		uint64_t prepared;

		client_open(&before, trnscid.socket);
		prepared = prepare_draw(&before);
		run_prepared(&before, prepared, 1, expected);
		attach_ring(&before, &old);
		char *ring = mmap(NULL, bytes, PROT_READ, MAP_SHARED, old.at[0], 0);

		assert_true(ring != MAP_FAILED);
		await_samples((const struct ring_page *)(const void *)ring, N);
		kill(trnscid.pid, signals[i]);
		await_end(&before);
		daemon_wait(&trnscid);
		assert_memory_equal(ring + PAGE, expected, sizeof expected);
		munmap(ring, bytes);
		fdpass_close(&old);
		client_close(&before);

		daemon_spawn(&trnscid, arguments, NULL);
		daemon_await(&trnscid, "READY=1");
		client_open(&after, trnscid.socket);
		struct value params = client_map(&after, "prepared", value_uint(prepared), NULL);

		client_fails(&after, "run_prepared", &params, ERROR_BAD_TILE, "prepared");
		run_prepared(&after, prepare_draw(&after), 1, got);
		assert_memory_equal(got, expected, sizeof got);
		attach_ring(&after, &new);
		ring = mmap(NULL, bytes, PROT_READ, MAP_SHARED, new.at[0], 0);
		assert_true(ring != MAP_FAILED);
		await_samples((const struct ring_page *)(const void *)ring, N);
		assert_memory_equal(ring + PAGE, expected, sizeof expected);
		munmap(ring, bytes);
		fdpass_close(&new);
		client_close(&after);
	}
}

/* ------- a living daemon ends a session ------- */

/* By something that is no message. */
static void end_session(struct holder *holder)
{
	memset(holder->base, 1, ARENA);
	client_send_bytes(&holder->client, "\xc1", 1);
	await_end(&holder->client);
}

static bool is_empty(const struct holder *holder)
{
	struct stat there;

	assert_int_equal(fstat(holder->fd, &there), 0);
	return there.st_blocks == 0;
}

static void a_session_that_ends_is_emptied(void **state)
{
	struct holder holder;

	(void)state;
	open_holder(&holder);
	end_session(&holder);
	do
		if (!holds(&holder, 0) && is_whole(&holder))
			fail_msg("expected the last page to be emptied first, got one that is whole");
	while (!is_empty(&holder));
	for (int at = 0; at < ARENA; at += PAGE)
		assert_int_equal(holder.base[at], 0);
	close_holder(&holder);
}

/* What a session has left when the daemon is stopped is emptied all the same: the last, no daemon is left. */
static void a_stop_behind_the_end_empties(void **state)
{
	struct holder ended, kept;

	(void)state;
	open_holder(&ended);
	open_holder(&kept);
	memset(kept.base, 1, ARENA);
	end_session(&ended);
	kill(trnscid.pid, SIGTERM);
	assert_int_equal(daemon_wait(&trnscid), 0);
	assert_true(is_empty(&ended));
	assert_true(is_whole(&kept));
	for (int at = 0; at < ARENA; at++)
		assert_int_equal(kept.base[at], 1);
	close_holder(&ended);
	close_holder(&kept);
}

/* ------- tiles at an offset ------- */

static void a_place_is_checked(void **state)
{
	static const uint64_t wrong[] = {1, 4096 + 32, 4096, 4096 + N * 4 - 64, ARENA, ARENA - 64, UINT64_MAX, UINT64_MAX - 63};
	struct holder holder;

	(void)state;
	open_holder(&holder);
	make_tile(&holder.client, "f32", 4096);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct value params = tile_params(&holder.client, "f32", wrong[i]);

		client_fails(&holder.client, "tile", &params, ERROR_OUT_OF_RANGE, "offset");
	}
	make_tile(&holder.client, "f32", ARENA - RESERVE - 64 * ((N * 4 + 63) / 64));
	close_holder(&holder);
}

static int setup(void **state)
{
	(void)state;
	daemon_start(&trnscid, arguments);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	daemon_remove_dir(&trnscid);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_checked),
		cmocka_unit_test(a_session_that_ends_is_emptied),
		cmocka_unit_test(the_content_goes_along),
		cmocka_unit_test(prepared_calls_and_rings),
		cmocka_unit_test(a_stop_behind_the_end_empties),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
