/* SPDX-License-Identifier: Apache-2.0 */
/* Passing fds: what is asked for arrives close-on-exec, everything else is gone, and no fd is left behind. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "fdpass.h"

static unsigned open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

struct pair {
	int a, b;
	unsigned fds_before;
};

static int setup(void **state)
{
	static struct pair pair;
	int fds[2];

	pair.fds_before = open_fds();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	pair.a = fds[0];
	pair.b = fds[1];
	*state = &pair;
	return 0;
}

static int teardown(void **state)
{
	struct pair *pair = *state;

	close(pair->a);
	close(pair->b);
	assert_int_equal(open_fds(), pair->fds_before);
	return 0;
}

static void send_many(int socket, const int *fds, size_t count)
{
	union {
		char bytes[CMSG_SPACE(253 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	char byte = 'x';
	struct iovec iov = {&byte, 1};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes};

	message.msg_controllen = CMSG_SPACE(count * sizeof(int));
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(head), fds, count * sizeof(int));
	assert_int_equal(sendmsg(socket, &message, 0), 1);
}

static void one_fd(void **state)
{
	struct pair *pair = *state;
	int memfd = memfd_create("probe", MFD_CLOEXEC);
	struct fdpass got = {.count = 7}, one = {.at = {memfd}, .count = 1};
	struct stat sent, received;
	bool strange = true;
	char bytes[16];

	assert_int_equal(fdpass_send(pair->a, "hello", 5, &one), 5);
	assert_int_equal(fdpass_receive(pair->b, bytes, sizeof bytes, &got, &strange), 5);
	assert_memory_equal(bytes, "hello", 5);
	assert_int_equal(got.count, 1);
	assert_false(strange);
	fstat(memfd, &sent);
	fstat(got.at[0], &received);
	assert_int_equal(sent.st_ino, received.st_ino);
	assert_true(fcntl(got.at[0], F_GETFD) & FD_CLOEXEC);
	fdpass_close(&got);
	assert_int_equal(got.count, 0);
	close(memfd);
}

/* Several at once, in their order. */
static void few_fds(void **state)
{
	struct pair *pair = *state;
	struct fdpass sent = {.count = FDPASS_MOST}, got;
	struct stat here, there;
	bool strange = true;
	char byte;

	for (unsigned i = 0; i < sent.count; i++)
		sent.at[i] = memfd_create("probe", MFD_CLOEXEC);
	assert_int_equal(fdpass_send(pair->a, "x", 1, &sent), 1);
	assert_int_equal(fdpass_receive(pair->b, &byte, 1, &got, &strange), 1);
	assert_false(strange);
	assert_int_equal(got.count, sent.count);
	for (unsigned i = 0; i < sent.count; i++) {
		fstat(sent.at[i], &here);
		fstat(got.at[i], &there);
		assert_int_equal(here.st_ino, there.st_ino);
	}
	fdpass_close(&got);
	fdpass_close(&sent);
}

static void no_fd(void **state)
{
	struct pair *pair = *state;
	struct fdpass got = {.count = 7};
	bool strange = true;
	char bytes[16];

	assert_int_equal(fdpass_send(pair->a, "hello", 5, NULL), 5);
	assert_int_equal(fdpass_receive(pair->b, bytes, sizeof bytes, &got, &strange), 5);
	assert_int_equal(got.count, 0);
	assert_false(strange);
	assert_int_equal(fdpass_send(pair->a, "again", 5, NULL), 5);
	assert_int_equal(fdpass_receive(pair->b, bytes, sizeof bytes, NULL, &strange), 5);
	assert_false(strange);
}

/* More than one, as many as the kernel lets through, and where none is wanted. */
static void unwanted_fds(void **state)
{
	struct pair *pair = *state;
	int fds[253];
	struct fdpass got;
	bool strange = false;
	char byte;

	for (size_t i = 0; i < 253; i++)
		fds[i] = pair->a;
	for (size_t count = 1; count <= 253; count = count * 6 + 1) {
		unsigned before = open_fds();

		send_many(pair->a, fds, count);
		assert_int_equal(fdpass_receive(pair->b, &byte, 1, &got, &strange), 1);
		assert_int_equal(strange, count > FDPASS_MOST);
		assert_int_equal(got.count, count < FDPASS_MOST ? count : FDPASS_MOST);
		fdpass_close(&got);
		send_many(pair->a, fds, count);
		assert_int_equal(fdpass_receive(pair->b, &byte, 1, NULL, &strange), 1);
		assert_true(strange);
		assert_int_equal(open_fds(), before);
	}
	send_many(pair->a, fds, 253);
	assert_int_equal(fdpass_receive(pair->b, &byte, 1, &got, &strange), 1);
	assert_true(strange);
	fdpass_close(&got);
}

