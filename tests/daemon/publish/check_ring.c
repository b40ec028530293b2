/* SPDX-License-Identifier: Apache-2.0 */
/* Rings as the wire has them: what a client can do to their pages, how often it must wake the filler, and what is left
 * when it is gone. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/producers/ring_layout.h"
#include "daemon/group_daemon.h"

enum { SAMPLES = 4096, HALF = SAMPLES / 2, PAGE = 4096, MEMORY = PAGE + SAMPLES * 4 };

struct ring {
	uint64_t handle;
	struct fdpass fds; /* samples, index, wake */
	const struct ring_page *page;
	struct ring_index *index;
};

static uint32_t ask_for(struct client *client, uint64_t samples)
{
	struct value params = client_map(client, "samples", value_uint(samples), NULL);

	return client_send(client, "ring_attach", &params);
}

/* The reply to ask_for, behind those to what was sent before. Descriptors may come with either. */
static void receive_ring(struct client *client, uint32_t msgid, uint64_t samples, struct ring *ret_ring)
{
	struct fdpass fds = {.count = 0};
	struct message message;

	do {
		assert_true(client_receive_fds(client, &message, &ret_ring->fds));
		fds = ret_ring->fds.count ? ret_ring->fds : fds;
	} while (message.msgid != msgid);
	ret_ring->fds = fds;
	if (message.error.code)
		fail_msg("ring_attach: %s", message.error.text);
	assert_int_equal(ret_ring->fds.count, 3);
	assert_int_equal(client_number(&message.result, "bytes"), PAGE + samples * 4);
	assert_int_equal(client_number(&message.result, "data_offset"), PAGE);
	ret_ring->handle = client_number(&message.result, "ring");
	ret_ring->page = mmap(NULL, MEMORY, PROT_READ, MAP_SHARED, ret_ring->fds.at[0], 0);
	ret_ring->index = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ret_ring->fds.at[1], 0);
	assert_true((void *)ret_ring->page != MAP_FAILED && (void *)ret_ring->index != MAP_FAILED);
}

static void attach_of(struct client *client, uint64_t samples, struct ring *ret_ring)
{
	const uint32_t msgid = ask_for(client, samples);

	receive_ring(client, msgid, samples, ret_ring);
}

static void attach(struct client *client, struct ring *ret_ring)
{
	attach_of(client, SAMPLES, ret_ring);
}

static void let_go(struct ring *ring)
{
	munmap((void *)ring->page, MEMORY);
	munmap(ring->index, PAGE);
	fdpass_close(&ring->fds);
}

/* Until the filler sleeps with so much produced. */
static void await_sleep(const struct ring *ring, uint64_t produced)
{
	struct waiting waiting = await_begin("", __FILE__, __LINE__);

	while (!atomic_load(&ring->page->asleep) || atomic_load(&ring->page->produced) != produced) {
		if (await_is_over(&waiting))
			fail_msg("the filler: expected asleep at %llu, got %u at %llu", (unsigned long long)produced,
				 atomic_load(&ring->page->asleep),
				 (unsigned long long)atomic_load(&ring->page->produced));
		await_nap(&waiting);
	}
}

/* A client with a ring that is full. */
static void open_full(struct client *client, struct ring *ret_ring)
{
	client_open(client, group_daemon.socket);
	attach(client, ret_ring);
	await_sleep(ret_ring, SAMPLES);
}

static void wake(const struct ring *ring)
{
	assert_int_equal(eventfd_write(ring->fds.at[2], 1), 0);
}

static void detach(struct client *client, struct ring *ring)
{
	struct value params = client_map(client, "ring", value_uint(ring->handle), NULL);

	client_result(client, "ring_detach", &params);
	client_fails(client, "ring_detach", &params, ERROR_NOT_FOUND, "ring");
	let_go(ring);
}

/* ---- what can be done to the pages ---- */

