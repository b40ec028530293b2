/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: sealed before anybody has them, shared as they should be, and empty for whoever keeps them afterwards. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/memory/arena.h"
#include "daemon/memory/background.h"

static sem_t gone_signal;
static uint64_t gone_size;

static void on_gone(void *arg, uint64_t size)
{
	assert_ptr_equal(arg, &gone_size);
	gone_size = size;
	sem_post(&gone_signal);
}

static int setup(void **state)
{
	(void)state;
	sem_init(&gone_signal, 0, 0);
	return background_start();
}

static int teardown(void **state)
{
	(void)state;
	background_stop();
	return 0;
}

static struct arena *make(uint64_t size)
{
	struct arena *arena = NULL;
	struct error err;

	if (arena_create(size, NULL, on_gone, &gone_size, &arena, &err) < 0)
		fail_msg("%s", err.text);
	return arena;
}

static void release(struct arena *arena)
{
	uint64_t size = arena_size(arena);

	arena_release(arena);
	sem_wait(&gone_signal);
	assert_int_equal(gone_size, size);
}

static void sealed(void **state)
{
	struct arena *arena = make(100000);
	int fd = arena_fd(arena), more[] = {F_SEAL_WRITE, F_SEAL_FUTURE_WRITE, F_SEAL_SEAL, F_SEAL_GROW};
	struct stat st;

	(void)state;
	assert_int_equal(arena_size(arena) % arena_page(), 0);
	assert_true(arena_size(arena) >= 100000 && arena_size(arena) < 100000 + arena_page());
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, arena_size(arena));
	assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		assert_int_equal(fcntl(fd, F_ADD_SEALS, more[i]), -1);
		assert_int_equal(errno, EPERM);
	}
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(ftruncate(fd, (off_t)arena_size(arena) * 2), -1);
	assert_int_equal(fallocate(fd, 0, 0, (off_t)arena_size(arena) * 2), -1);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	release(arena);
}

/* Both see the same bytes; after the end the other side's mapping is there, empty, and takes no page of ours. */
static void kept_by_the_client(void **state)
{
	enum { SIZE = 20 << 20 }; /* several pieces of the job that unmaps, the last one not whole */
	struct arena *arena = make(SIZE);
	int fd = dup(arena_fd(arena));
	unsigned char *theirs = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *ours = arena_base(arena);
	struct stat st;

	(void)state;
	assert_true(theirs != MAP_FAILED);
	memset(theirs, 0x5a, SIZE);
	assert_int_equal(ours[0], 0x5a);
	assert_int_equal(ours[SIZE - 1], 0x5a);
	fstat(fd, &st);
	assert_int_equal(st.st_blocks * 512, SIZE);
	release(arena);
	fstat(fd, &st);
	assert_int_equal(st.st_blocks, 0);
	assert_int_equal(theirs[0], 0);
	assert_int_equal(theirs[SIZE - 1], 0);
	munmap(theirs, SIZE);
	close(fd);
}

static void impossible_sizes(void **state)
{
	static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 4096, (uint64_t)1 << 63, (uint64_t)1 << 50};
	struct arena *arena;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int r = arena_create(sizes[i], NULL, on_gone, &gone_size, &arena, &err);

		assert_true(r == -ERROR_NO_MEMORY || r == -ERROR_SYSTEM);
		assert_int_equal(err.code, -r);
	}
}

/* Stopping waits for all that were released, from several threads. */
static void *release_some(void *arg)
{
	(void)arg;
	for (int i = 0; i < 50; i++)
		arena_release(make(1 << 20));
	return NULL;
}

static void all_are_reaped(void **state)
{
	pthread_t thread[3];
	int count = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, release_some, NULL), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	background_stop();
	while (sem_trywait(&gone_signal) == 0)
		count++;
	assert_int_equal(count, 150);
	assert_int_equal(background_start(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sealed),
		cmocka_unit_test(kept_by_the_client),
		cmocka_unit_test(impossible_sizes),
		cmocka_unit_test(all_are_reaped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