/* Where the process has room for fewer than came: those are kept, and the caller gets the number. */
static void fds_beyond_the_limit(void **state)
{
	struct pair *pair = *state;
	const unsigned before = open_fds();
	int fds[3] = {pair->a, pair->a, pair->a}, last = dup(pair->a);
	struct rlimit limit, few;
	struct fdpass got;
	bool strange = true;
	char byte;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){(rlim_t)last + 2, limit.rlim_max};
	send_many(pair->a, fds, 3);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(fdpass_receive(pair->b, &byte, 1, &got, &strange), 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(got.cut);
	assert_false(strange);
	assert_int_equal(got.count, 1);
	fdpass_close(&got);
	close(last);
	assert_int_equal(open_fds(), before);
}

/* The sender gets an error. Only bytes come, with or without a kernel that can refuse. */
static void refused_fds(void **state)
{
	struct pair *pair = *state;
	const struct fdpass one = {.at = {pair->a}, .count = 1};
	const unsigned before = open_fds();
	const bool refuses = fdpass_refuse(pair->b);
	char bytes[16];

	assert_int_equal(fcntl(pair->b, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(fdpass_receive_bytes(pair->b, bytes, sizeof bytes), -EAGAIN);
	assert_int_equal(fdpass_send(pair->a, "x", 1, &one), refuses ? -EPERM : 1);
	assert_int_equal(fdpass_send(pair->a, "hello", 5, NULL), 5);
	if (!refuses)
		assert_int_equal(fdpass_receive_bytes(pair->b, bytes, 1), 1);
	assert_int_equal(fdpass_receive_bytes(pair->b, bytes, sizeof bytes), 5);
	assert_memory_equal(bytes, "hello", 5);
	assert_int_equal(open_fds(), before);
	assert_int_equal(shutdown(pair->a, SHUT_WR), 0);
	assert_int_equal(fdpass_receive_bytes(pair->b, bytes, sizeof bytes), 0);
}

static void ends_and_errors(void **state)
{
	struct pair *pair = *state;
	struct fdpass got = {.count = 7};
	bool strange;
	char byte;

	assert_int_equal(fcntl(pair->b, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(fdpass_receive(pair->b, &byte, 1, &got, &strange), -EAGAIN);
	assert_int_equal(got.count, 7);
	assert_int_equal(shutdown(pair->a, SHUT_WR), 0);
	assert_int_equal(fdpass_receive(pair->b, &byte, 1, &got, &strange), 0);
	close(pair->a);
	/* No SIGPIPE: this process would be gone. */
	assert_int_equal(fdpass_send(pair->b, "x", 1, NULL), -EPIPE);
	pair->a = dup(pair->b);
}

/* What comes after the first ones: nothing, word of others that were lost, or too many. */
static void joined_fds(void **state)
{
	struct pair *pair = *state;
	const unsigned before = open_fds();
	struct fdpass have = {.count = 0}, none = {.cut = true}, one = {.at = {dup(pair->a)}, .count = 1},
		      other = {.at = {dup(pair->a)}, .count = 1};

	assert_true(fdpass_join(&have, &one));
	assert_int_equal(have.count, 1);
	assert_int_equal(one.count, 0);
	assert_false(have.cut);
	assert_true(fdpass_join(&have, &none));
	assert_true(have.cut);
	assert_int_equal(have.count, 1);
	assert_false(fdpass_join(&have, &other));
	assert_int_equal(have.count, 1);
	assert_int_equal(open_fds(), before + 1);
	fdpass_close(&have);
	assert_int_equal(open_fds(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_fd, setup, teardown),
		cmocka_unit_test_setup_teardown(few_fds, setup, teardown),
		cmocka_unit_test_setup_teardown(no_fd, setup, teardown),
		cmocka_unit_test_setup_teardown(unwanted_fds, setup, teardown),
		cmocka_unit_test_setup_teardown(fds_beyond_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(joined_fds, setup, teardown),
		cmocka_unit_test_setup_teardown(refused_fds, setup, teardown),
		cmocka_unit_test_setup_teardown(ends_and_errors, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