/* No way to write or resize what the daemon writes; nor to resize what the client writes. */
static void sealed(void **state)
{
	struct client client;
	struct ring ring;
	char byte = 1;

	(void)state;
	client_open(&client, group_daemon.socket);
	attach(&client, &ring);
	int fd = ring.fds.at[0], index = ring.fds.at[1];
	char path[64];

	assert_true(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	assert_int_equal(mprotect((void *)ring.page, PAGE, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(pwrite(fd, &byte, 1, 0), -1);
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), -1);
	assert_int_equal(fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, PAGE), -1);
	assert_int_equal(madvise((void *)ring.page, PAGE, MADV_REMOVE), -1);
	/* Opened anew, the same. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int again = open(path, O_RDWR | O_CLOEXEC);
	if (again >= 0) {
		assert_true(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0) == MAP_FAILED);
		assert_int_equal(pwrite(again, &byte, 1, 0), -1);
		assert_int_equal(ftruncate(again, 0), -1);
		close(again);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ftruncate(i ? index : fd, 0), -1);
		assert_int_equal(ftruncate(i ? index : fd, 1 << 20), -1);
		assert_int_equal(fcntl(i ? index : fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	}
	detach(&client, &ring);
	client_close(&client);
}

/* A child that has what its parent had cannot write either. */
static void sealed_after_fork(void **state)
{
	struct client client;
	struct ring ring;
	int status;

	(void)state;
	client_open(&client, group_daemon.socket);
	attach(&client, &ring);
	pid_t child = fork();
	if (child == 0)
		_exit(mprotect((void *)ring.page, PAGE, PROT_READ | PROT_WRITE) == -1 &&
				      mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, ring.fds.at[0], 0) == MAP_FAILED
			      ? 0
			      : 1);
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	detach(&client, &ring);
	client_close(&client);
}

/* ---- wake-ups ---- */

/* Half by half: each half that is free costs one wake-up, and without one nothing happens. */
static void one_wake_a_half(void **state)
{
	struct client client;
	struct ring ring;

	(void)state;
	open_full(&client, &ring);
	uint64_t before = client_stat(&witness, "daemon.ring_wakes");
	for (uint64_t k = 1; k <= 20; k++) {
		atomic_store(&ring.index->taken, k * HALF - 1); /* not yet */
		wake(&ring);
		client_await_stat(&witness, "daemon.ring_wakes", before + 2 * k - 1);
		await_sleep(&ring, SAMPLES + (k - 1) * HALF);
		atomic_store(&ring.index->taken, k * HALF);
		wake(&ring);
		await_sleep(&ring, SAMPLES + k * HALF);
		client_await_stat(&witness, "daemon.ring_wakes", before + 2 * k);
	}
	detach(&client, &ring);
	client_close(&client);
}

/* ---- lies ---- */

static void expect_detached(struct client *client, const struct ring *ring, const char *words)
{
	struct message message;
	size_t size = 0;

	assert_true(client_receive(client, &message));
	assert_int_equal(message.type, MESSAGE_NOTIFICATION);
	assert_int_equal(message.method_size, strlen("ring_detached"));
	assert_memory_equal(message.method, "ring_detached", message.method_size);
	assert_int_equal(client_number(&message.params, "ring"), ring->handle);
	const struct value *text = value_get(&message.params, "text");
	size = text->bytes.size;
	if (!memmem(text->bytes.at, size, words, strlen(words)))
		fail_msg("expected \"%s\", got \"%.*s\"", words, (int)size, text->bytes.at);
	assert_true(atomic_load(&ring->page->state) != RING_OPEN);
}

