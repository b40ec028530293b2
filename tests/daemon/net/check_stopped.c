/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that stand still (SIGSTOP) for longer than any timeout: a client, with and without replies that it owes to
 * read, with a ring and a broadcast; the daemon, which must not take its own silence for its clients'; and both at once.
 *
 * The daemon for a minute with TRNSCI_FULL=1. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trnsci/trnsci.h>

#include "engine/producers/ring_layout.h"
#include "daemon/load.h"
#include "daemon/group_daemon.h"

enum { SAMPLES = 4096, PAGE = 4096, MEMORY = PAGE + 4 * SAMPLES, LARGE = 4 << 20 };

static unsigned long_us(unsigned full_s, unsigned ms)
{
	return getenv("TRNSCI_FULL") ? full_s * 1000000 : ms * 1000;
}

static int setup(void **state)
{
	(void)state;
	group_daemon_start((const char *const[]){"--threads=2", "--arena-ahead-bytes=0", "--send-timeout=3",
						 "--frame-timeout=3", NULL});
	return 0;
}

/* While nothing is asked of it. */
static void expect_sleep(unsigned us)
{
	const uint64_t before = load_cpu_ns(&group_daemon);

	wait_idle(us / 1000);
	const uint64_t took = load_cpu_ns(&group_daemon) - before;

	if (!SANITIZED && took > us * 1000ull / 20)
		fail_msg("expected the daemon to sleep, got %" PRIu64 " us of processor time in %u us", took / 1000, us);
}

/* ---- clients that stop ---- */

/* In a child, which stops itself in the midst; returns once it has. */
static pid_t stops(void (*act)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		act();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	if (!WIFSTOPPED(status))
		fail_msg("the client: expected that it stops, got status %d", status);
	return pid;
}

static void goes_on(pid_t pid)
{
	int status;

	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("the client, once it goes on: expected status 0, got %d", status);
}

struct shown {
	struct fdpass fds;
	const struct ring_page *page;
	struct ring_index *index;
};

static void attach(struct client *client, const char *method, const struct value *params, struct shown *ret)
{
	struct message message;

	client_send(client, method, params);
	assert_true(client_receive_fds(client, &message, &ret->fds));
	if (message.error.code)
		fail_msg("%s: %s", method, message.error.text);
	ret->page = mmap(NULL, MEMORY, PROT_READ, MAP_SHARED, ret->fds.at[0], 0);
	assert_true((const void *)ret->page != MAP_FAILED);
	if (ret->fds.count == 3)
		ret->index = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ret->fds.at[1], 0);
}

static void attach_ring(struct client *client, struct shown *ret)
{
	struct value params = client_map(client, "samples", value_uint(SAMPLES), NULL);

	attach(client, "ring_attach", &params, ret);
}

static void let_go(struct shown *shown)
{
	munmap((void *)shown->page, MEMORY);
	if (shown->index)
		munmap(shown->index, PAGE);
	fdpass_close(&shown->fds);
}

static void create_broadcast(struct client *client, const char *name)
{
	struct value params = client_map(client, "name", value_string(name), "samples", value_uint(SAMPLES), NULL);

	client_result(client, "broadcast_create", &params);
}

static void await_produced(const struct ring_page *page, uint64_t produced)
{
	AWAIT(atomic_load(&page->produced) == produced);
}

static void ask_much(struct client *client, int times)
{
	struct value params = client_map(client, "n", value_uint(100000), NULL);

	for (int i = 0; i < times; i++)
		client_send(client, "uniform", &params);
}

static void in_debt(void)
{
	struct client client;
	struct message message;
	struct shown ring;
	struct fdpass fds;
	void *base;

	client_open(&client, group_daemon.socket);
	client_arena(&client, 1 << 20, &base);
	attach_ring(&client, &ring);
	create_broadcast(&client, "debtor");
	ask_much(&client, 200);
	raise(SIGSTOP);
	/* What had been sent is there to be read, and then the end. */
	while (client_receive_fds(&client, &message, &fds))
		assert_int_equal(message.error.code, 0);
}

