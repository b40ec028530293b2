/* SPDX-License-Identifier: Apache-2.0 */
/* The pre-faulted arena: ready before a client asks, given to one client only, dropped when its room is needed. */
#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/memory/arena.h"
#include "daemon/memory/background.h"
#include "daemon/memory/prefault.h"
#include "harness/wait.h"

enum { BYTES = 1 << 20, TOTAL = 4 << 20 };

static struct quota *quota;
static struct prefault *prefault;
static sem_t gone_signal;

static int setup(void **state)
{
	static struct settings settings;

	(void)state;
	settings_default(&settings);
	settings.arena_total_bytes = TOTAL;
	sem_init(&gone_signal, 0, 0);
	return quota_create(&settings, &quota) < 0 || background_start() < 0 || prefault_create(quota, BYTES + 5, &prefault) < 0;
}

/* What is still being made is done when the background worker stops. */
static int teardown(void **state)
{
	(void)state;
	background_stop();
	prefault_free(prefault);
	quota_free(quota);
	return 0;
}

static void wait_ready(void)
{
	AWAIT(prefault_is_ready(prefault));
}

static ino_t inode_of(int fd)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return status.st_ino;
}

static void on_gone(void *arg, uint64_t size)
{
	(void)arg;
	(void)size;
	sem_post(&gone_signal);
}

static void test_is_touched_and_taken_once(void **state)
{
	struct arena_prefaulted taken, second;
	struct stat status;

	(void)state;
	wait_ready();
	assert_true(prefault_take(prefault, &taken.fd, &taken.base, &taken.bytes));
	assert_int_equal(taken.bytes, BYTES);
	assert_int_equal(fstat(taken.fd, &status), 0);
	assert_int_equal(status.st_blocks, BYTES / 512);
	for (size_t i = 0; i < BYTES; i++)
		assert_int_equal(((char *)taken.base)[i], 0);
	assert_false(prefault_take(prefault, &second.fd, &second.base, &second.bytes));
	assert_false(prefault_drop(prefault));
	munmap(taken.base, taken.bytes);
	close(taken.fd);
}

/* Larger and smaller than the pre-faulted arena; the next one is another memfd than the one a client has had. */
static void test_becomes_an_arena(void **state)
{
	static const uint64_t sizes[] = {BYTES / 2, 3 * BYTES};
	ino_t last = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct arena_prefaulted taken;
		struct arena *arena;
		struct stat status;

		prefault_refill(prefault);
		wait_ready();
		assert_true(prefault_take(prefault, &taken.fd, &taken.base, &taken.bytes));
		assert_int_equal(arena_create(sizes[i], &taken, on_gone, NULL, &arena, NULL), 0);
		assert_int_equal(fstat(arena_fd(arena), &status), 0);
		assert_int_equal(status.st_size, sizes[i]);
		assert_int_equal(status.st_blocks * 512, sizes[i] < BYTES ? sizes[i] : BYTES);
		assert_int_equal(fcntl(arena_fd(arena), F_GET_SEALS) & (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL),
				 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
		assert_int_not_equal(inode_of(arena_fd(arena)), last);
		last = inode_of(arena_fd(arena));
		memset(arena_base(arena), 1, sizes[i]);
		arena_release(arena);
		sem_wait(&gone_signal);
	}
}

static void test_pages_are_touched_ahead(void **state)
{
	struct arena *arena;
	struct stat status = {0};

	(void)state;
	assert_int_equal(arena_create(3 * BYTES, NULL, on_gone, NULL, &arena, NULL), 0);
	*(char *)arena_base(arena) = 'x';
	arena_prefault(arena, BYTES);
	arena_prefault(arena, 2 * BYTES);
	AWAIT(status.st_blocks >= 2 * BYTES / 512)
		assert_int_equal(fstat(arena_fd(arena), &status), 0);
	assert_int_equal(status.st_blocks, 2 * BYTES / 512);
	assert_int_equal(*(char *)arena_base(arena), 'x');
	arena_prefault(arena, 1 << 30); /* released at once: nothing is touched afterwards */
	arena_release(arena);
	sem_wait(&gone_signal);
}

/* Ready or being made, its account is given back at once. One that was given up in the making is still in its place. */
static void test_gives_way(void **state)
{
	struct quota_user *user = quota_user_open(quota, geteuid());

	(void)state;
	for (int i = 0; i < 50; i++) {
		prefault_refill(prefault);
		if (i % 2)
			AWAIT(prefault_is_ready(prefault))
				prefault_refill(prefault);
		prefault_drop(prefault);
		assert_int_equal(quota_take(user, QUOTA_ARENA_BYTES, TOTAL / 2, NULL), 0);
		quota_give(user, QUOTA_ARENA_BYTES, TOTAL / 2);
	}
	quota_user_close(user);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_touched_and_taken_once),
		cmocka_unit_test(test_becomes_an_arena),
		cmocka_unit_test(test_pages_are_touched_ahead),
		cmocka_unit_test(test_gives_way),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