/* An index that cannot be ends the ring, with a reason, and only the ring. */
static void lying_index(void **state)
{
	static const struct {
		uint64_t first, then;
		const char *words;
	} lies[] = {
		{0, SAMPLES + 1, "out_of_range: ring: index: moved to"},
		{0, UINT64_MAX, "out_of_range: ring: index: moved to"},
		{HALF, HALF - 1, "out_of_range: ring: index: moved back"},
		{HALF, 0, "out_of_range: ring: index: moved back"},
		{SAMPLES, (uint64_t)1 << 63, "out_of_range: ring: index: moved to"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct client client;
		struct ring ring;

		open_full(&client, &ring);
		if (lies[i].first) {
			atomic_store(&ring.index->taken, lies[i].first);
			wake(&ring);
			await_sleep(&ring, SAMPLES + lies[i].first);
		}
		atomic_store(&ring.index->taken, lies[i].then);
		wake(&ring);
		expect_detached(&client, &ring, lies[i].words);
		client_result(&client, "ping", NULL);
		let_go(&ring);
		client_close(&client);
		group_daemon_expect_rest();
	}
	client_result(&witness, "ping", NULL);
}

/* The index's page is punched: it reads 0, which is back. */
static void punched_index(void **state)
{
	struct client client;
	struct ring ring;

	(void)state;
	open_full(&client, &ring);
	atomic_store(&ring.index->taken, HALF);
	wake(&ring);
	await_sleep(&ring, SAMPLES + HALF);
	assert_int_equal(fallocate(ring.fds.at[1], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), 0);
	wake(&ring);
	expect_detached(&client, &ring, "moved back to 0");
	let_go(&ring);
	client_close(&client);
}

/* Wakes for nothing, for ever; clears the flag that would keep the daemon from blocking; fills the counter. */
static void flooded(void **state)
{
	struct client client;
	struct ring ring;

	(void)state;
	open_full(&client, &ring);
	assert_int_equal(fcntl(ring.fds.at[2], F_SETFL, 0), 0);
	assert_int_equal(eventfd_write(ring.fds.at[2], UINT64_MAX - 1 - 1000000), 0);
	for (int i = 0; i < 1000000 && atomic_load(&ring.page->state) == RING_OPEN; i++) {
		eventfd_write(ring.fds.at[2], 1);
		wait_as_slow_peer(1); /* else many are one to the daemon */
	}
	expect_detached(&client, &ring, "woken");
	client_result(&client, "ping", NULL);
	let_go(&ring);
	client_close(&client);
}

/* ---- ends ---- */

/* Killed while it takes; at whatever point that is. */
static void killed_in_mid_take(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		int ready[2];
		char byte;
		pid_t child;

		assert_int_equal(pipe(ready), 0);
		child = fork();
		if (child == 0) {
			struct client client;
			struct ring ring;

			client_open(&client, group_daemon.socket);
			attach(&client, &ring);
			if (write(ready[1], "x", 1) != 1)
				_exit(1);
			for (uint64_t taken = 0;;) {
				uint64_t produced = atomic_load(&ring.page->produced);

				taken += taken < produced;
				atomic_store(&ring.index->taken, taken);
				if (taken % HALF == 0 && atomic_load(&ring.page->asleep))
					wake(&ring);
			}
		}
		assert_int_equal(read(ready[0], &byte, 1), 1);
		wait_to_strike((unsigned)i * 200);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(ready[0]);
		close(ready[1]);
	}
	group_daemon_expect_rest();
}

/* More rings than allowed, rings too large, and the ends of those there are. */
static void limits(void **state)
{
	struct client client;
	struct ring rings[16];

	(void)state;
	client_open(&client, group_daemon.socket);
	for (size_t i = 0; i < 16; i++)
		attach(&client, &rings[i]);
	client_fails(&client, "ring_attach", NULL, ERROR_LIMIT, "rings = 16");
	assert_int_equal(client_stat(&witness, "daemon.rings"), 16);
	for (size_t i = 0; i < 8; i++)
		detach(&client, &rings[i]);
	client_await_stat(&witness, "daemon.rings", 8);
	struct value large = client_map(&client, "samples", value_uint((uint64_t)1 << 31), NULL);
	client_fails(&client, "ring_attach", &large, ERROR_LIMIT, "ring_bytes");
	for (size_t i = 8; i < 16; i++)
		let_go(&rings[i]);
	client_close(&client);
	group_daemon_expect_rest();
}

/* A session with all the rings that it may have detaches one and asks for another without a wait: it finds the place, and
 * the memory of the one before, though a lane has to end that first. */
static void again_at_once(void **state)
{
	enum { TIMES = 16, MOST = 16 };
	struct client client;
	struct ring rings[MOST];

	(void)state;
	client_open(&client, group_daemon.socket);
	for (size_t i = 0; i < MOST; i++)
		attach(&client, &rings[i]);
	for (size_t i = 0; i < TIMES; i++) {
		struct ring *ring = &rings[i % MOST];
		struct value params = client_map(&client, "ring", value_uint(ring->handle), NULL);

		client_send(&client, "ring_detach", &params);
		const uint32_t asked = ask_for(&client, SAMPLES);
		let_go(ring);
		receive_ring(&client, asked, SAMPLES, ring);
	}
	assert_int_equal(group_daemon_charged(), MOST * (MEMORY + PAGE));
	for (size_t i = 0; i < MOST; i++)
		let_go(&rings[i]);
	client_close(&client);
	group_daemon_expect_rest();
}

/* ---- memory that a client keeps ---- */

/* Detached, and not let go of by the client. */
static void detach_only(struct client *client, const struct ring *ring)
{
	struct value params = client_map(client, "ring", value_uint(ring->handle), NULL);

	client_result(client, "ring_detach", &params);
	client_await_stat(&witness, "daemon.rings", 0);
}

/* Attached and detached again and again, every mapping kept: it is the same memory each time, and is paid for once, until
 * the session ends. The ring that finds it begins anew. */