static void without_debt(void)
{
	struct value news = value_map();
	struct shown ring = {0}, broadcast = {0};
	struct client client;

	client_open(&client, group_daemon.socket);
	news = client_map(&client, "name", value_string("news"), NULL);
	attach_ring(&client, &ring);
	attach(&client, "broadcast_attach", &news, &broadcast);
	await_produced(ring.page, SAMPLES);
	raise(SIGSTOP);
	client_result(&client, "ping", NULL);
	/* Nothing was put over what had not been taken; then it goes on. */
	assert_int_equal(atomic_load(&ring.page->produced), SAMPLES);
	atomic_store(&ring.index->taken, SAMPLES);
	eventfd_write(ring.fds.at[2], 1);
	await_produced(ring.page, 2 * SAMPLES);
	/* The page has the range that it missed. */
	assert_int_equal(atomic_load(&broadcast.page->produced), 20 * SAMPLES);
	assert_true(atomic_load(&broadcast.page->claimed) >= 20 * SAMPLES);
}

static void in_mid_frame(void)
{
	struct client client;
	struct message message;

	client_open(&client, group_daemon.socket);
	client_result(&client, "ping", NULL);
	client_send_bytes(&client, "\x94\x00\x07\xa4pi", 6);
	raise(SIGSTOP);
	assert_true(client_receive(&client, &message));
	assert_int_equal(message.type, MESSAGE_NOTIFICATION);
	assert_false(client_receive(&client, &message));
}

/* Those who owe to read replies, or the end of a message, are dropped when their time is over, with all that they had;
 * who owes nothing may stand still for as long as it likes; and nobody else feels it. */
static void clients_stop(void **state)
{
	const uint64_t quiet = load_ping_cpu_ns(&witness), unread = client_stat(&witness, "daemon.unread"),
		       half = client_stat(&witness, "daemon.half_frames");
	struct client owner;
	pid_t clients[3];

	(void)state;
	client_open(&owner, group_daemon.socket);
	create_broadcast(&owner, "news");
	clients[0] = stops(without_debt);
	clients[1] = stops(in_mid_frame);
	clients[2] = stops(in_debt);
	struct value publish = client_map(&owner, "name", value_string("news"), "n", value_uint(SAMPLES), NULL);
	for (int i = 0; i < 20; i++)
		client_result(&owner, "broadcast_publish", &publish);
	load_expect_little("beside clients that stop", load_ping_cpu_ns(&witness), quiet);
	client_await_stat(&witness, "daemon.unread", unread + 1);
	client_await_stat(&witness, "daemon.half_frames", half + 1);
	client_await_stat(&witness, "daemon.sessions", 3);
	client_await_stat(&witness, "daemon.rings", 1);
	client_await_stat(&witness, "daemon.broadcasts", 1);
	wait_idle(100); /* it has looked for more before it sleeps */
	expect_sleep(long_us(25, 400));
	assert_int_equal(client_stat(&witness, "daemon.sessions"), 3);
	for (int i = 0; i < 3; i++)
		goes_on(clients[i]);
	client_close(&owner);
}

/* ---- a daemon that stops ---- */

/* What is under way when the daemon is stopped: begun before, gone on with meanwhile, and looked at afterwards. */
struct subject {
	void (*begin)(void);
	void (*go_on)(void);
	void (*end)(void);
};

/* Who has read what there was is not dropped for replies that the daemon did not send. */

enum { REPLIES = 40 };

static struct client reader;

static int unread_bytes(const struct client *client)
{
	int bytes;

	assert_int_equal(ioctl(client->fd, FIONREAD, &bytes), 0);
	return bytes;
}

static void reader_begin(void)
{
	client_open(&reader, group_daemon.socket);
	ask_much(&reader, REPLIES);
	AWAIT(unread_bytes(&reader) > 100000); /* the socket is full, and the daemon waits to send */
}

