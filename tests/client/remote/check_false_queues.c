/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of a daemon that lies: one that is not what it must be is not used, and the calls go by the socket; completions of
 * nothing end the session. And of one that is honest and slow. */
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "fake_daemon.h"
#include "harness/wait.h"
#include "queue_layout.h"

enum { N = 16, ARENA = 1 << 20, SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* An honest queue, but for one of these. */
struct queue_lie {
	uint64_t entries, stated, real, submissions, completions;
	uint64_t magic;
	uint32_t completed; /* on its page; entries are zeros */
	uint32_t yields;    /* there */
	int seals;
	bool none;    /* no descriptor */
	_Atomic int *served; /* gets a descriptor of it; NULL: nobody serves it */
	int expected; /* of the calls */
};

static const struct queue_lie honest = {.entries = 16,
					.stated = 8192,
					.real = 8192,
					.submissions = 4096,
					.completions = 4096 + 16 * 64,
					.magic = QUEUE_MAGIC,
					.seals = SEALS};

static int memory_of(uint64_t bytes, const struct queue_page *page, int seals)
{
	int fd = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	if (page)
		assert_int_equal(pwrite(fd, page, sizeof *page, 0), sizeof *page);
	fcntl(fd, F_ADD_SEALS, seals);
	return fd;
}

static void reply_with(struct fake_daemon *fake, const struct message *request, const char *const *names, const uint64_t *numbers,
		       size_t count, int fd)
{
	fake_daemon_reply(fake, request, names, numbers, count, fd);
	if (fd >= 0)
		close(fd);
}

static void reply_queue(struct fake_daemon *fake, const struct message *request)
{
	const struct queue_lie *lie = fake->lie;
	const char *const names[] = {"entries", "bytes", "submissions_offset", "completions_offset"};
	const uint64_t numbers[] = {lie->entries, lie->stated, lie->submissions, lie->completions};
	struct queue_page page = {.magic = lie->magic, .version = QUEUE_VERSION, .entries = 16};

	atomic_init(&page.completed, lie->completed);
	atomic_init(&page.yields, lie->yields);
	const int fd = lie->none ? -1 : memory_of(lie->real, &page, lie->seals);

	if (lie->served)
		atomic_store(lie->served, dup(fd));
	reply_with(fake, request, names, numbers, 4, fd);
}

/* Every call is a draw into the one tile. */
static bool lie_about_queues(struct fake_daemon *fake, const struct message *request)
{
	const char *const arena[] = {"arena", "bytes", "page"}, *const tile[] = {"tile", "arena", "offset", "bytes"},
			  *const prepared[] = {"prepared", "tiles"}, *const draw[] = {"tile", "seed", "stream", "offset", "position", "next"};

	if (fake_daemon_greets(fake, request))
		return true;
	if (fake_daemon_asked(request, "queue"))
		reply_queue(fake, request);
	else if (fake_daemon_asked(request, "arena"))
		reply_with(fake, request, arena, (const uint64_t[]){1, ARENA, 4096}, 3, memory_of(ARENA, NULL, SEALS));
	else if (fake_daemon_asked(request, "tile"))
		reply_with(fake, request, tile, (const uint64_t[]){1, 1, 0, N * 4}, 4, -1);
	else if (fake_daemon_asked(request, "prepare"))
		reply_with(fake, request, prepared, (const uint64_t[]){1, 1}, 2, -1);
	else
		reply_with(fake, request, draw, (const uint64_t[]){1, 0, 0, 0, 0, 16}, 6, -1);
	return true;
}

static void expect_calls(size_t number, const struct queue_lie *lie)
{
	const uint64_t n = N;
	const int fds = count_fds();
	struct fake_daemon *fake = fake_daemon_start(lie_about_queues, lie);
	/* A session that has failed answers at once: without a time limit nothing else would. */
	const struct trnsci_options options = {.queue = 1, .timeout_ms = lie->expected ? 0 : 10000, .reconnect_ms = -1,
					       .arena_bytes = ARENA};
	struct trnsci_session *session;
	struct trnsci_tile *tile;
	struct trnsci_call *call;
	struct trnsci_error err;
	int r = 0;

	assert_int_equal(trnsci_open(fake->path, &options, &session, &err), 0);
	if (trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, &err) < 0)
		fail_msg("lie %zu: %s", number, err.text);
	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", tile));
	for (int i = 0; i < 40 && r == 0; i++)
		r = trnsci_run(call, NULL);
	if (r != lie->expected)
		fail_msg("lie %zu: expected %s, got %s: %s", number, trnsci_error_name(lie->expected), trnsci_error_name(r),
			 trnsci_call_error(call)->text);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	trnsci_close(session);
	fake_daemon_stop(fake);
	assert_int_equal(count_fds(), fds);
}

