/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas as clients get them: sealed before anybody has them, empty for whoever keeps them afterwards; the pre-faulted
 * one is ready before a client asks, given to one client only, and dropped when its room is needed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/huge_map.h"
#include "daemon/group_daemon.h"

/* The pre-faulted arena is charged to the daemon's user, who is the clients', too. LARGE is their half of the setting
 * arena_total_bytes = 41951232: an arena of that size leaves no room for the pre-faulted one. */
enum { AHEAD = 4 << 20, LARGE = (20 << 20) + 4096 };

static int setup(void **state)
{
	(void)state;
	group_daemon_start((const char *const[]){"--threads=2", "--arena-ahead-bytes=4M", "--arena-bytes=1G",
						 "--arena-total-bytes=41951232", "--connections-per-second=100000",
						 NULL});
	return 0;
}

static struct stat stat_of(int fd)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return status;
}

static bool is_prefaulted(void)
{
	const struct value stats = client_result(&witness, "stats", NULL);

	return value_get(value_get(&stats, "daemon"), "spare_arena")->boolean;
}

/* Returns whether nothing is charged but a pre-faulted arena, which is whole MiB, at most AHEAD. */
static bool is_at_rest(void)
{
	const uint64_t charged = group_daemon_charged();

	return charged == 0 || (charged <= AHEAD && charged % (1 << 20) == 0 && is_prefaulted());
}

/* What earlier sessions had is emptied and given back; a pre-faulted arena may be there. */
static void await_rest(void)
{
	AWAIT(is_at_rest());
}

/* A request for an arena has the next one made. */
static void await_prefaulted(void)
{
	struct client client;
	void *base;

	await_rest();
	client_open(&client, group_daemon.socket);
	close(client_arena(&client, 2 * AHEAD, &base));
	munmap(base, 2 * AHEAD);
	client_close(&client);
	AWAIT(is_prefaulted() && group_daemon_charged() == AHEAD);
}

static void sealed(void **state)
{
	static const int more[] = {F_SEAL_WRITE, F_SEAL_FUTURE_WRITE, F_SEAL_SEAL, F_SEAL_GROW};
	struct client client;
	void *base;

	(void)state;
	client_open(&client, group_daemon.socket);
	const int fd = client_arena(&client, 100000, &base);
	const off_t size = stat_of(fd).st_size;

	assert_int_equal(size, (100000 + 4095) / 4096 * 4096);
	assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		assert_int_equal(fcntl(fd, F_ADD_SEALS, more[i]), -1);
		assert_int_equal(errno, EPERM);
	}
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(ftruncate(fd, 2 * size), -1);
	assert_int_equal(fallocate(fd, 0, 0, 2 * size), -1);
	munmap(base, (size_t)size);
	close(fd);
	client_close(&client);
}

/* After the session's end a mapping that the client keeps is there, empty, and takes no page. The memory is freed in
 * pieces, of which the last is a page. */
static void emptied_at_the_end(void **state)
{
	struct client client;
	unsigned char *base;
	void *mapped;

	(void)state;
	await_rest();
	client_open(&client, group_daemon.socket);
	const int fd = client_arena(&client, LARGE, &mapped);

	base = mapped;
	memset(base, 0x5a, LARGE);
	assert_int_equal(stat_of(fd).st_blocks * 512, LARGE);
	client_close(&client);
	AWAIT(stat_of(fd).st_blocks == 0);
	assert_int_equal(base[0], 0);
	assert_int_equal(base[LARGE - 1], 0);
	munmap(base, LARGE);
	close(fd);
}

static void impossible_sizes(void **state)
{
	static const uint64_t sizes[] = {(uint64_t)1 << 62, ((uint64_t)1 << 62) - 4096, (uint64_t)1 << 50, LARGE + 1};
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct value params = client_map(&client, "bytes", value_uint(sizes[i]), NULL);

		client_fails(&client, "arena", &params, ERROR_LIMIT, "arena");
	}
	client_close(&client);
}

/* Touched to its last page before it is given away, sealed and empty; larger arenas are made of it, but not smaller ones;
 * and what one client has had is no other's. */
static void prefaulted_and_given_once(void **state)
{
	static const uint64_t sizes[] = {AHEAD, AHEAD / 2, 3 * AHEAD};
	ino_t last = 0;

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const uint64_t touched = sizes[i] < AHEAD ? 0 : AHEAD;
		struct client client;
		void *base;

		await_prefaulted();
		client_open(&client, group_daemon.socket);
		const int fd = client_arena(&client, sizes[i], &base);
		const struct stat status = stat_of(fd);

		assert_int_equal(status.st_size, sizes[i]);
		assert_int_equal(status.st_blocks * 512, touched);
		assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
		assert_int_not_equal(status.st_ino, last);
		last = status.st_ino;
		for (uint64_t k = 0; k < sizes[i]; k++)
			assert_int_equal(((char *)base)[k], 0);
		memset(base, 1, sizes[i]);
		munmap(base, sizes[i]);
		close(fd);
		client_close(&client);
	}
}

