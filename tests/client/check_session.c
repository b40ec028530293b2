/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: their tiles, and how they and what is in flight in them end. */
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "both.h"
#include "harness/wait.h"
#include "drawing.h"

/* ---- tiles ---- */

static void tiles(struct trnsci_session *session)
{
	const uint64_t shape[2] = {3, 5}, huge = UINT64_MAX;
	struct trnsci_tile *a = NULL, *b;
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_tile_new(session, TRNSCI_F64, 2, shape, &a, &err), 0);
	assert_int_equal(tile_info(a).bytes, 120);
	assert_int_equal(tile_info(a).count, 15);
	assert_int_equal(tile_info(a).dtype, TRNSCI_F64);
	assert_memory_equal(tile_info(a).shape, shape, sizeof shape);
	assert_int_equal(tile_info(a).ndim, 2);
	assert_int_equal((uintptr_t)trnsci_tile_data(a) % 64, 0);
	memset(trnsci_tile_data(a), 1, 120);
	b = a;
	assert_true(trnsci_tile_new(session, TRNSCI_F64, 1, &huge, &b, &err) < 0);
	assert_ptr_equal(a, b);
	assert_true(trnsci_tile_new(session, TRNSCI_F64, 9, shape, &b, &err) < 0);
	assert_true(trnsci_tile_new(session, TRNSCI_DTYPE_NONE, 2, shape, &b, &err) < 0);
	trnsci_tile_free(a);
	trnsci_tile_free(NULL);
	for (int i = 0; i < 200; i++) /* more than fit at once: what is freed is used again */
		trnsci_tile_free(new_tile(session, TRNSCI_F32, 1 << 20));
}

static void foreign_tile(struct trnsci_session *session)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "uniform", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("out", 12345678));
	int r = trnsci_run(call, NULL);

	assert_true(r == -TRNSCI_BAD_TILE || r == -TRNSCI_NOT_SUPPORTED);
	trnsci_call_free(call);
}

/* ---- ends ---- */

static struct trnsci_call *program_of(struct trnsci_session *session, struct trnsci_tile *tile, int steps)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "run", &call), 0);
	for (int i = 0; i < steps; i++)
		trnsci_set(trnsci_program_step(call, "normal"), trnsci_param_tile("out", tile));
	return call;
}

/* One that takes long enough to be in flight still. */
static struct trnsci_call *submit_long(struct trnsci_session *session, struct trnsci_tile *tile)
{
	struct trnsci_call *call = program_of(session, tile, 250);

	assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
	return call;
}

static void cancels(struct trnsci_session *session)
{
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F64, 1 << 20);
	struct trnsci_call *call = submit_long(session, tile);

	assert_int_equal(trnsci_wait(call, 0), -TRNSCI_TIMEOUT);
	assert_int_equal(trnsci_submit(call, NULL, NULL), -TRNSCI_OUT_OF_RANGE); /* in flight */
	assert_int_equal(trnsci_cancel(call), 0);
	assert_int_equal(trnsci_wait(call, 10000), -TRNSCI_CANCELLED);
	assert_int_equal(trnsci_cancel(call), 0); /* too late, and harmless */
	trnsci_call_free(call);
	trnsci_call_free(submit_long(session, tile)); /* freed in flight */
	trnsci_tile_free(tile);
	ping(session);
}

struct canceller {
	struct trnsci_call *call;
	atomic_bool done;
};

static void *cancel_until_done(void *arg)
{
	struct canceller *canceller = arg;

	while (!atomic_load(&canceller->done))
		trnsci_cancel(canceller->call);
	return NULL;
}

/* Any thread may cancel a call while another runs it again and again. */
static void cancels_beside_runs(struct trnsci_session *session)
{
	enum { RUNS = 300 };
	struct canceller canceller;
	pthread_t thread;

	assert_int_equal(trnsci_call_new(session, "normal", &canceller.call), 0);
	trnsci_set(trnsci_call_args(canceller.call), trnsci_param_u64("n", 10000));
	atomic_init(&canceller.done, false);
	assert_int_equal(pthread_create(&thread, NULL, cancel_until_done, &canceller), 0);
	for (int i = 0; i < RUNS; i++) {
		const int r = trnsci_run(canceller.call, NULL);

		assert_true(r == 0 || r == -TRNSCI_CANCELLED);
	}
	atomic_store(&canceller.done, true);
	pthread_join(thread, NULL);
	assert_runs(canceller.call);
	trnsci_call_free(canceller.call);
}

