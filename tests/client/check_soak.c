/* SPDX-License-Identifier: Apache-2.0 */
/* Crowds of clients that come and go, each a process, some killed wherever they are: those that behave see no error and
 * only right bytes; afterwards the daemon's memory, descriptors and threads are what they were.
 *
 * What a client does, and how it knows what is right: deeds.h. A short cut; with SOAK_SECONDS=N 1,000 clients at a time
 * for so long (make soak SECONDS=N). */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "drawing.h"

#include "harness/daemon.h"
#include "harness/sanitized.h"
#include "harness/wait.h"
#include "deeds.h"

enum {
	PIECE = 256, /* samples that are published at a time, a hundred times a second */
	GROWTH_KIB = 16 << 10,
	CLIENT_KIB = 2 << 10, /* at most, beside what they share */
};

static struct daemon trnscid;
static struct deeds_shared *shared;
static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(random_state >> 8) * n >> 24);
}

/* ---- the crowd ---- */

static pid_t begin(unsigned seed)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	deeds_live(shared, trnscid.socket, seed);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether it has ended; unless it was killed, as it should. */
static bool is_over(pid_t pid, bool was_killed)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) != pid)
		return false;
	if (status != 0 && !was_killed && atomic_fetch_add(&shared->failed, 1) == 0)
		snprintf(shared->why, sizeof shared->why, "a client ended with status 0x%x", status);
	return true;
}

struct client {
	pid_t pid;
	bool killed;
};

/* Kills one of 200, those that happen to live; how many. */
static unsigned kill_some(struct client *clients, int size)
{
	unsigned killed = 0;

	for (int i = 0; i <= size / 200; i++) {
		struct client *client = &clients[random_below((uint32_t)size)];

		if (!client->pid || client->killed)
			continue;
		client->killed = true;
		kill(client->pid, SIGKILL);
		killed++;
	}
	return killed;
}

/* So many at a time for so long, some of them killed. The session is that of the broadcast. */
static void crowd(struct trnsci_session *news, int size, double duration)
{
	struct client *clients = calloc((size_t)size, sizeof *clients);
	double end = seconds() + duration, next = 0;
	uint64_t begun = 0, killed = 0;
	bool over = false;

	while (!over) {
		bool going_on = seconds() < end && !shared->failed;

		over = !going_on;
		for (int i = 0; i < size; i++) {
			struct client *client = &clients[i];

			if (client->pid && is_over(client->pid, client->killed))
				*client = (struct client){0};
			if (!client->pid && going_on)
				client->pid = begin((unsigned)++begun);
			over = over && !client->pid;
		}
		if (seconds() > next) { /* to the end, for the last readers */
			assert_int_equal(trnsci_broadcast_publish(news, DEEDS_BROADCAST, PIECE, NULL, NULL), 0);
			killed += going_on ? kill_some(clients, size) : 0;
			next = seconds() + 0.01;
		}
		wait_to_strike(1000);
	}
	printf("# %" PRIu64 " clients, %" PRIu64 " of them killed, %" PRIu64 " requests\n", begun, killed,
	       (uint64_t)shared->requests);
	fflush(stdout); /* or those that are forked write it again */
	free(clients);
	if (shared->failed)
		fail_msg("%" PRIu64 " clients saw what they should not: %s", (uint64_t)shared->failed, shared->why);
	assert_true(killed > 0 && shared->clients > 0);
}

/* ---- the daemon before and after ---- */

struct footprint {
	uint64_t anon_kib, shmem_kib, threads;
	unsigned fds;
};

static uint64_t status_line(const char *name)
{
	char path[64], text[256];
	uint64_t number = 0;

	snprintf(path, sizeof path, "/proc/%d/status", trnscid.pid);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(text, sizeof text, file))
		if (strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':')
			number = strtoull(text + strlen(name) + 1, NULL, 10);
	fclose(file);
	return number;
}

static struct footprint look(void)
{
	struct footprint footprint = {status_line("RssAnon"), status_line("RssShmem"), status_line("Threads"), 0};
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/fd", trnscid.pid);
	DIR *folder = opendir(path);
	assert_non_null(folder);
	while (readdir(folder))
		footprint.fds++;
	closedir(folder);
	return footprint;
}

