/* SPDX-License-Identifier: Apache-2.0 */
/* Times. */
#include "load.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PINGS = 400 };

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	assert_int_equal(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t load_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t load_cpu_ns(const struct daemon *daemon)
{
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(daemon->pid, &clock), 0);
	return clock_ns(clock);
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

uint64_t load_median_ping_ns(struct client *client)
{
	static uint64_t took[PINGS];

	for (int i = 0; i < PINGS; i++) {
		uint64_t begun = load_now_ns();

		client_result(client, "ping", NULL);
		took[i] = load_now_ns() - begun;
	}
	qsort(took, PINGS, sizeof *took, ascending);
	return took[PINGS / 2];
}

void load_feels_nothing(struct client *client, const char *name, void (*attack)(void))
{
	uint64_t quiet = load_median_ping_ns(client), attacked;
	_Atomic unsigned *attacks =
		mmap(NULL, sizeof *attacks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(attacks != MAP_FAILED);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;; ++*attacks)
			attack();
	}
	/* A busy machine may begin it late. */
	while (!*attacks && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(1000);
	assert_true(*attacks > 0);
	munmap((void *)attacks, sizeof *attacks);
	attacked = load_median_ping_ns(client);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	printf("# %s: a ping takes %" PRIu64 " us, %" PRIu64 " us without\n", name, attacked / 1000, quiet / 1000);
	if (!SANITIZED && attacked > 20 * quiet + 2000000)
		fail_msg("%s: a ping takes %" PRIu64 " ns instead of %" PRIu64, name, attacked, quiet);
}

int load_connect(const struct daemon *daemon)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, daemon->socket);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}