/* The session's time bounds opening, too, which may take longer on a busy machine. */
static struct trnsci_session *open_hurried(const char *address)
{
	const struct trnsci_options options = {.timeout_ms = 100};
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	int r;

	do
		r = trnsci_open(address, &options, &session, &err);
	while (r == -TRNSCI_TIMEOUT);
	if (r < 0)
		fail_msg("trnsci_open %s: %s", address, err.text);
	return session;
}

static struct trnsci_tile *new_tile_hurried(struct trnsci_session *session, uint64_t n)
{
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err = {0};
	int r;

	do
		r = trnsci_tile_new(session, TRNSCI_F64, 1, &n, &tile, &err);
	while (r == -TRNSCI_TIMEOUT);
	if (r < 0)
		fail_msg("trnsci_tile_new: %s", err.text);
	return tile;
}

/* trnsci_run gives up after the session's time, and the call is cancelled. */
static void timeouts(void **state)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_hurried(addresses[i]);
		struct trnsci_tile *tile = new_tile_hurried(session, 1 << 22);
		struct trnsci_call *call = program_of(session, tile, 250);

		assert_int_equal(trnsci_run(call, NULL), -TRNSCI_TIMEOUT);
		assert_int_equal(trnsci_call_error(call)->code, TRNSCI_TIMEOUT);
		/* An embedded call has ended by then. */
		assert_int_equal(trnsci_wait(call, 10000), i == 0 ? -TRNSCI_TIMEOUT : -TRNSCI_CANCELLED);
		trnsci_call_free(call);
		trnsci_tile_free(tile);
		trnsci_close(session);
	}
}

static void close_in_flight(void **state)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);
		struct trnsci_tile *tile = new_tile(session, TRNSCI_F64, 1 << 20);
		struct trnsci_call *call = submit_long(session, tile);

		trnsci_close(session);
		assert_int_equal(trnsci_wait(call, 0), -TRNSCI_CLOSED);
		assert_int_equal(trnsci_call_error(call)->code, TRNSCI_CLOSED);
		assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
		assert_null(trnsci_tile_data(tile));
		trnsci_call_free(call);
		trnsci_tile_free(tile);
	}
}

struct waiter {
	struct trnsci_call *call;
	int result;
};

static void *wait_long(void *arg)
{
	struct waiter *waiter = arg;

	waiter->result = trnsci_wait(waiter->call, -1);
	return NULL;
}

/* Another thread waits while the session is closed: it comes back. */
static void close_wakes(void **state)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);
		struct trnsci_tile *tile = new_tile(session, TRNSCI_F64, 1 << 20);
		struct waiter waiter = {.call = submit_long(session, tile)};
		pthread_t thread;

		pthread_create(&thread, NULL, wait_long, &waiter);
		wait_to_strike(3000); /* it is likely to wait by then; right either way */
		trnsci_close(session);
		pthread_join(thread, NULL);
		assert_true(waiter.result == -TRNSCI_CLOSED || waiter.result == 0);
		trnsci_call_free(waiter.call);
		trnsci_tile_free(tile);
	}
}

/* In a child every function says `closed`, and the parent's session goes on. */
static void forks(struct trnsci_session *session)
{
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, 8);
	struct trnsci_call *call;
	int status;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	pid_t child = fork();

	if (child == 0) {
		struct trnsci_call *other;
		struct trnsci_tile *another;
		const uint64_t n = 1;
		bool good = trnsci_run(call, NULL) == -TRNSCI_CLOSED && trnsci_call_error(call)->code == TRNSCI_CLOSED &&
			    trnsci_call_new(session, "ping", &other) == -TRNSCI_CLOSED &&
			    trnsci_tile_new(session, TRNSCI_F32, 1, &n, &another, NULL) == -TRNSCI_CLOSED &&
			    trnsci_session_fd(session) == -TRNSCI_CLOSED &&
			    trnsci_next(session, 0, &other, NULL) == -TRNSCI_CLOSED;

		trnsci_call_free(call);
		trnsci_tile_free(tile);
		trnsci_close(session);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_runs(call);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	ping(session);
}

