/* SPDX-License-Identifier: Apache-2.0 */
/* Daemons for tests and benches. */
#include "daemon.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/wait.h"

/* Resolved before main: within a chroot, /proc/self/exe is wrong once a test has made a mount namespace. */
static char binary[PATH_MAX + sizeof "/bin/trnscid"];

__attribute__((constructor)) static void find_binary(void)
{
	char self[PATH_MAX], *last = NULL;

	if (!realpath((const char *)getauxval(AT_EXECFN), self))
		return;
	for (char *at = self; (at = strstr(at, "/tests/")); at++) /* BUILD/tests/ROOM/check_x */
		last = at;
	if (last)
		*last = '\0';
	snprintf(binary, sizeof binary, "%s/bin/trnscid", self);
}

const char *daemon_binary(void)
{
	assert_true(*binary);
	return binary;
}

static int bind_datagram(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

void daemon_prepare(struct daemon *daemon)
{
	*daemon = (struct daemon){.pid = -1};
	strcpy(daemon->dir, "/tmp/trnscid-test-XXXXXX");
	assert_non_null(mkdtemp(daemon->dir));
	snprintf(daemon->socket, sizeof daemon->socket, "%s/socket", daemon->dir);
	snprintf(daemon->notify, sizeof daemon->notify, "%s/notify", daemon->dir);
	daemon->notify_fd = bind_datagram(daemon->notify);
}

void daemon_spawn(struct daemon *daemon, const char *const *arguments, const char *const *environment)
{
	const char *argv[40] = {daemon_binary(), "--log-level=warning", "--socket", daemon->socket};
	pid_t parent = getpid();
	int count = *daemon->socket ? 4 : 2;

	argv[count] = NULL;
	for (; arguments && *arguments; arguments++)
		argv[count++] = *arguments;
	daemon->pid = fork();
	assert_true(daemon->pid >= 0);
	if (daemon->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (daemon->most_files)
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){daemon->most_files, daemon->most_files});
	setenv("NOTIFY_SOCKET", daemon->notify, 1);
	setenv("XDG_STATE_HOME", daemon->dir, 1);
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO); /* ours is TAP */
	for (; environment && *environment; environment++)
		putenv((char *)*environment);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

void daemon_await(struct daemon *daemon, const char *prefix)
{
	struct pollfd wait = {daemon->notify_fd, POLLIN, 0};
	char text[512];

	while (poll(&wait, 1, DEADLINE_MS) == 1) {
		ssize_t size = recv(daemon->notify_fd, text, sizeof text - 1, 0);

		assert_true(size >= 0);
		text[size] = '\0';
		if (strncmp(text, prefix, strlen(prefix)) == 0)
			return;
	}
	fail_msg("expected %s from the daemon within %d ms", prefix, DEADLINE_MS);
}

void daemon_respawn(struct daemon *daemon, const char *const *arguments)
{
	daemon_spawn(daemon, arguments, NULL);
	daemon_await(daemon, "READY=1");
}

void daemon_start(struct daemon *daemon, const char *const *arguments)
{
	daemon_prepare(daemon);
	daemon_respawn(daemon, arguments);
}

static bool daemon_ends(pid_t pid)
{
	struct pollfd wait = {(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0};

	assert_true(wait.fd >= 0);
	const int ready = poll(&wait, 1, DEADLINE_MS);

	close(wait.fd);
	return ready == 1;
}

int daemon_wait(struct daemon *daemon)
{
	int status;

	if (!daemon_ends(daemon->pid)) {
		kill(daemon->pid, SIGABRT);
		fail_msg("the daemon did not end within %d s", DEADLINE_S);
	}
	assert_int_equal(waitpid(daemon->pid, &status, 0), daemon->pid);
	daemon->pid = -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void daemon_halt(struct daemon *daemon)
{
	int status;

	assert_int_equal(kill(daemon->pid, SIGSTOP), 0);
	assert_int_equal(waitpid(daemon->pid, &status, WUNTRACED), daemon->pid);
	assert_true(WIFSTOPPED(status));
}

int daemon_strike(struct daemon *daemon, int signal_number)
{
	assert_true(daemon->pid > 0);
	assert_int_equal(kill(daemon->pid, signal_number), 0);
	return daemon_wait(daemon);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

void daemon_remove_dir(struct daemon *daemon)
{
	close(daemon->notify_fd);
	assert_int_equal(nftw(daemon->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void daemon_stop(struct daemon *daemon)
{
	assert_int_equal(daemon_strike(daemon, SIGTERM), 0);
	assert_int_equal(access(daemon->socket, F_OK), -1);
	daemon_remove_dir(daemon);
}

void daemon_discard(struct daemon *daemon)
{
	if (daemon->pid > 0)
		daemon_strike(daemon, SIGKILL);
	daemon_remove_dir(daemon);
}

unsigned daemon_fds(const struct daemon *daemon)
{
	char path[64];
	unsigned count = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/fd", daemon->pid);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

uint64_t daemon_kib(const struct daemon *daemon, const char *line)
{
	char path[64], text[256];
	uint64_t kib = UINT64_MAX;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/status", daemon->pid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(text, sizeof text, file))
		if (strncmp(text, line, strlen(line)) == 0 && text[strlen(line)] == ':')
			kib = strtoull(text + strlen(line) + 1, NULL, 10);
	fclose(file);
	assert_true(kib != UINT64_MAX);
	return kib;
}
