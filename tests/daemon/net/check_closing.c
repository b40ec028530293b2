/* SPDX-License-Identifier: Apache-2.0 */
/* A session's socket is closed before its arena is emptied: a client that finds its tiles emptied looks at its socket to
 * learn whether they are. A daemon that stops leaves them as they are (check_restart). Each closing of a socket lingers here, so that an arena which did not wait
 * for it would be seen empty beside a socket that is open. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/faulty.h"

enum { ARENA = 4 << 20, PAGE = 4096, LINGER_MS = 150 };

static struct daemon slow;
static struct faulty faulty;
static struct fault_page *page;

static int teardown(void **state)
{
	(void)state;
	daemon_stop(&slow);
	munmap(page, sizeof *page);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	daemon_prepare(&slow);
	faulty_name(&slow, &faulty);
	page = faulty_page(&faulty);
	daemon_spawn(&slow, (const char *const[]){"--threads=2", "--arena-ahead-bytes=0", NULL},
		     (const char *const[]){faulty.preload, faulty.page, NULL});
	daemon_await(&slow, "READY=1");
	return 0;
}

/* An arena all of whose pages hold something. */
static volatile char *fill_arena(struct client *client)
{
	void *base;

	close(client_arena(client, ARENA, &base));
	memset(base, 1, ARENA);
	return base;
}

/* Some tiles and a prepared call: then the background worker frees them, not the loop. */
static void burden(struct client *client)
{
	struct value steps = value_array(), step = client_map(client, "op", value_string("poisson"), "n", value_uint(1),
							      "lam", value_real(3), NULL);
	struct value params;

	assert_int_equal(value_push(client->bump, &steps, step), 0);
	params = client_map(client, "method", value_string("run"), "params", client_map(client, "steps", steps, NULL), NULL);
	client_result(client, "prepare", &params);
}

static bool is_closed(const struct client *client)
{
	char byte[4096];
	ssize_t got;

	do
		got = recv(client->fd, byte, sizeof byte, MSG_DONTWAIT);
	while (got > 0);
	return got == 0 || errno == ECONNRESET;
}

static bool is_emptied(const volatile char *base)
{
	return base[0] == 0 || base[ARENA / 2] == 0 || base[ARENA - PAGE] == 0;
}

/* The memory is looked at first: what is seen of the socket afterwards holds for then, too. */
static void await_order(const struct client *client, const volatile char *base, const char *how)
{
	AWAIT(is_emptied(base));
	if (!is_closed(client))
		fail_msg("%s: expected a socket that is closed before the arena is emptied, got one that is open", how);
}

static void end_by_frame(bool burdened)
{
	struct client client;
	volatile char *base;

	client_open(&client, slow.socket);
	base = fill_arena(&client);
	if (burdened)
		burden(&client);
	page->close_ms = LINGER_MS;
	client_send_bytes(&client, "\xc1", 1); /* never MessagePack */
	await_order(&client, base, burdened ? "a bad frame, with a program" : "a bad frame");
	page->close_ms = 0;
	munmap((void *)base, ARENA);
	client_close(&client);
}

static void a_session_ends(void **state)
{
	(void)state;
	end_by_frame(false);
	end_by_frame(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_ends),
	};

	if (SANITIZED) {
		puts("1..0 # skip a sanitizer has the calls that are slowed here");
		return 0;
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
