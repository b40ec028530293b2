/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions with several arenas, and many sessions with one: tiles lie in any of them, an empty arena is given back at any
 * time, limits count arenas and bytes, and the daemon keeps no descriptor and little memory for each. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/group_daemon.h"
#include "harness/sanitized.h"

/* CROWD: of one user, each with an arena and a tile, under the default limits. */
enum { PAGE = 4096, ARENA = 64 << 10, ARENAS = 5, TILE = 16 << 10, CROWD = 1000, DAEMON_BYTES_EACH = 300 << 10 };

/* Descriptors that the daemon may open meanwhile for itself, far fewer than CROWD. */
enum { OWN_FDS = 16 };

static int setup(void **state)
{
	struct rlimit limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	group_daemon_start((const char *const[]){"--threads=2", "--arena-ahead-bytes=0", "--arenas=5", "--arenas-total=16",
						 "--fds-total=64", "--connections-per-second=100000", NULL});
	return 0;
}

static struct value tile_params(struct client *client, uint64_t bytes)
{
	return client_map(client, "dtype", value_string("i8"), "shape", value_uint(bytes), NULL);
}

/* Asks for a tile, which must lie in that arena. */
static struct value tile_in(struct client *client, uint64_t bytes, uint64_t arena)
{
	struct value params = tile_params(client, bytes), tile = client_result(client, "tile", &params);

	assert_int_equal(client_number(&tile, "arena"), arena);
	return tile;
}

static void free_tile(struct client *client, const struct value *tile)
{
	struct value params = client_map(client, "tile", value_uint(client_number(tile, "tile")), NULL);

	client_result(client, "free", &params);
}

static struct value arena_named(struct client *client, uint64_t handle)
{
	return client_map(client, "arena", value_uint(handle), NULL);
}

/* A tile that fits into no arena fails with the bytes that it needs, and lies in the next one. */
static void tiles_lie_in_any(void **state)
{
	unsigned char *bases[3];
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	for (int i = 0; i < 3; i++) {
		struct value params = tile_params(&client, ARENA);
		void *base;

		assert_int_equal(client_call(&client, "tile", &params).error.needed_bytes, ARENA);
		client_fails(&client, "tile", &params, ERROR_NO_ROOM, "no_room: tile: 65536 bytes");
		close(client_arena(&client, ARENA, &base));
		bases[i] = base;
		struct value tile = tile_in(&client, ARENA, (uint64_t)i + 1);

		params = client_map(&client, "seed", value_uint((uint64_t)i), "p", value_real(0.5), "out", value_uint(client_number(&tile, "tile")), NULL);
		client_result(&client, "bernoulli", &params);
		params = client_map(&client, "seed", value_uint((uint64_t)i), "p", value_real(0.5), "n", value_uint(ARENA), NULL);
		struct value inlined = client_result(&client, "bernoulli", &params);

		assert_memory_equal(base, value_get(&inlined, "data")->bytes.at, ARENA);
	}
	for (int i = 0; i < 3; i++)
		munmap(bases[i], ARENA);
	client_close(&client);
}

/* Its handle is never used again, and its memory is no longer charged, whoever keeps it mapped. */
static void an_empty_one_is_given_back(void **state)
{
	struct client client;
	void *bases[2];
	int fds[2];

	(void)state;
	group_daemon_expect_rest();
	client_open(&client, group_daemon.socket);
	for (int i = 0; i < 2; i++)
		fds[i] = client_arena(&client, ARENA, &bases[i]);
	memset(bases[0], 1, ARENA);
	struct value tile = tile_in(&client, PAGE, 1), first = arena_named(&client, 1), never = arena_named(&client, 3);

	client_fails(&client, "arena_free", &first, ERROR_OUT_OF_RANGE, "arena: 1 holds 4096 bytes of tiles");
	client_fails(&client, "arena_free", &never, ERROR_NOT_FOUND, "arena: 3");
	free_tile(&client, &tile);
	client_result(&client, "arena_free", &first);
	client_fails(&client, "arena_free", &first, ERROR_NOT_FOUND, "arena: 1");
	struct stat there;

	AWAIT(group_daemon_charged() == ARENA && fstat(fds[0], &there) == 0 && there.st_blocks == 0);
	tile_in(&client, PAGE, 2);
	for (int i = 0; i < 2; i++) {
		munmap(bases[i], ARENA);
		close(fds[i]);
	}
	close(client_arena(&client, ARENA, &bases[0]));
	munmap(bases[0], ARENA);
	tile_in(&client, ARENA, 3);
	client_close(&client);
}

