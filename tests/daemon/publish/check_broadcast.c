/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts as the wire has them: what readers can do to the samples, what they cost, and what is left when their owner
 * is gone. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/producers/ring_layout.h"
#include "daemon/group_daemon.h"

enum { SAMPLES = 4096, PAGE = 4096, MEMORY = PAGE + SAMPLES * 4 };

static void create(struct client *owner, const char *name)
{
	struct value params = client_map(owner, "name", value_string(name), "samples", value_uint(SAMPLES), NULL);

	client_result(owner, "broadcast_create", &params);
}

static void publish(struct client *owner, const char *name, uint64_t n)
{
	struct value params = client_map(owner, "name", value_string(name), "n", value_uint(n), NULL);

	client_result(owner, "broadcast_publish", &params);
}

static void close_it(struct client *owner, const char *name)
{
	struct value params = client_map(owner, "name", value_string(name), NULL);

	client_result(owner, "broadcast_close", &params);
	client_await_stat(&witness, "daemon.broadcasts", 0);
}

/* Its descriptor and its page. */
static int attach(struct client *reader, const char *name, const struct ring_page **ret_page)
{
	struct value params = client_map(reader, "name", value_string(name), NULL);
	uint32_t msgid = client_send(reader, "broadcast_attach", &params);
	struct message message;
	int fd;

	assert_true(client_receive_fd(reader, &message, &fd));
	assert_int_equal(message.msgid, msgid);
	if (message.error.code)
		fail_msg("broadcast_attach: %s", message.error.text);
	*ret_page = mmap(NULL, MEMORY, PROT_READ, MAP_SHARED, fd, 0);
	assert_true((void *)*ret_page != MAP_FAILED);
	return fd;
}

/* Neither a reader nor the owner can write, resize or punch what all readers see. */
static void sealed(void **state)
{
	struct client owner, reader;
	const struct ring_page *page;
	char path[64], byte = 1;

	(void)state;
	client_open(&owner, group_daemon.socket);
	client_open(&reader, group_daemon.socket);
	create(&owner, "sealed");
	publish(&owner, "sealed", SAMPLES);
	for (int i = 0; i < 2; i++) {
		const int fd = attach(i ? &owner : &reader, "sealed", &page);
		const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

		assert_int_equal(fcntl(fd, F_GET_SEALS) & seals, seals);
		assert_true(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
		assert_int_equal(mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE), -1);
		assert_int_equal(pwrite(fd, &byte, 1, PAGE), -1);
		assert_int_equal(ftruncate(fd, 0), -1);
		assert_int_equal(ftruncate(fd, 1 << 20), -1);
		assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), -1);
		assert_int_equal(fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, PAGE), -1);
		assert_int_equal(madvise((void *)page, PAGE, MADV_REMOVE), -1);
		assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		int again = open(path, O_RDWR | O_CLOEXEC);
		if (again >= 0) {
			assert_true(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, again, 0) == MAP_FAILED);
			assert_int_equal(pwrite(again, &byte, 1, PAGE), -1);
			close(again);
		}
		assert_int_equal(atomic_load(&page->produced), SAMPLES);
		munmap((void *)page, MEMORY);
		close(fd);
	}
	client_close(&reader);
	client_close(&owner);
	group_daemon_expect_rest();
}

/* What nobody has attached to is free at once; what a reader may keep stays on the owner's account while he is there,
 * and a later broadcast is not seen through it. */
static void charges(void **state)
{
	struct client owner, reader;
	const struct ring_page *page, *later;
	int fd;

	(void)state;
	client_open(&owner, group_daemon.socket);
	client_open(&reader, group_daemon.socket);
	for (int i = 0; i < 20; i++) {
		create(&owner, "alone");
		publish(&owner, "alone", 1);
		close_it(&owner, "alone");
		client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	}
	create(&owner, "read");
	fd = attach(&reader, "read", &page);
	close(fd);
	close_it(&owner, "read");
	assert_int_equal(group_daemon_charged(), MEMORY);
	create(&owner, "read");
	publish(&owner, "read", 5);
	assert_int_equal(group_daemon_charged(), 2 * MEMORY);
	assert_int_equal(atomic_load(&page->produced), 0);
	assert_int_equal(atomic_load(&page->state), ERROR_CLOSED);
	fd = attach(&reader, "read", &later);
	assert_int_equal(atomic_load(&later->produced), 5);
	close(fd);
	client_close(&owner);
	client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	assert_int_equal(atomic_load(&later->state), ERROR_CLOSED);
	assert_int_equal(atomic_load(&later->produced), 5);
	munmap((void *)page, MEMORY);
	munmap((void *)later, MEMORY);
	client_close(&reader);
	group_daemon_expect_rest();
}

