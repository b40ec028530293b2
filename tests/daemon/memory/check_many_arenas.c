/* SPDX-License-Identifier: Apache-2.0 */
/* More clients with an arena than descriptors may be unread: each has read its own, so all are served. */
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/group_daemon.h"

enum { CLIENTS = 300, ARENA = 64 << 10, FDS = 64 };

static int setup(void **state)
{
	(void)state;
	group_daemon_start((const char *const[]){"--threads", "2", "--arena-ahead-bytes", "0", "--fds-total", "64",
						 "--connections-per-second", "100000", NULL});
	return 0;
}

static void every_client_gets_one(void **state)
{
	static struct client clients[CLIENTS];
	static void *bases[CLIENTS];

	(void)state;
	for (int i = 0; i < CLIENTS; i++) {
		client_open(&clients[i], group_daemon.socket);
		close(client_arena(&clients[i], ARENA, &bases[i]));
	}
	assert_true(client_stat(&witness, "daemon.quota.fds_total.used") <= FDS);
	for (int i = 0; i < CLIENTS; i++) {
		munmap(bases[i], ARENA);
		client_close(&clients[i]);
	}
	group_daemon_expect_rest();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_client_gets_one)};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