/* What the socket has; the rest can be sent only once the daemon goes on. */
static void reader_go_on(void)
{
	char bytes[65536];
	ssize_t got;

	while ((got = recv(reader.fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
		if (reader.room - reader.size < sizeof bytes)
			reader.at = realloc(reader.at, reader.room = reader.room * 2 + sizeof bytes);
		memcpy(reader.at + reader.size, bytes, (size_t)got);
		reader.size += (size_t)got;
	}
}

static void reader_end(void)
{
	struct message message;

	for (int i = 0; i < REPLIES; i++) {
		if (!client_receive(&reader, &message))
			fail_msg("expected %d replies, got the end after %d", REPLIES, i);
		assert_int_equal(message.error.code, 0);
	}
	client_close(&reader);
}

/* Who was sending is not dropped for bytes that the daemon did not read. */

static struct client writer;
static struct codec_buffer large;
static pid_t sender;

static void writer_begin(void)
{
	char *payload = calloc(1, LARGE);

	client_open(&writer, group_daemon.socket);
	struct value text = {.kind = VALUE_STRING, .bytes = {payload, LARGE}};
	struct value params = client_map(&writer, "x", text, NULL);
	large = (struct codec_buffer){0};
	assert_int_equal(codec_request(&large, 1, "ping", &params), 0);
	free(payload);
	client_send_bytes(&writer, large.at, 1000);
}

static void writer_go_on(void)
{
	sender = fork();
	if (sender)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	client_send_bytes(&writer, large.at + 1000, large.size - 1000);
	_exit(0);
}

static void writer_end(void)
{
	struct message message;
	int status;

	assert_true(client_receive(&writer, &message));
	if (message.type != MESSAGE_RESPONSE)
		fail_msg("expected an answer, got: %.*s", (int)message.method_size, message.method);
	assert_int_equal(message.error.code, ERROR_UNKNOWN_PARAMETER);
	assert_int_equal(waitpid(sender, &status, 0), sender);
	assert_int_equal(status, 0);
	client_close(&writer);
	codec_buffer_free(&large);
}

/* A deadline that has passed has passed. */

static struct client hurried;

static void deadline_begin(void)
{
	struct value run;
	void *base;

	client_open(&hurried, group_daemon.socket);
	close(client_arena(&hurried, 32 << 20, &base));
	munmap(base, 32 << 20);
	run = client_program(&hurried, 1 << 22, 250);
	value_put(hurried.bump, &run, "timeout_ms", value_uint(600));
	client_send(&hurried, "run", &run);
	client_result(&witness, "ping", NULL);
}

static void deadline_end(void)
{
	struct message message;

	assert_true(client_receive(&hurried, &message));
	assert_int_equal(message.error.code, ERROR_TIMEOUT);
	client_result(&hurried, "stats", NULL);
	client_close(&hurried);
}

/* Who comes meanwhile waits, and is served. */

static struct client late;

static void late_go_on(void)
{
	client_open(&late, group_daemon.socket);
	client_send(&late, "ping", NULL);
}

static void late_end(void)
{
	struct message message;

	assert_true(client_receive(&late, &message));
	assert_int_equal(message.error.code, 0);
	client_close(&late);
}

/* What a ring has is taken meanwhile, and then filled again. */

static struct client taker;
static struct shown ring;

static void ring_begin(void)
{
	client_open(&taker, group_daemon.socket);
	attach_ring(&taker, &ring);
	await_produced(ring.page, SAMPLES);
}

static void ring_go_on(void)
{
	atomic_store(&ring.index->taken, SAMPLES);
	eventfd_write(ring.fds.at[2], 1);
}

static void ring_end(void)
{
	await_produced(ring.page, 2 * SAMPLES);
	let_go(&ring);
	client_close(&taker);
}

/* The library gives up after its own time, and the session is none the worse. */

static struct trnsci_session *session;

static int run_ping(void)
{
	struct trnsci_call *call;
	int r;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	r = trnsci_run(call, NULL);
	trnsci_call_free(call);
	return r;
}

static void library_begin(void)
{
	const struct trnsci_options options = {.timeout_ms = 3000};
	struct trnsci_error err;

	assert_int_equal(trnsci_open(group_daemon.socket, &options, &session, &err), 0);
	assert_int_equal(run_ping(), 0);
}

static void library_go_on(void)
{
	assert_int_equal(run_ping(), -TRNSCI_TIMEOUT);
}

static void library_end(void)
{
	for (int i = 0; i < 100; i++)
		assert_int_equal(run_ping(), 0);
	trnsci_close(session);
}

/* Last are those whose time runs from their beginning on: it must not be over before the daemon stops. */
static const struct subject subjects[] = {
	{ring_begin, ring_go_on, ring_end},	 {library_begin, library_go_on, library_end},
	{NULL, late_go_on, late_end},		 {reader_begin, reader_go_on, reader_end},
	{writer_begin, writer_go_on, writer_end}, {deadline_begin, NULL, deadline_end},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void daemon_stops(void **state)
{
	(void)state;
	for (int i = 0; i < SUBJECTS; i++)
		if (subjects[i].begin)
			subjects[i].begin();
	daemon_halt(&group_daemon);
	for (int i = 0; i < SUBJECTS; i++)
		if (subjects[i].go_on)
			subjects[i].go_on();
	wait_past_timeout(long_us(60, 4000) / 1000);
	kill(group_daemon.pid, SIGCONT);
	for (int i = 0; i < SUBJECTS; i++)
		subjects[i].end();
	client_result(&witness, "ping", NULL);
}

/* ---- both stop ---- */

struct progress {
	atomic_uint cycles;
	atomic_bool finish;
	int timeout_ms; /* of the library */
};

static struct progress *progress;

/* Takes a ring's samples and draws them once more, until the test ends. Nothing may fail or begin anew. */
static void draws_on(void)
{
	enum { N = 1000 };
	const struct trnsci_options options = {.timeout_ms = progress->timeout_ms};
	struct trnsci_source source = {.seed = 5};
	struct trnsci_session_info info;
	struct trnsci_session *own;
	struct trnsci_reader *samples;
	struct trnsci_error err;
	float taken[N], drawn[N];

	assert_int_equal(trnsci_open(group_daemon.socket, &options, &own, &err), 0);
	assert_int_equal(trnsci_ring_attach(own, "normal", NULL, &source, SAMPLES, &samples, &err), 0);
	for (; !atomic_load(&progress->finish); source.offset += N, atomic_fetch_add(&progress->cycles, 1)) {
		assert_int_equal(trnsci_reader_take(samples, taken, N, progress->timeout_ms, NULL, &err), 0);
		assert_int_equal(trnsci_draw_array(own, "normal", NULL, &source, TRNSCI_F32, N, drawn, NULL, &err), 0);
		assert_memory_equal(taken, drawn, sizeof taken);
	}
	assert_int_equal(trnsci_session_describe(own, &info), 0);
	assert_int_equal(info.restarts, 0);
	trnsci_reader_detach(samples);
	trnsci_close(own);
}

static void await_cycles(unsigned more)
{
	const unsigned before = atomic_load(&progress->cycles);

	AWAIT(atomic_load(&progress->cycles) >= before + more);
}

static void stop_both(bool daemon_first)
{
	const int shared = MAP_SHARED | MAP_ANONYMOUS;
	int status;
	pid_t pid;

	progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, shared, -1, 0);
	assert_true((const void *)progress != MAP_FAILED);
	progress->timeout_ms = daemon_first ? 3000 : 600000;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		draws_on();
		_exit(0);
	}
	await_cycles(10);
	daemon_halt(&group_daemon);
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	wait_past_timeout(long_us(60, 4000) / 1000);
	kill(daemon_first ? group_daemon.pid : pid, SIGCONT);
	wait_idle(500);
	kill(daemon_first ? pid : group_daemon.pid, SIGCONT);
	await_cycles(10);
	atomic_store(&progress->finish, true);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	munmap(progress, sizeof *progress);
}

/* As a group of processes that is frozen. Whoever goes on first finds the other silent. What the daemon has answered by then
 * is taken, although the library's own time is over. */
static void both_stop(void **state)
{
	(void)state;
	stop_both(false);
	stop_both(true);
}

int main(void)
{
#define still(name) cmocka_unit_test_teardown(name, group_daemon_rests)
	const struct CMUnitTest tests[] = {still(clients_stop), still(daemon_stops), still(both_stop)};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