static void kept_memory(void **state)
{
	enum { TIMES = 200, SHMEM_SLACK_KIB = 256 };
	struct client client;
	struct ring ring;
	struct stat first, status;
	uint64_t shmem = 0;

	(void)state;
	client_open(&client, group_daemon.socket);
	for (int i = 0; i < TIMES; i++) {
		attach(&client, &ring);
		await_sleep(&ring, SAMPLES);
		assert_int_equal(atomic_load(&ring.index->taken), 0);
		assert_int_equal(atomic_load(&ring.page->state), RING_OPEN);
		assert_int_equal(fstat(ring.fds.at[0], &status), 0);
		first = i ? first : status;
		assert_true(status.st_ino == first.st_ino);
		atomic_store(&ring.index->taken, HALF);
		wake(&ring);
		await_sleep(&ring, SAMPLES + HALF);
		detach_only(&client, &ring);
		fdpass_close(&ring.fds);
		if (group_daemon_charged() != MEMORY + PAGE)
			fail_msg("after %d rings: expected %d bytes charged, got %llu", i + 1, MEMORY + PAGE,
				 (unsigned long long)group_daemon_charged());
		shmem = i ? shmem : daemon_kib(&group_daemon, "RssShmem");
	}
	if (daemon_kib(&group_daemon, "RssShmem") > shmem + SHMEM_SLACK_KIB)
		fail_msg("expected at most %llu KiB of shared memory, got %llu",
			 (unsigned long long)shmem + SHMEM_SLACK_KIB,
			 (unsigned long long)daemon_kib(&group_daemon, "RssShmem"));
	client_close(&client);
	group_daemon_expect_rest();
}

/* Rings of ever other sizes, detached and kept: the quota ends it, and the session's end gives all back. */
static void kept_to_the_quota(void **state)
{
	struct daemon small;
	struct client client;
	struct ring ring;
	struct value params;
	uint64_t samples = SAMPLES;

	(void)state;
	daemon_start(&small, (const char *const[]){"--threads", "1", "--arena-ahead-bytes=0", "--arena-total-bytes=1M", NULL});
	for (int turn = 0; turn < 2; turn++) {
		client_open(&client, small.socket);
		for (samples = SAMPLES; samples <= 65536 / 2; samples *= 2) {
			attach_of(&client, samples, &ring);
			params = client_map(&client, "ring", value_uint(ring.handle), NULL);
			client_result(&client, "ring_detach", &params);
			client_await_stat(&client, "daemon.rings", 0);
		}
		params = client_map(&client, "samples", value_uint(65536), NULL);
		client_fails(&client, "ring_attach", &params, ERROR_LIMIT, "arena_total_bytes");
		/* What was there before is still to be had. */
		attach_of(&client, 65536 / 2, &ring);
		client_close(&client);
		client_open(&client, small.socket);
		client_await_stat(&client, "daemon.quota.arena_total_bytes.used", 0);
		client_close(&client);
	}
	daemon_stop(&small);
}

/* The daemon's CPU time, in ticks. */
static unsigned long ticks_used(void)
{
	char path[64], line[512];
	unsigned long user, system;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)group_daemon.pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof line, file));
	fclose(file);
	assert_int_equal(sscanf(strrchr(line, ')') + 1, "%*s %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system),
			 2);
	return user + system;
}

/* A ring that is full takes no time at all. What came before, and a sanitizer's own thread, may take some in one half second,
 * but not in each. */
static void idle_costs_nothing(void **state)
{
	struct client client;
	struct ring ring;
	unsigned long before, used = 1;

	(void)state;
	open_full(&client, &ring);
	for (int i = 0; i < 6 && used > 0; i++) {
		before = ticks_used();
		wait_idle(500);
		used = ticks_used() - before;
	}
	assert_int_equal(used, 0);
	detach(&client, &ring);
	client_close(&client);
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
		cmocka_unit_test(sealed),	    cmocka_unit_test(sealed_after_fork),
		cmocka_unit_test(one_wake_a_half),  cmocka_unit_test(lying_index),
		cmocka_unit_test(punched_index),    cmocka_unit_test(flooded),
		cmocka_unit_test(killed_in_mid_take), cmocka_unit_test(limits),
		cmocka_unit_test(again_at_once),
		cmocka_unit_test(kept_memory),	    cmocka_unit_test(kept_to_the_quota),
		cmocka_unit_test(idle_costs_nothing),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