/* After two clients in a row for which it is too large it is as large as they wanted. */
static void follows_the_clients(void **state)
{
	(void)state;
	await_prefaulted();
	for (int i = 0; i < 3; i++) {
		struct client client;
		void *base;

		client_open(&client, group_daemon.socket);
		const int fd = client_arena(&client, AHEAD / 2, &base);

		assert_int_equal(stat_of(fd).st_blocks * 512, i < 2 ? 0 : AHEAD / 2);
		munmap(base, AHEAD / 2);
		close(fd);
		client_close(&client);
		AWAIT(is_prefaulted() && group_daemon_charged() == (i < 1 ? AHEAD : AHEAD / 2));
	}
}

/* The pages of a tile, too, up to the same setting; what has been written stays. The arena leaves no room for a
 * pre-faulted one, so its pages are its own. */
static void tiles_are_touched_ahead(void **state)
{
	struct client client;
	void *base;

	(void)state;
	await_rest();
	client_open(&client, group_daemon.socket);
	const int fd = client_arena(&client, LARGE, &base);

	assert_int_equal(stat_of(fd).st_blocks, 0);
	*(char *)base = 'x';
	for (int i = 1; i <= 2; i++) {
		struct value tile =
			client_map(&client, "dtype", value_string("i8"), "shape", value_uint(AHEAD / 2), NULL);

		client_result(&client, "tile", &tile);
		AWAIT(stat_of(fd).st_blocks * 512 >= i * AHEAD / 2);
		assert_int_equal(stat_of(fd).st_blocks * 512, i * AHEAD / 2);
	}
	assert_int_equal(*(char *)base, 'x');
	munmap(base, LARGE);
	close(fd);
	client_close(&client);
}

/* Returns how many KiB of shared memory this process has mapped as huge pages. */
static long mapped_huge(void)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[256];
	long sum = 0, one;

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		sum += sscanf(line, "ShmemPmdMapped: %ld", &one) == 1 ? one : 0;
	fclose(file);
	return sum;
}

/* Returns whether the kernel makes a huge page of shared memory that has one small one. */
static bool has_huge_pages(void)
{
	const int fd = memfd_create("probe", MFD_CLOEXEC);
	char *base;
	int r;

	assert_int_equal(ftruncate(fd, HUGE_PAGE_BYTES), 0);
	base = huge_map(HUGE_PAGE_BYTES, MAP_SHARED, fd);
	*base = 1;
	r = madvise(base, HUGE_PAGE_BYTES, 25 /* MADV_COLLAPSE */);
	munmap(base, HUGE_PAGE_BYTES);
	close(fd);
	return r == 0;
}

/* Where the kernel can, whatever its policy for shared memory; a client gets them with its next mapping. */
static void tiles_get_huge_pages(void **state)
{
	struct client client;
	void *base;

	(void)state;
	if (!has_huge_pages()) {
		print_message("the kernel makes no huge pages of shared memory on request\n");
		skip();
	}
	await_rest();
	client_open(&client, group_daemon.socket);
	const int fd = client_arena(&client, LARGE, &base);
	struct value tile = client_map(&client, "dtype", value_string("i8"), "shape", value_uint(AHEAD), NULL);

	client_result(&client, "tile", &tile);
	AWAIT(stat_of(fd).st_blocks * 512 >= AHEAD);
	assert_int_equal(stat_of(fd).st_blocks * 512, AHEAD);
	char *mapped = huge_map(LARGE, MAP_SHARED, fd);

	for (size_t at = 0; at < AHEAD; at += 4096)
		assert_int_equal(mapped[at], 0);
	assert_true(mapped_huge() >= HUGE_PAGE_BYTES / 1024);
	munmap(mapped, LARGE);
	munmap(base, LARGE);
	close(fd);
	client_close(&client);
}

/* Ready or being made, it gives way to an arena that needs its room. */
static void gives_way(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		struct client client;
		void *base;

		if (i % 2)
			await_prefaulted();
		else
			await_rest();
		client_open(&client, group_daemon.socket);
		close(client_arena(&client, LARGE, &base));
		munmap(base, LARGE);
		client_close(&client);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sealed),
		cmocka_unit_test(emptied_at_the_end),
		cmocka_unit_test(impossible_sizes),
		cmocka_unit_test(prefaulted_and_given_once),
		cmocka_unit_test(follows_the_clients),
		cmocka_unit_test(tiles_are_touched_ahead),
		cmocka_unit_test(tiles_get_huge_pages),
		cmocka_unit_test(gives_way),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
