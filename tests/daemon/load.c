/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon's work is measured by: its processor time, which does not depend on who else uses the machine. */
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

#include "group_daemon.h"

enum { ROUNDS = 8, PINGS = 50 };

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

uint64_t load_ping_cpu_ns(struct client *client)
{
	uint64_t least = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		const uint64_t begun = load_cpu_ns(&group_daemon);

		for (int i = 0; i < PINGS; i++)
			client_result(client, "ping", NULL);
		const uint64_t took = (load_cpu_ns(&group_daemon) - begun) / PINGS;

		least = took < least ? took : least;
	}
	return least;
}

void load_expect_little(const char *name, uint64_t took_ns, uint64_t quiet_ns)
{
	printf("# %s: the daemon works for %" PRIu64 " us until a ping is answered, %" PRIu64 " us without\n", name,
	       took_ns / 1000, quiet_ns / 1000);
	if (!SANITIZED && took_ns > 20 * quiet_ns + 5000000)
		fail_msg("%s: the daemon works for %" PRIu64 " ns until a ping is answered, %" PRIu64 " ns without", name,
			 took_ns, quiet_ns);
}

void load_feels_nothing(struct client *client, const char *name, void (*attack)(void))
{
	uint64_t quiet = load_ping_cpu_ns(client), attacked;
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
	AWAIT(*attacks > 0 || waitpid(pid, NULL, WNOHANG) != 0);
	assert_true(*attacks > 0);
	munmap((void *)attacks, sizeof *attacks);
	attacked = load_ping_cpu_ns(client);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	load_expect_little(name, attacked, quiet);
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
