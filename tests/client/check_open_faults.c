/* SPDX-License-Identifier: Apache-2.0 */
/* A session that is opened, used and closed while each of its allocations and system calls fails in turn, embedded and by a
 * daemon: trnsci_open returns an error, or a session that works or names an error. Afterwards the process holds as much memory,
 * as many descriptors and threads as before, and the same call succeeds.
 *
 * The check starts itself again with tests/faults/inject.so. */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <trnsci/trnsci.h>

#include "faults/inject.h"
#include "harness/daemon.h"
#include "harness/sanitized.h"
#include "harness/wait.h"

enum { SECONDS_MOST = 120 }; /* a hang ends the check */

static struct fault_page *page;
static struct daemon trnscid;

static const int errors[] = {ENOMEM, EINTR, EAGAIN, EMFILE, ENOSPC, EIO};

static size_t count_entries(const char *path)
{
	DIR *folder = opendir(path);
	size_t count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

struct held {
	size_t bytes, fds, threads;
};

static struct held count_held(void)
{
	const struct mallinfo2 heap = mallinfo2();

	return (struct held){heap.uordblks + heap.hblkhd, count_entries("/proc/self/fd"), count_entries("/proc/self/task")};
}

/* The first two uniforms of seed 1, in the program's memory and in a tile. */
static bool draws_right(struct trnsci_session *session, struct trnsci_error *err)
{
	static const unsigned char known[] = {0x09, 0x46, 0x6d, 0x3f, 0x54, 0xd8, 0x24, 0x3e};
	const struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_tile *tile = NULL;
	float out[2] = {0};

	if (trnsci_draw_array(session, "uniform", NULL, &source, TRNSCI_F32, 2, out, NULL, err) < 0)
		return false;
	assert_memory_equal(out, known, sizeof known);
	if (trnsci_tile_new(session, TRNSCI_F32, 1, (const uint64_t[]){2}, &tile, err) < 0)
		return false;
	const bool drawn = trnsci_draw_tile(session, "uniform", NULL, &source, &tile, NULL, err) == 0;

	if (drawn)
		assert_memory_equal(trnsci_tile_data(tile), known, sizeof known);
	trnsci_tile_free(tile);
	return drawn;
}

static void expect_reason(const struct trnsci_error *err, const char *what)
{
	if (!err->code || !*err->text)
		fail_msg("%s: %s, call %ld (%s): an error without a reason", what, strerror(page->error), (long)page->nth, page->what);
}

/* Returns whether session and draws succeeded. What failed has a code and a text. */
static bool opens_and_draws(const char *address)
{
	const struct trnsci_options options = {.threads = 2, .reconnect_ms = -1};
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	bool drawn;

	if (trnsci_open(address, &options, &session, &err) < 0) {
		assert_null(session);
		expect_reason(&err, "open");
		return false;
	}
	drawn = draws_right(session, &err);
	if (!drawn)
		expect_reason(&err, "draw");
	trnsci_close(session);
	return drawn;
}

/* A thread that was joined may be listed for a moment longer. */
static void expect_nothing_kept(const char *address, int error, long nth, const struct held *before)
{
	AWAIT(count_held().threads <= before->threads);
	const struct held after = count_held();

	if (after.bytes > before->bytes || after.fds != before->fds || after.threads > before->threads)
		fail_msg("%s: %s, call %ld (%s): %zu bytes, %zu descriptors, %zu threads, expected %zu, %zu, %zu", address,
			 strerror(error), nth, page->what, after.bytes, after.fds, after.threads, before->bytes, before->fds,
			 before->threads);
}

/* The second time nothing is allocated that the process keeps for later sessions. */
static void fail_at(const char *address, int error, long nth)
{
	struct held before;

	for (int times = 0; times < 2; times++) {
		before = count_held();
		*page = (struct fault_page){.error = error, .nth = nth, .armed = 1};
		opens_and_draws(address);
		page->armed = 0;
	}
	expect_nothing_kept(address, error, nth, &before);
	if (!opens_and_draws(address))
		fail_msg("%s: %s, call %ld (%s): the session after it failed", address, strerror(error), nth, page->what);
}

static void sweep(const char *address)
{
	assert_true(opens_and_draws(address));
	assert_true(opens_and_draws(address));
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		long nth = 0;

		do
			fail_at(address, errors[i], ++nth);
		while (page->hits > 0);
		assert_true(errors[i] != ENOMEM || nth > 10);
		printf("# %.12s: %s: %ld calls\n", address, strerror(errors[i]), nth - 1);
	}
}

static void embedded(void **state)
{
	(void)state;
	sweep("embedded:");
}

static void remote(void **state)
{
	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=1", "--connections-per-second=1000000"));
	sweep(trnscid.socket);
	daemon_stop(&trnscid);
}

/* Without the allocator's caches of freed blocks, which would count as in use. */
static void start_with_faults(char **argv)
{
	static char preload[4200];
	char *name;

	snprintf(preload, sizeof preload, "%s", daemon_binary());
	name = strstr(preload, "/bin/trnscid");
	strcpy(name, "/tests/faults/inject.so");
	setenv("LD_PRELOAD", preload, 1);
	setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1", 1);
	setenv(FAULT_PAGE, "/proc/self/fd/9", 1);
	const int fd = memfd_create("fault-page", 0);

	if (fd < 0 || ftruncate(fd, sizeof *page) < 0 || dup2(fd, 9) < 0)
		exit(1);
	close(fd);
	execv("/proc/self/exe", (char *[]){argv[0], (char *)"again", NULL});
	exit(1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(embedded),
		cmocka_unit_test(remote),
	};

	if (SANITIZED) {
		printf("1..0 # skipped: the sanitizers have allocators and system calls of their own\n");
		return 0;
	}
	if (argc < 2)
		start_with_faults(argv);
	page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, 9, 0);
	close(9);
	unsetenv("LD_PRELOAD");
	unsetenv("GLIBC_TUNABLES");
	alarm(SECONDS_MOST);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