/* A session with all the broadcasts that it may have closes one and creates another without a wait. */
static void again_at_once(void **state)
{
	enum { TIMES = 50, MOST = 16 };
	struct client owner;
	char name[] = "a";

	(void)state;
	client_open(&owner, group_daemon.socket);
	for (name[0] = 'a'; name[0] < 'a' + MOST; name[0]++)
		create(&owner, name);
	for (int i = 0; i < TIMES; i++) {
		struct value closing = client_map(&owner, "name", value_string("a"), NULL);

		client_send(&owner, "broadcast_close", &closing);
		struct value params = client_map(&owner, "name", value_string("a"), "samples", value_uint(SAMPLES), NULL);
		const uint32_t asked = client_send(&owner, "broadcast_create", &params);
		struct message message;

		do
			assert_true(client_receive(&owner, &message));
		while (message.msgid != asked);
		if (message.error.code)
			fail_msg("broadcast_create: %s", message.error.text);
	}
	client_close(&owner);
	group_daemon_expect_rest();
}

/* The longest name that there is, and one letter more. */
static void long_names(void **state)
{
	char name[] = "a234567890123456789012345678901234567890123456789012345678901234x";
	struct client owner;
	struct value params;

	(void)state;
	client_open(&owner, group_daemon.socket);
	params = client_map(&owner, "name", value_string(name), NULL);
	client_fails(&owner, "broadcast_create", &params, ERROR_OUT_OF_RANGE, "name: 65 bytes, allowed are 1 to 64");
	name[64] = '\0';
	create(&owner, name);
	close_it(&owner, name);
	client_close(&owner);
}

/* Killed while it publishes, with and without a rate, at whatever point that is: readers get `closed`, nothing is left.
 */
static void killed_owner(void **state)
{
	struct client reader;

	(void)state;
	client_open(&reader, group_daemon.socket);
	for (int i = 0; i < 16; i++) {
		const struct ring_page *page;
		int ready[2], fd;
		char byte;
		pid_t child;

		assert_int_equal(pipe(ready), 0);
		child = fork();
		if (child == 0) {
			struct client owner;

			client_open(&owner, group_daemon.socket);
			struct value params = client_map(&owner, "name", value_string("doomed"), "samples",
							 value_uint(SAMPLES), "rate", value_real(i % 2 ? 1e6 : 0), NULL);
			client_result(&owner, "broadcast_create", &params);
			if (write(ready[1], "x", 1) != 1)
				_exit(1);
			while (i % 2 == 0)
				publish(&owner, "doomed", 1 + (unsigned)i * 200);
			pause();
		}
		assert_int_equal(read(ready[0], &byte, 1), 1);
		fd = attach(&reader, "doomed", &page);
		AWAIT(atomic_load(&page->produced) > 0);
		wait_to_strike((unsigned)i * 100);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		AWAIT(atomic_load(&page->state) != RING_OPEN);
		assert_int_equal(atomic_load(&page->state), ERROR_CLOSED);
		munmap((void *)page, MEMORY);
		close(fd);
		close(ready[0]);
		close(ready[1]);
	}
	client_close(&reader);
	group_daemon_expect_rest();
}

static int setup(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	group_daemon_start((const char *const[]){"--threads", "2", "--arena-ahead-bytes=0", NULL});
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sealed),
		cmocka_unit_test(charges),
		cmocka_unit_test(again_at_once), cmocka_unit_test(long_names), cmocka_unit_test(killed_owner),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
