/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that nobody asked for, on a kernel that lets them through (before 6.16 no socket can refuse them): one, as
 * many as a message can have, in the midst of a message, again and again. Each ends its own connection with the reason,
 * none is ever open in the daemon, and nobody else feels it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "daemon/faulty.h"

enum { MOST = 253 };

static struct daemon served;
static struct faulty faulty;
static struct fault_page *page;
static struct client witness;
static unsigned quiet_fds;

static int setup(void **state)
{
	(void)state;
	daemon_prepare(&served);
	faulty_name(&served, &faulty);
	page = faulty_page(&faulty);
	page->old_kernel = 1;
	daemon_spawn(&served, (const char *const[]){"--threads=2", "--arena-ahead-bytes=0", NULL},
		     (const char *const[]){faulty.preload, faulty.page, NULL});
	daemon_await(&served, "READY=1");
	client_open(&witness, served.socket);
	client_result(&witness, "ping", NULL);
	quiet_fds = daemon_fds(&served);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(page, sizeof *page);
	client_close(&witness);
	daemon_stop(&served);
	return 0;
}

static int rest(void **state)
{
	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	assert_int_equal(client_stat(&witness, "daemon.quota.fds_total.used"), 0);
	AWAIT(daemon_fds(&served) == quiet_fds); /* closed after the statistics have it */
	return 0;
}

static void send_with(struct client *client, const char *bytes, size_t size, unsigned count)
{
	union {
		char bytes[CMSG_SPACE(MOST * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec iov = {(void *)bytes, size};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = CMSG_SPACE(count * sizeof(int))};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	*head = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(count * sizeof(int))};
	for (unsigned i = 0; i < count; i++)
		memcpy(CMSG_DATA(head) + i * sizeof(int), &client->fd, sizeof(int));
	if (sendmsg(client->fd, &message, MSG_NOSIGNAL) != (ssize_t)size)
		fail_msg("sendmsg of %u descriptors: %s", count, strerror(errno));
}

/* The reason, behind the answers to what came before, and the end. */
static void expect_end(struct client *client)
{
	struct message message;

	do
		if (!client_receive(client, &message))
			fail_msg("expected the reason, got the end");
	while (message.type == MESSAGE_RESPONSE);
	const struct value *text = value_get(&message.params, "text");
	if (!text || !memmem(text->bytes.at, text->bytes.size, "file descriptors came with it", 29))
		fail_msg("expected the reason, got \"%.*s\"", text ? (int)text->bytes.size : 0, text ? text->bytes.at : "");
	assert_false(client_receive(client, &message));
}

static void at_every_place(void **state)
{
	static const char request[] = "\x94\x00\x07\xa4ping\x90";
	static const unsigned counts[] = {1, 2, 4, MOST};
	uint64_t before = client_stat(&witness, "daemon.strange_fds");
	unsigned ended = 0;

	(void)state;
	for (size_t place = 0; place < sizeof request - 1; place++)
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++, ended++) {
			struct client client;

			client_open(&client, served.socket);
			if (place)
				client_send_bytes(&client, request, place);
			send_with(&client, request + place, 1, counts[i]);
			expect_end(&client);
			client_close(&client);
			client_result(&witness, "ping", NULL);
		}
	assert_int_equal(client_stat(&witness, "daemon.strange_fds"), before + ended);
}

/* In flight and never received: the client is gone before the daemon has looked. */
static void left_in_flight(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		struct client client;

		kill(served.pid, SIGSTOP);
		client_open(&client, served.socket);
		for (int k = 0; k < 3; k++)
			send_with(&client, "\x94", 1, MOST);
		client_close(&client);
		kill(served.pid, SIGCONT);
		client_result(&witness, "ping", NULL);
	}
}

/* A daemon that must let them through has an arena's descriptor on its way at the same time. */
static void beside_an_arena(void **state)
{
	struct value params = client_map(&witness, "bytes", value_uint(1 << 20), NULL);
	struct codec_buffer bytes = {0};

	(void)state;
	assert_int_equal(codec_request(&bytes, 1, "arena", &params), 0);
	for (int i = 0; i < 20; i++) {
		struct client client;
		struct message message;
		struct fdpass fds;

		client_open(&client, served.socket);
		client_send_bytes(&client, bytes.at, bytes.size);
		send_with(&client, "\x94", 1, 1 + (unsigned)i % MOST);
		while (client_receive_fds(&client, &message, &fds))
			fdpass_close(&fds);
		client_close(&client);
		client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	}
	codec_buffer_free(&bytes);
}

int main(void)
{
#define unasked(name) cmocka_unit_test_teardown(name, rest)
	const struct CMUnitTest tests[] = {unasked(at_every_place), unasked(left_in_flight), unasked(beside_an_arena)};

	if (SANITIZED) {
		printf("1..0 # skipped: the sanitizers have system calls of their own\n");
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, teardown);
}
