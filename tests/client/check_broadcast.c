/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts: every reader sees the same samples, those of a draw, or gets the exact range that it missed. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "drawing.h"

#include "harness/daemon.h"
#include "harness/wait.h"

enum { CAPACITY = 4096, TIMEOUT_MS = 20000, ALL = 1 << 20 };

static struct daemon trnscid;
static struct trnsci_session *owner;
static float *expected; /* ALL samples of `draw` */
static const struct drawing draw = {.distribution = "normal", .source = {.seed = 21, .offset = 3}};

static struct trnsci_session *open_session(void)
{
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};

	if (trnsci_open(trnscid.socket, NULL, &session, &err) < 0)
		fail_msg("trnsci_open: %s", err.text);
	return session;
}

static void create(const char *name, double rate, unsigned mode)
{
	struct trnsci_error err;

	if (draw_broadcast(owner, name, &draw, TRNSCI_F32, CAPACITY, rate, mode, &err) < 0)
		fail_msg("trnsci_broadcast_create: %s", err.text);
}

static uint64_t publish(const char *name, uint64_t n)
{
	struct trnsci_error err;
	uint64_t produced = 0;

	if (trnsci_broadcast_publish(owner, name, n, &produced, &err) < 0)
		fail_msg("trnsci_broadcast_publish: %s", err.text);
	return produced;
}

static struct trnsci_reader *attach(struct trnsci_session *session, const char *name)
{
	struct trnsci_reader *reader = NULL;
	struct trnsci_error err;

	if (trnsci_broadcast_attach(session, name, &reader, &err) < 0)
		fail_msg("trnsci_broadcast_attach: %s", err.text);
	return reader;
}

static void close_it(const char *name)
{
	struct trnsci_error err;

	assert_int_equal(trnsci_broadcast_close(owner, name, &err), 0);
}

/* ---- what is missed ---- */

static void expect(struct trnsci_reader *reader, uint64_t n, uint64_t missed, uint64_t first)
{
	float got[2 * CAPACITY];
	struct trnsci_reader_span span;
	struct trnsci_error err;

	if (trnsci_reader_take(reader, got, n, TIMEOUT_MS, &span, &err) < 0)
		fail_msg("trnsci_reader_take: %s", err.text);
	if (span.count != n || span.missed != missed || span.first != first)
		fail_msg("expected %llu from %llu, missed from %llu; got %llu from %llu, missed from %llu",
			 (unsigned long long)n, (unsigned long long)first, (unsigned long long)missed,
			 (unsigned long long)span.count, (unsigned long long)span.first,
			 (unsigned long long)span.missed);
	assert_true(span.offset == draw.source.offset + first && span.run >= n);
	assert_memory_equal(got, expected + first, n * sizeof *got);
}

static void late_and_slow(void **state)
{
	struct trnsci_session *session = open_session();
	struct trnsci_reader_span span;
	struct trnsci_reader_info info;
	struct trnsci_error err;
	uint64_t produced = 0;
	float got[16];

	(void)state;
	create("late", 0, 0600);
	for (int i = 0; i < 5; i++)
		produced = publish("late", i % 2 ? 1000 : 3001);
	assert_true(produced == 3 * 3001 + 2 * 1000);
	struct trnsci_reader *reader = attach(session, "late");
	expect(reader, 10, 0, produced - CAPACITY);
	expect(reader, 100, produced - CAPACITY + 10, produced - CAPACITY + 10);
	expect(reader, CAPACITY - 110, produced - CAPACITY + 110, produced - CAPACITY + 110);
	/* Nothing more is there. */
	assert_int_equal(trnsci_reader_take(reader, got, 1, 0, &span, &err), -TRNSCI_TIMEOUT);
	assert_true(span.count == 0 && span.first == produced && span.missed == produced);
	uint64_t before = produced;
	publish("late", CAPACITY);
	publish("late", CAPACITY);
	produced = publish("late", 7);
	expect(reader, 20, before, produced - CAPACITY);
	assert_int_equal(trnsci_reader_seek(reader, UINT64_MAX, NULL), 0);
	publish("late", 30);
	expect(reader, 30, produced, produced);
	assert_int_equal(trnsci_reader_describe(reader, &info), 0);
	assert_true(info.produced == produced + 30 && info.taken == produced + 30 && info.capacity == CAPACITY);
	trnsci_reader_detach(reader);
	close_it("late");
	trnsci_close(session);
}

/* ---- many readers ---- */

