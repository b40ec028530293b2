/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon cannot be made to do: execute a program, be it a file or memory, from any of its threads. Under the
 * service's unit (make check-boot, which sets UNDER_UNIT) also what the unit's filter denies. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#include "daemon/sandbox.h"

enum { RAN = 7 };

/* A memfd that holds this very program. */
static int program_in_memory(void)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = memfd_create("program", 0);
	char bytes[65536];
	ssize_t got;

	assert_true(from >= 0 && to >= 0);
	while ((got = read(from, bytes, sizeof bytes)) > 0)
		assert_int_equal(write(to, bytes, (size_t)got), got);
	close(from);
	return to;
}

/* A child that executes this; its exit status is RAN, or the errno of the call plus 100. */
static int execute_in_child(int memory)
{
	static char *const argv[] = {"check_sandbox", "ran", NULL};
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (memory >= 0)
			syscall(SYS_execveat, memory, "", argv, environ, AT_EMPTY_PATH);
		else
			execve("/proc/self/exe", argv, environ);
		_exit(100 + errno);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static sem_t filtered;

/* A thread that was there before the filter. Returns the errno of its try. */
static void *try_later(void *arg)
{
	static char *const argv[] = {"check_sandbox", "ran", NULL};
	intptr_t memory = (intptr_t)arg;

	while (sem_wait(&filtered) < 0)
		;
	syscall(SYS_execveat, (int)memory, "", argv, environ, AT_EMPTY_PATH);
	return (void *)(intptr_t)errno;
}

static int spawn_fails_with(void)
{
	static char *const argv[] = {"true", NULL};
	pid_t pid;

	return posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ);
}

/* Irrevocable: in a child. */
static void deny_and_try(int memory)
{
	pthread_t early;
	struct error err;
	void *failed;

	sem_init(&filtered, 0, 0);
	assert_int_equal(pthread_create(&early, NULL, try_later, (void *)(intptr_t)memory), 0);
	if (sandbox_deny_exec(&err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(execute_in_child(-1), 100 + EPERM);
	assert_int_equal(execute_in_child(memory), 100 + EPERM);
	assert_int_equal(spawn_fails_with(), EPERM);
	sem_post(&filtered);
	assert_int_equal(pthread_join(early, &failed), 0);
	assert_int_equal((intptr_t)failed, EPERM);
	/* All else goes on, a second filter too. */
	assert_int_equal(sandbox_deny_exec(&err), 0);
	assert_int_equal(close(dup(memory)), 0);
}

static void nothing_is_executed(void **state)
{
	int memory = program_in_memory(), status;
	pid_t pid;

	(void)state;
	/* What the filter is for: without it even memory can be executed, under the unit as well. */
	assert_int_equal(execute_in_child(memory), RAN);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		deny_and_try(memory);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(memory);
}

#ifdef __x86_64__
/* The x32 interface has an execve of another number. */
static void no_other_interface(void **state)
{
	static char *const argv[] = {"check_sandbox", "ran", NULL};
	struct error err;
	int status;
	pid_t pid;

	(void)state;
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (sandbox_deny_exec(&err) == 0)
			syscall(0x40000000 | 520, "/proc/self/exe", argv, environ);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}
#endif

/* Every thread of a daemon that serves has a filter: mode 2. */
static void daemon_has_it(void **state)
{
	struct daemon daemon;
	struct dirent *entry;
	char path[64], line[256];
	unsigned threads = 0;
	DIR *tasks;

	(void)state;
	if (getenv("UNDER_UNIT")) {
		printf("# skipped: the service itself is looked at\n");
		skip();
	}
	daemon_start(&daemon, (const char *const[]){"--threads=3", NULL});
	snprintf(path, sizeof path, "/proc/%d/task", daemon.pid);
	tasks = opendir(path);
	assert_non_null(tasks);
	while ((entry = readdir(tasks))) {
		snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", daemon.pid, entry->d_name);
		FILE *status = *entry->d_name == '.' ? NULL : fopen(path, "r");

		while (status && fgets(line, sizeof line, status))
			if (strncmp(line, "Seccomp:", 8) == 0) {
				assert_int_equal(atoi(line + 8), 2);
				threads++;
			}
		if (status)
			fclose(status);
	}
	closedir(tasks);
	assert_true(threads >= 4);
	daemon_stop(&daemon);
}

/* What the unit's SystemCallFilter= denies. Without it each fails with another errno, or succeeds. */
static void unit_denies(void **state)
{
	static const struct {
		const char *name;
		long number;
	} denied[] = {
		{"io_uring_setup", SYS_io_uring_setup},     {"io_uring_enter", SYS_io_uring_enter},
		{"io_uring_register", SYS_io_uring_register}, {"process_vm_readv", SYS_process_vm_readv},
		{"process_vm_writev", SYS_process_vm_writev},
	};
	char here[8] = "", there[8] = "secret";
	struct iovec local = {here, sizeof here}, remote = {there, sizeof there};

	(void)state;
	if (!getenv("UNDER_UNIT")) {
		printf("# skipped: part of make check-boot\n");
		skip();
	}
	for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
		const bool memory = strncmp(denied[i].name, "process", 7) == 0;
		long r = memory ? syscall(denied[i].number, getpid(), &local, 1, &remote, 1, 0)
				: syscall(denied[i].number, -1, 0, 0, 0, 0, 0);

		if (r != -1 || errno != EPERM)
			fail_msg("%s: expected EPERM, got %ld, %s", denied[i].name, r, r < 0 ? strerror(errno) : "success");
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_executed),
#ifdef __x86_64__
		cmocka_unit_test(no_other_interface),
#endif
		cmocka_unit_test(daemon_has_it),
		cmocka_unit_test(unit_denies),
	};

	if (argc > 1 && strcmp(argv[1], "ran") == 0)
		return RAN;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