static void no_daemon(void **state)
{
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	char long_path[300];

	(void)state;
	memset(long_path, 'x', sizeof long_path - 1);
	long_path[sizeof long_path - 1] = '\0';
	assert_int_equal(trnsci_open("/nonexistent/socket", NULL, &session, &err), -TRNSCI_NO_DAEMON);
	assert_non_null(strstr(err.text, "/nonexistent/socket"));
	assert_int_equal(trnsci_open(long_path, NULL, &session, &err), -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_open("embedded:", &(struct trnsci_options){.threads = 129}, &session, &err),
			 -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_open("embedded:", &(struct trnsci_options){.cpu = "z80"}, &session, &err),
			 -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_open("embedded:", &(struct trnsci_options){.reserved = {1}}, &session, &err),
			 -TRNSCI_OUT_OF_RANGE);
	assert_null(session);
	trnsci_close(NULL);
	trnsci_call_free(NULL);
}

/* In a child: opens the socket as a user that may not, and exits with 0 when the error names the group. */
static void open_as_stranger(const char *path, const char *group)
{
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	char wanted[64];

	snprintf(wanted, sizeof wanted, "Permission denied, allowed: members of group %s", group);
	if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
		_exit(2);
	if (trnsci_open(path, NULL, &session, &err) != -TRNSCI_NO_DAEMON || !strstr(err.text, wanted))
		fprintf(stderr, "expected: ... %s\ngot:      %s\n", wanted, err.text);
	_exit(strstr(err.text, wanted) == NULL);
}

/* Whoever may not connect learns which group may. */
static void not_permitted(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char folder[] = "/tmp/trnsci-XXXXXX";
	struct stat status;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), code = -1;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0755), 0);
	snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(chmod(address.sun_path, 0), 0);
	assert_int_equal(stat(address.sun_path, &status), 0);
	assert_non_null(getgrgid(status.st_gid));
	pid_t child = fork();

	if (child == 0)
		open_as_stranger(address.sun_path, getgrgid(status.st_gid)->gr_name);
	assert_int_equal(waitpid(child, &code, 0), child);
	assert_int_equal(code, 0);
	close(fd);
	unlink(address.sun_path);
	rmdir(folder);
}

/* $TRNSCI_SOCKET names the default. */
static void default_address(void **state)
{
	struct trnsci_session *session = NULL;
	char address[128];

	(void)state;
	setenv("TRNSCI_SOCKET", trnscid.socket, 1);
	assert_int_equal(trnsci_open(NULL, NULL, &session, NULL), 0);
	struct trnsci_session_info info;

	assert_int_equal(trnsci_session_describe(session, &info), 0);
	assert_string_equal(info.address, trnscid.socket);
	assert_false(info.embedded);
	trnsci_close(session);
	unsetenv("TRNSCI_SOCKET");
	snprintf(address, sizeof address, "unix:%s", trnscid.socket);
	assert_int_equal(trnsci_open(address, NULL, &session, NULL), 0);
	trnsci_close(session);
}

/* One connection too many: the error names the limit, however the daemon's end and our first request meet. */
static void beyond_the_limit(void **state)
{
	enum { TRIES = 200 };
	struct trnsci_session *sessions[2], *third;
	struct daemon other;

	(void)state;
	daemon_start(&other, ARGUMENTS("--threads=1", "--connections=4"));
	for (int i = 0; i < 2; i++)
		sessions[i] = open_at(other.socket);
	for (int i = 0; i < TRIES; i++) {
		struct trnsci_error err = {0};

		assert_int_equal(trnsci_open(other.socket, NULL, &third, &err), -TRNSCI_LIMIT);
		if (!strstr(err.text, "half of the setting connections = 4"))
			fail_msg("expected the limit's name, got %s", err.text);
	}
	for (int i = 0; i < 2; i++)
		trnsci_close(sessions[i]);
	daemon_stop(&other);
}