/* A number of its reply, or of its page, is another. The calls go by the socket. */
static void false_numbers(void **state)
{
	static const struct {
		size_t at;
		uint64_t number;
	} lies[] = {
		{offsetof(struct queue_lie, entries), 15},	   {offsetof(struct queue_lie, entries), 0},
		{offsetof(struct queue_lie, entries), 1 << 20},	   {offsetof(struct queue_lie, entries), 256},
		{offsetof(struct queue_lie, stated), 4096},	   {offsetof(struct queue_lie, stated), UINT64_MAX},
		{offsetof(struct queue_lie, real), 4096},	   {offsetof(struct queue_lie, submissions), 0},
		{offsetof(struct queue_lie, completions), 1 << 20}, {offsetof(struct queue_lie, magic), 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct queue_lie lie = honest;

		memcpy((char *)&lie + lies[i].at, &lies[i].number, sizeof lies[i].number);
		expect_calls(i, &lie);
	}
}

static void false_memory(void **state)
{
	struct queue_lie unsealed = honest, none = honest;

	(void)state;
	unsealed.seals = 0;
	expect_calls(0, &unsealed);
	none.none = true;
	expect_calls(1, &none);
}

static void false_completions(void **state)
{
	static const uint32_t lies[] = {1, 1000, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct queue_lie lie = honest;

		lie.completed = lies[i];
		lie.expected = -TRNSCI_BAD_REPLY;
		expect_calls(i, &lie);
	}
}

/* ---- a slow daemon ---- */

static _Atomic int served = -1;
static _Atomic bool slow_ends;

static void *run_again_and_again(void *arg)
{
	int r = 0;

	while (r == 0 && !atomic_load(&slow_ends))
		r = trnsci_run(arg, NULL);
	return r == 0 ? NULL : arg;
}

static struct queue_page *map_page_of_queue(void)
{
	struct queue_page *page;

	AWAIT(atomic_load(&served) >= 0);
	page = mmap(NULL, honest.real, PROT_READ | PROT_WRITE, MAP_SHARED, atomic_load(&served), 0);
	assert_true(page != MAP_FAILED);
	return page;
}

static void unmap_page_of_queue(struct queue_page *page)
{
	munmap(page, honest.real);
	close(atomic_load(&served));
}

/* Ends run number i. */
static void complete_run(struct queue_page *page, uint32_t i)
{
	struct run_prepared run;

	queue_copy_entry(&run, queue_submission(page, (uint32_t)honest.entries, i));
	*(struct queue_completion *)queue_completion(page, (uint32_t)honest.entries, i) = (struct queue_completion){
		.user = run.user,
		.given = QUEUE_SEED | QUEUE_STREAM | QUEUE_OFFSET | QUEUE_POSITION | QUEUE_NEXT,
		.next = N};
	atomic_store(&page->completed, i + 1);
	syscall(SYS_futex, &page->completed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Ends the one run that was submitted, late. */
static void serve_late(void)
{
	struct queue_page *page = map_page_of_queue();

	AWAIT(atomic_load(&page->submitted) == 1 && atomic_load(&page->client_sleeps) != QUEUE_AWAKE);
	wait_past_timeout(5);
	assert_int_equal(atomic_load(&page->client_sleeps) & QUEUE_WAKE_MASK, QUEUE_WAKE_FUTEX);
	atomic_store(&slow_ends, true);
	complete_run(page, 0);
	unmap_page_of_queue(page);
}

/* Ends runs after some time each, in which a client that does not yield falls asleep, until one has not. */
static void serve_soon(void)
{
	enum { SOON_NS = 600000, MOST = 1000 };
	struct queue_page *page = map_page_of_queue();
	bool awake = false;

	for (uint32_t i = 0; !awake; i++) {
		assert_in_range(i, 0, MOST);
		AWAIT(atomic_load(&page->submitted) == i + 1);
		for (const uint64_t until = now_ns() + SOON_NS; now_ns() < until;)
			;
		awake = atomic_load(&page->client_sleeps) == QUEUE_AWAKE;
		atomic_store(&slow_ends, awake);
		complete_run(page, i);
	}
	unmap_page_of_queue(page);
}

/* A daemon whose queue says so about yields is served by serve. */
static void run_while(void (*serve)(void), uint32_t yields)
{
	const uint64_t n = N;
	struct queue_lie lie = honest;
	const struct trnsci_options options = {.queue = 1, .timeout_ms = 10000, .reconnect_ms = -1, .arena_bytes = ARENA};
	struct fake_daemon *fake;
	struct trnsci_session *session;
	struct trnsci_tile *tile;
	struct trnsci_call *call;
	pthread_t thread;
	void *failed;

	atomic_store(&served, -1);
	atomic_store(&slow_ends, false);
	lie.served = &served;
	lie.yields = yields;
	fake = fake_daemon_start(lie_about_queues, &lie);
	assert_int_equal(trnsci_open(fake->path, &options, &session, NULL), 0);
	assert_int_equal(trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", tile));
	assert_int_equal(pthread_create(&thread, NULL, run_again_and_again, call), 0);
	serve();
	pthread_join(thread, &failed);
	assert_null(failed);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	trnsci_close(session);
	fake_daemon_stop(fake);
}

/* A thread that waits for some milliseconds, as in a crowd, still sleeps at the queue: to be woken by the socket takes three
 * more system calls. One that is to yield does so, too, when that was in vain. */
static void slow(void **state)
{
	static const uint32_t yields[] = {0, 1, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof yields / sizeof *yields; i++)
		run_while(serve_late, yields[i]);
}

static void yields(void **state)
{
	(void)state;
	run_while(serve_soon, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(false_numbers), cmocka_unit_test(false_memory),
					   cmocka_unit_test(false_completions), cmocka_unit_test(slow),
					   cmocka_unit_test(yields)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
