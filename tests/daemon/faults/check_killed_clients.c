/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that are killed at each of their system calls and after each of their bytes. Afterwards a fresh client gets
 * the right bytes, and nothing is left.
 *
 * A cut of the sweeps; all of it with TRNSCI_FULL=1. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_fixture.h"

enum { ARENA = 1 << 20 };

static void run_client(const char *const *words)
{
	pid_t pid = fork();

	if (pid == 0) {
		char program[4200];

		strcpy(program, daemon_binary());
		strcpy(strrchr(program, '/'), "/trnsci-cli");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		putenv(fault_library.preload);
		putenv(fault_library.page);
		setenv("TRNSCI_SOCKET", fault_daemon.socket, 1);
		int null = open("/dev/null", O_RDWR);
		dup2(null, 1);
		dup2(null, 2);
		execv(program, (char *const *)words);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The daemon shares the page: it is not armed, since what is armed here is the client alone. */
static void killed_at_each_call(void **state)
{
	static const char *const commands[][8] = {
		{"trnsci-cli", "rand", "normal", "-n", "3000000", "-o", "/dev/null", NULL},
		{"trnsci-cli", "ring", "normal", "-n", "100000", "-o", "/dev/null", NULL},
	};
	(void)state;
	strcat(fault_library.page, "-own");
	struct fault_page *mine = faulty_page(&fault_library);
	for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
		mine->kill = mine->armed = 1;
		mine->nth = -1;
		mine->seen = 0;
		run_client(commands[c]);
		long count = mine->seen, step = getenv("TRNSCI_FULL") ? 1 : count / 15 + 1;
		for (long nth = 1; nth <= count; nth += step) {
			mine->seen = 0;
			mine->nth = nth;
			run_client(commands[c]);
			fault_expect_well("killed");
		}
		printf("# %s: %ld calls, every %ld\n", commands[c][1], count, step);
		assert_true(count > 10);
	}
	munmap(mine, sizeof *mine);
	faulty_name(&fault_daemon, &fault_library);
}

/* Sends what a whole session would, and is killed after so many bytes. */
static void killed_after_each_byte(void **state)
{
	struct client writer;
	struct codec_buffer bytes = {0};

	(void)state;
	client_open(&writer, fault_daemon.socket);
	struct value noise = client_map(&writer, "op", value_string("bits"), NULL), steps = value_array();
	struct value arena = client_map(&writer, "bytes", value_uint(ARENA), NULL),
		     tile = client_map(&writer, "dtype", value_string("f32"), "shape", value_uint(50000), NULL),
		     into = client_map(&writer, "out", value_uint(1), NULL),
		     ring = client_map(&writer, "noise", noise, NULL),
		     large = client_map(&writer, "n", value_uint(300000), NULL);
	value_push(writer.bump, &steps, client_map(&writer, "op", value_string("uniform"), "out", value_uint(1), NULL));
	struct value program = fault_prepare_params(&writer, client_map(&writer, "steps", steps, NULL));
	codec_request(&bytes, 1, "arena", &arena);
	codec_request(&bytes, 2, "tile", &tile);
	codec_request(&bytes, 3, "normal", &into);
	codec_request(&bytes, 4, "prepare", &program);
	codec_request(&bytes, 5, "normal", &large);
	codec_request(&bytes, 6, "ring_attach", &ring);
	client_close(&writer);
	size_t step = getenv("TRNSCI_FULL") ? 1 : 7;
	for (size_t size = 0; size <= bytes.size; size += step) {
		pid_t pid = fork();

		if (pid == 0) {
			struct client client;

			client_open(&client, fault_daemon.socket);
			client_send_bytes(&client, bytes.at, size);
			kill(getpid(), SIGKILL);
		}
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		fault_expect_well("killed");
	}
	codec_buffer_free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_each_call),
		cmocka_unit_test(killed_after_each_byte),
	};

	if (SANITIZED) {
		printf("1..0 # skipped: the sanitizers have allocators and system calls of their own\n");
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, fault_setup, fault_teardown);
}