/* A session that loses its daemon, and whose place another takes meanwhile, fails for that reason. */
static void no_place_left(void **state)
{
	const struct trnsci_options options = {.timeout_ms = 20000, .reconnect_ms = 300};
	struct trnsci_session *session, *other_session;
	struct trnsci_call *call;
	struct daemon other;

	(void)state;
	daemon_start(&other, ARGUMENTS("--threads=1", "--connections=2"));
	assert_int_equal(trnsci_open(other.socket, &options, &session, NULL), 0);
	daemon_strike(&other, SIGKILL);
	daemon_respawn(&other, ARGUMENTS("--threads=1", "--connections=2"));
	other_session = open_at(other.socket);
	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	if (!strstr(trnsci_call_error(call)->text, "half of the setting connections = 2"))
		fail_msg("expected the limit's name, got %s", trnsci_call_error(call)->text);
	trnsci_call_free(call);
	trnsci_close(session);
	trnsci_close(other_session);
	daemon_stop(&other);
}

/* The daemon dies in mid-request. */
static void dead_daemon(void **state)
{
	struct daemon other;

	(void)state;
	daemon_start(&other, ARGUMENTS("--threads=2"));
	struct trnsci_session *session = open_at(other.socket);
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F64, 1 << 20);
	struct trnsci_call *call = submit_long(session, tile), *next, *answered;

	daemon_discard(&other);
	assert_int_equal(trnsci_wait(call, 10000), -TRNSCI_CLOSED);
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_CLOSED);
	assert_int_equal(trnsci_call_new(session, "ping", &next), 0);
	assert_int_equal(trnsci_run(next, NULL), -TRNSCI_CLOSED);
	assert_int_equal(trnsci_next(session, -1, &answered, NULL), -TRNSCI_CLOSED);
	((char *)trnsci_tile_data(tile))[0] = 1; /* still ours to touch */
	trnsci_call_free(call);
	trnsci_call_free(next);
	trnsci_tile_free(tile);
	trnsci_close(session);
}

BOTH(tiles)
BOTH(foreign_tile)
BOTH(cancels)
BOTH(cancels_beside_runs)
BOTH(forks)

/* A child opens a session of its own, which its own child may not use. */
static bool opens_its_own(unsigned generations)
{
	struct trnsci_session *session = NULL;
	struct trnsci_call *call;
	int status;
	bool good = trnsci_open(trnscid.socket, NULL, &session, NULL) == 0 && trnsci_call_new(session, "ping", &call) == 0 &&
		    trnsci_run(call, NULL) == 0;

	if (good && generations) {
		const pid_t child = fork();

		if (child == 0)
			_exit(trnsci_run(call, NULL) == -TRNSCI_CLOSED && opens_its_own(generations - 1) ? 0 : 1);
		good = waitpid(child, &status, 0) == child && status == 0 && trnsci_run(call, NULL) == 0;
	}
	if (good)
		trnsci_call_free(call);
	trnsci_close(session);
	return good;
}

static void children_open_their_own(void **state)
{
	(void)state;
	assert_true(opens_its_own(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiles_by_both),
		cmocka_unit_test(foreign_tile_by_both),
		cmocka_unit_test(cancels_by_both),
		cmocka_unit_test(cancels_beside_runs_by_both),
		cmocka_unit_test(timeouts),
		cmocka_unit_test(close_in_flight),
		cmocka_unit_test(close_wakes),
		cmocka_unit_test(forks_by_both),
		cmocka_unit_test(children_open_their_own),
		cmocka_unit_test(no_daemon),
		cmocka_unit_test(not_permitted),
		cmocka_unit_test(default_address),
		cmocka_unit_test(dead_daemon),
		cmocka_unit_test(beyond_the_limit),
		cmocka_unit_test(no_place_left),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