/* Sessions end when the daemon has seen them end. */
static struct footprint settled(const struct footprint *before)
{
	struct footprint now = look();

	for (struct waiting waiting = await_begin("", __FILE__, __LINE__);
	     (now.fds > before->fds || now.anon_kib > before->anon_kib + GROWTH_KIB) && !await_is_over(&waiting);
	     now = look())
		await_nap(&waiting);
	return now;
}

/* The number in the line of a file that begins so; 0 without. */
static long number_in(const char *path, const char *begin)
{
	FILE *file = fopen(path, "r");
	char line[256];
	long number = 0;

	while (file && number == 0 && fgets(line, sizeof line, file))
		if (strncmp(line, begin, strlen(begin)) == 0)
			number = strtol(line + strlen(begin), NULL, 10);
	if (file)
		fclose(file);
	return number;
}

/* 1,000, each with a thread of its own; or as many as this machine lets there be, by its memory and its limit of tasks. */
static int whole_crowd(void)
{
	const long kib = number_in("/proc/meminfo", "MemAvailable:");
	const long tasks = number_in("/sys/fs/cgroup/pids.max", "");
	long most = 1000;

	if (tasks && tasks / 3 < most)
		most = tasks / 3;
	if (kib && kib / CLIENT_KIB < most)
		most = kib / CLIENT_KIB;
	if (most < 1000)
		printf("# only %ld clients at a time: the machine has no room for 1,000\n", most);
	return (int)most;
}

static void test_crowd(void **state)
{
	const char *seconds = getenv("SOAK_SECONDS");
	const struct drawing draw = deeds_news();
	const struct trnsci_stream_options stream = {.seed = DEEDS_SEED, .has_seed = true};
	struct trnsci_session *news;

	(void)state;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(shared != MAP_FAILED);
	assert_int_equal(trnsci_open(trnscid.socket, NULL, &news, NULL), 0);
	assert_int_equal(trnsci_stream_create(news, DEEDS_STREAM, &stream, NULL, NULL), 0);
	assert_int_equal(draw_broadcast(news, DEEDS_BROADCAST, &draw, TRNSCI_F32, 65536, 0, 0600, NULL), 0);
	assert_int_equal(trnsci_broadcast_publish(news, DEEDS_BROADCAST, 4096, NULL, NULL), 0);
	crowd(news, seconds ? 64 : 8, seconds ? 5 : 0.5); /* what is allocated once */
	struct footprint before = look();
	before = settled(&before);
	crowd(news,
	      seconds     ? whole_crowd()
	      : SANITIZED ? 12
			  : 32,
	      seconds     ? strtod(seconds, NULL)
	      : SANITIZED ? 4
			  : 2.5);
	struct footprint after = settled(&before);
	printf("# before: %" PRIu64 " KiB, %" PRIu64 " KiB shared, %u descriptors, %" PRIu64 " threads; after: %" PRIu64
	       " KiB, %" PRIu64 " KiB shared, %u descriptors, %" PRIu64 " threads\n",
	       before.anon_kib, before.shmem_kib, before.fds, before.threads, after.anon_kib, after.shmem_kib,
	       after.fds, after.threads);
	assert_true(SANITIZED || after.anon_kib <= before.anon_kib + GROWTH_KIB);
	assert_true(after.shmem_kib <= before.shmem_kib + GROWTH_KIB);
	assert_true(after.fds <= before.fds);
	assert_int_equal(after.threads, before.threads);
	trnsci_close(news);
	munmap(shared, sizeof *shared);
}

static int set_up(void **state)
{
	static const char config[] = "connections = 8192\nconnections_per_second = 100000\narena_total_bytes = 8G\n"
				     "jobs_total = 65536\nfds_total = 16384\narena_ahead_bytes = 0\nlog_level = error\n"
				     "plan_cache_bytes = 4M\n"; /* so that plans come and go, too */
	char setting[] = "--config=/tmp/trnsci-soak-XXXXXX";
	int fd = mkstemp(strchr(setting, '=') + 1);

	(void)state;
	assert_int_equal(write(fd, config, sizeof config - 1), sizeof config - 1);
	close(fd);
	daemon_start(&trnscid, ARGUMENTS("--threads=2", setting));
	unlink(strchr(setting, '=') + 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	daemon_stop(&trnscid);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_crowd)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