/* A tile that was freed while a job writes it holds its arena until the job ends. */
static void a_running_job_keeps_its_arena(void **state)
{
	struct client client;
	void *base;

	(void)state;
	client_open(&client, group_daemon.socket);
	close(client_arena(&client, 17 << 20, &base));
	struct value program = client_program(&client, 1 << 22, 200), arena = arena_named(&client, 1);
	const uint32_t msgid = 1000;
	struct value tile = client_map(&client, "tile", value_uint(1), NULL);
	struct value cancel = client_map(&client, "msgid", value_uint(msgid), NULL);
	struct codec_buffer buffer = {0};

	/* One piece of bytes, which the daemon handles in one turn, far less than the job takes. */
	codec_request(&buffer, msgid, "run", &program);
	codec_request(&buffer, msgid + 1, "free", &tile);
	codec_request(&buffer, msgid + 2, "arena_free", &arena);
	codec_request(&buffer, msgid + 3, "cancel", &cancel);
	client_send_bytes(&client, buffer.at, buffer.size);
	codec_buffer_free(&buffer);
	for (int answers = 0; answers < 4; answers++) {
		struct message message;

		assert_true(client_receive(&client, &message));
		if (message.msgid == msgid + 2)
			assert_int_equal(message.error.code, ERROR_OUT_OF_RANGE);
	}
	munmap(base, 17 << 20);
	client_close(&client);
}

/* Those of a session, of a user, and bytes: the refusal names the setting, and room comes back. */
static void limits_count(void **state)
{
	struct client clients[2];
	void *base;

	(void)state;
	group_daemon_expect_rest();
	for (int i = 0; i < 2; i++)
		client_open(&clients[i], group_daemon.socket);
	struct value params = client_map(&clients[0], "bytes", value_uint(PAGE), NULL),
		     most = client_map(&clients[0], "bytes", value_uint(UINT64_C(4) << 30), NULL),
		     wrong = client_map(&clients[0], "bytes", value_uint(64), "reserve", value_uint(64), NULL);

	client_fails(&clients[0], "arena", &wrong, ERROR_OUT_OF_RANGE, "reserve");
	for (int i = 0; i < ARENAS; i++) {
		close(client_arena(&clients[0], PAGE, &base));
		munmap(base, PAGE);
		client_fails(&clients[0], "arena", &most, ERROR_LIMIT, i < ARENAS - 1 ? "arena_bytes = 4294967296" : "arenas = 5");
	}
	for (int i = ARENAS; i < 8; i++) {
		close(client_arena(&clients[1], PAGE, &base));
		munmap(base, PAGE);
	}
	client_fails(&clients[1], "arena", &params, ERROR_LIMIT, "half of the setting arenas_total = 16");
	client_close(&clients[0]);
	client_await_stat(&witness, "daemon.quota.arenas_total.used", 8 - ARENAS);
	close(client_arena(&clients[1], PAGE, &base));
	munmap(base, PAGE);
	client_close(&clients[1]);
}

/* No tile lies in what the client reserved, also none of exactly the arena's size. */
static void a_reserve_holds_no_tile(void **state)
{
	struct client client;
	struct message message;
	int fd;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value params = client_map(&client, "bytes", value_uint(ARENA), "reserve", value_uint(64), NULL);

	client_send(&client, "arena", &params);
	assert_true(client_receive_fd(&client, &message, &fd));
	assert_int_equal(client_number(&message.result, "bytes"), ARENA);
	close(fd);
	struct value whole = tile_params(&client, ARENA);

	client_fails(&client, "tile", &whole, ERROR_NO_ROOM, "65536 bytes, the session's arenas have 65472 free");
	tile_in(&client, ARENA - 64, 1);
	client_close(&client);
}

/* Memory of the daemon's own, with its page tables. */
static uint64_t daemon_bytes(pid_t pid)
{
	char path[64], line[128];
	unsigned long long anonymous = 0, kib;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "RssAnon: %llu kB", &kib) == 1 || sscanf(line, "VmPTE: %llu kB", &kib) == 1)
			anonymous += kib << 10;
	fclose(file);
	return anonymous;
}

static unsigned count_fds(pid_t pid)
{
	char path[64];
	unsigned count = 0;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	DIR *folder = opendir(path);

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* Each client has one descriptor in the daemon, its socket, and reads that of its arena. */
static void a_thousand_clients(void **state)
{
	static struct client clients[CROWD];
	struct daemon usual;
	void *base;

	(void)state;
	daemon_start(&usual, (const char *const[]){NULL});
	const uint64_t before = daemon_bytes(usual.pid);
	const unsigned fds = count_fds(usual.pid);

	for (int i = 0; i < CROWD; i++) {
		client_open(&clients[i], usual.socket);
		close(client_arena(&clients[i], 256 << 10, &base));
		munmap(base, 256 << 10);
		struct value tile = tile_in(&clients[i], TILE, 1);
		struct value params = client_map(&clients[i], "out", value_uint(client_number(&tile, "tile")), "p", value_real(0.5),
						 NULL);

		client_result(&clients[i], "bernoulli", &params);
	}
	const uint64_t each = (daemon_bytes(usual.pid) - before) / CROWD;

	if (each > DAEMON_BYTES_EACH && !SANITIZED)
		fail_msg("expected at most %d bytes of the daemon's memory for each client, got %llu", DAEMON_BYTES_EACH,
			 (unsigned long long)each);
	assert_true(count_fds(usual.pid) <= fds + CROWD + OWN_FDS);
	for (int i = 0; i < CROWD; i++)
		client_close(&clients[i]);
	daemon_stop(&usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiles_lie_in_any),	      cmocka_unit_test(an_empty_one_is_given_back),
		cmocka_unit_test(a_running_job_keeps_its_arena), cmocka_unit_test(limits_count),
		cmocka_unit_test(a_reserve_holds_no_tile),	      cmocka_unit_test(a_thousand_clients),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