/* Each sample is seen once, or reported as missed. Returns how many were seen. */
static uint64_t read_all(struct trnsci_session *session, const char *name, int first_fd)
{
	struct trnsci_reader *reader = attach(session, name);
	static _Thread_local float got[1000];
	struct trnsci_reader_span span;
	struct trnsci_error err;
	uint64_t next = 0, seen = 0;
	int r;

	do {
		r = trnsci_reader_take(reader, got, 1000, -1, &span, &err);
		if (seen == 0 && write(first_fd, "x", 1) != 1)
			_exit(2);
		if (span.missed != next || span.first < span.missed ||
		    memcmp(got, expected + span.first, span.count * sizeof *got) != 0)
			_exit(3);
		next = span.first + span.count;
		seen += span.count;
	} while (r == 0);
	trnsci_reader_detach(reader);
	return r == -TRNSCI_CLOSED && next <= ALL ? seen : 0;
}

/* Processes that read as fast as they can, while the publisher hurries or waits. */
static void several_readers(void **state)
{
	enum { READERS = 4 };
	pid_t readers[READERS];
	int ready[2], status;
	char byte;

	(void)state;
	create("many", 0, 0600);
	assert_int_equal(pipe(ready), 0);
	for (int i = 0; i < READERS; i++) {
		readers[i] = fork();
		if (readers[i] == 0) {
			struct trnsci_session *session = open_session();

			if (write(ready[1], "x", 1) != 1)
				_exit(2);
			_exit(read_all(session, "many", ready[1]) > 0 ? 0 : 1);
		}
	}
	for (int i = 0; i < READERS; i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	for (uint64_t done = 0; done < ALL; done = publish("many", 1024))
		if (done % (64 * 1024) == 0)
			wait_as_slow_peer(1000);
	for (int i = 0; i < READERS; i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	close_it("many");
	for (int i = 0; i < READERS; i++) {
		waitpid(readers[i], &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("reader %d: expected exit 0, got status %x", i, (unsigned)status);
	}
	close(ready[0]);
	close(ready[1]);
}

/* A reader that a busy machine keeps from its CPU may miss samples. */
static void at_a_rate(void **state)
{
	enum { SAMPLES = 3000, EACH_SECOND = 20000 };
	struct trnsci_session *session = open_session();
	struct trnsci_reader_span span;
	float got[SAMPLES];
	struct trnsci_error err;

	(void)state;
	create("rate", EACH_SECOND, 0600);
	struct trnsci_reader *reader = attach(session, "rate");
	for (uint64_t seen = 0, next = 0; seen < SAMPLES; seen += span.count, next = span.first + span.count) {
		if (trnsci_reader_take(reader, got, SAMPLES - seen, TIMEOUT_MS, &span, &err) < 0)
			fail_msg("trnsci_reader_take: %s", err.text);
		assert_true(span.count > 0 && span.missed == next && span.first >= next && span.first + span.count <= ALL);
		assert_memory_equal(got, expected + span.first, span.count * sizeof *got);
	}
	assert_int_equal(trnsci_broadcast_publish(owner, "rate", 1, NULL, &err), -TRNSCI_NOT_SUPPORTED);
	trnsci_reader_detach(reader);
	close_it("rate");
	trnsci_close(session);
}

/* ---- rights and ends ---- */

static void owners(void **state)
{
	struct trnsci_session *session = open_session(), *embedded = NULL;
	struct trnsci_reader *reader = NULL;
	struct trnsci_error err;
	float got[8];

	(void)state;
	create("own", 0, 0600);
	assert_int_equal(draw_broadcast(session, "own", &draw, 0, 0, 0, 0600, &err), -TRNSCI_EXISTS);
	assert_int_equal(trnsci_broadcast_publish(session, "own", 1, NULL, &err), -TRNSCI_NOT_PERMITTED);
	assert_int_equal(trnsci_broadcast_close(session, "own", &err), -TRNSCI_NOT_PERMITTED);
	assert_int_equal(trnsci_broadcast_publish(owner, "own", CAPACITY + 1, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_broadcast_publish(owner, "other", 1, NULL, &err), -TRNSCI_NOT_FOUND);
	assert_int_equal(trnsci_broadcast_attach(session, "other", &reader, &err), -TRNSCI_NOT_FOUND);
	assert_int_equal(draw_broadcast(session, "with blank", &draw, 0, 0, 0, 0600, &err),
			 -TRNSCI_OUT_OF_RANGE);
	publish("own", 8);
	reader = attach(session, "own");
	close_it("own");
	/* What was published can still be read; then it is over. The name is free. */
	expect(reader, 8, 0, 0);
	assert_int_equal(trnsci_reader_take(reader, got, 1, -1, NULL, &err), -TRNSCI_CLOSED);
	trnsci_reader_detach(reader);
	create("own", 0, 0600);
	/* It ends with its session. */
	assert_int_equal(draw_broadcast(session, "short", &draw, 0, 0, 0, 0600, &err), 0);
	reader = attach(owner, "short");
	trnsci_close(session);
	assert_int_equal(trnsci_reader_take(reader, got, 1, TIMEOUT_MS, NULL, &err), -TRNSCI_CLOSED);
	trnsci_reader_detach(reader);
	close_it("own");
	assert_int_equal(trnsci_open("embedded:", NULL, &embedded, &err), 0);
	assert_int_equal(draw_broadcast(embedded, "own", &draw, 0, 0, 0, 0600, &err), -TRNSCI_NOT_SUPPORTED);
	trnsci_close(embedded);
}

/* What its producer may overwrite at any time cannot be lent, and the reader goes on as if it had not been asked. */
static void never_borrowed(void **state)
{
	struct trnsci_reader_span span;
	struct trnsci_error err;
	const void *lent;

	(void)state;
	create("lent", 0, 0600);
	publish("lent", 100);
	struct trnsci_reader *reader = attach(owner, "lent");
	assert_int_equal(trnsci_reader_borrow(reader, 10, 0, &lent, &span, &err), -TRNSCI_NOT_SUPPORTED);
	assert_non_null(strstr(err.text, "broadcast: borrow: "));
	assert_int_equal(trnsci_reader_release(reader, 0, &err), -TRNSCI_NOT_SUPPORTED);
	assert_non_null(strstr(err.text, "broadcast: release: "));
	expect(reader, 100, 0, 0);
	trnsci_reader_detach(reader);
	close_it("lent");
}

/* A child must not go on with its parent's reader; the parent does. */
static void forked(void **state)
{
	struct trnsci_reader_span span;
	struct trnsci_reader_info info;
	struct trnsci_error err;
	float got[8];
	int status;

	(void)state;
	create("forked", 0, 0600);
	publish("forked", 100);
	struct trnsci_reader *reader = attach(owner, "forked");
	expect(reader, 10, 0, 0);
	pid_t child = fork();
	if (child == 0) {
		bool right = trnsci_reader_take(reader, got, 1, 0, &span, &err) == -TRNSCI_CLOSED && span.count == 0 &&
			     trnsci_reader_seek(reader, 0, NULL) == -TRNSCI_CLOSED &&
			     trnsci_reader_describe(reader, &info) == -TRNSCI_CLOSED;

		trnsci_reader_detach(reader);
		_exit(right ? 0 : 1);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	publish("forked", 5);
	expect(reader, 95, 10, 10);
	trnsci_reader_detach(reader);
	close_it("forked");
}

/* As another user: only what others may read is there. */
static void strangers(void **state)
{
	int status;

	(void)state;
	if (geteuid() != 0) {
		printf("# not root: rights of other users are not tried\n");
		skip();
	}
	create("private", 0, 0660);
	create("public", 0, 0604);
	chmod(trnscid.dir, 0755);
	chmod(trnscid.socket, 0777);
	pid_t child = fork();
	if (child == 0) {
		struct trnsci_session *session = NULL;
		struct trnsci_reader *reader = NULL;
		struct trnsci_error err;

		if (setgid(65534) < 0 || setuid(65534) < 0 || trnsci_open(trnscid.socket, NULL, &session, &err) < 0)
			_exit(2);
		_exit(trnsci_broadcast_attach(session, "private", &reader, &err) == -TRNSCI_NOT_FOUND &&
				      trnsci_broadcast_attach(session, "public", &reader, &err) == 0 &&
				      trnsci_broadcast_publish(session, "public", 1, NULL, &err) == -TRNSCI_NOT_PERMITTED
			      ? 0
			      : 1);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close_it("private");
	close_it("public");
}

static int start(void **state)
{
	struct trnsci_session *embedded;
	struct trnsci_error err;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	if (trnsci_open("embedded:", NULL, &embedded, &err) < 0)
		return -1;
	expected = malloc(ALL * sizeof *expected);
	draw_array(embedded, &draw, TRNSCI_F32, ALL, expected, NULL, &err);
	trnsci_close(embedded);
	owner = open_session();
	return 0;
}

static int stop(void **state)
{
	(void)state;
	trnsci_close(owner);
	free(expected);
	daemon_stop(&trnscid);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_and_slow), cmocka_unit_test(several_readers), cmocka_unit_test(at_a_rate),
		cmocka_unit_test(owners),	 cmocka_unit_test(strangers),	      cmocka_unit_test(forked),
		cmocka_unit_test(never_borrowed),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
