/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon whose address space is used up: what needs memory is refused and says so, what needs little goes on, and once
 * there is memory again all is as before. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/load.h"
#include "daemon/group_daemon.h"

enum { CROWD = 200 };

static int setup(void **state)
{
	(void)state;
	group_daemon_start(
		(const char *const[]){"--threads=2", "--arena-ahead-bytes=0", "--connections-per-second=100000", NULL});
	return 0;
}

static int rest(void **state)
{
	(void)state;
	client_expect_known_draw(&witness);
	group_daemon_expect_rest();
	client_await_stat(&witness, "daemon.quota.work_total_bytes.used", 0);
	return 0;
}

/* What it has, and so much more; UINT64_MAX: as much as it likes. */
static void allow(uint64_t more)
{
	const rlim_t most = more == UINT64_MAX ? RLIM_INFINITY : daemon_kib(&group_daemon, "VmSize") * 1024 + more;

	assert_int_equal(prlimit(group_daemon.pid, RLIMIT_AS, &(struct rlimit){most, RLIM_INFINITY}, NULL), 0);
}

/* By an error of ours that says so, under the request's own number. */
static void refused(struct client *client, const char *method, const struct value *params)
{
	struct message message;
	struct fdpass fds;
	uint32_t msgid = client_send(client, method, params);

	assert_true(client_receive_fds(client, &message, &fds));
	assert_int_equal(message.msgid, msgid);
	assert_int_equal(fds.count, 0);
	if (message.error.code != ERROR_NO_MEMORY &&
	    (message.error.code != ERROR_SYSTEM || !strstr(message.error.text, "Cannot allocate memory")))
		fail_msg("%s: expected that there is no memory, got %s", method,
			 message.error.code ? message.error.text : "it done");
}

static void large_requests(void **state)
{
	struct client client;
	void *base;

	(void)state;
	client_open(&client, group_daemon.socket);
	client_result(&client, "ping", NULL);
	struct value arena = client_map(&client, "bytes", value_uint(1 << 30), NULL),
		     ring = client_map(&client, "samples", value_uint(8 << 20), NULL),
		     draw = client_map(&client, "n", value_uint(4000000), NULL),
		     few = client_map(&client, "n", value_uint(100), NULL);
	allow(1 << 20);
	for (int i = 0; i < 20; i++) {
		refused(&client, "arena", &arena);
		refused(&client, "ring_attach", &ring);
		refused(&client, "normal", &draw);
		client_result(&client, "normal", &few);
	}
	allow(UINT64_MAX);
	client_result(&client, "normal", &draw);
	close(client_arena(&client, 1 << 20, &base));
	munmap(base, 1 << 20);
	client_close(&client);
}

/* A crowd, when there is not even memory for its sessions: each is served, refused with a reason, or closed; none waits
 * for ever. */
static void crowds(void **state)
{
	static struct client crowd[CROWD];
	unsigned answered = 0, ended = 0;

	(void)state;
	allow(0);
	for (int i = 0; i < CROWD; i++) {
		struct value draw = client_map(&witness, "n", value_uint(20000), NULL);
		struct codec_buffer bytes = {0};

		client_open(&crowd[i], group_daemon.socket);
		codec_request(&bytes, 1, "normal", &draw);
		fdpass_send(crowd[i].fd, bytes.at, bytes.size, NULL);
		codec_buffer_free(&bytes);
	}
	wait_to_strike(50000);
	allow(UINT64_MAX);
	client_result(&witness, "ping", NULL);
	for (int i = 0; i < CROWD; i++) {
		struct message message;

		if (client_receive(&crowd[i], &message))
			answered++;
		else
			ended++;
		client_close(&crowd[i]);
	}
	printf("# %u answered, %u ended\n", answered, ended);
}

/* ---- a control group with little memory ---- */

enum { GROUP_BYTES = 64 << 20 };

static bool write_text(const char *folder, const char *name, const char *text)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	return file && (fputs(text, file) >= 0) + (fclose(file) == 0) == 2;
}

/* Makes a group of either version with that limit, and moves this process there, or returns false. */
static bool enter_group(char group[100])
{
	static const char *const versions[][2] = {{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
						  {"/sys/fs/cgroup", "memory.max"}};
	char bytes[32], pid[32];

	snprintf(bytes, sizeof bytes, "%d", GROUP_BYTES);
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	for (size_t i = 0; i < 2; i++) {
		snprintf(group, 100, "%s/trnsci-test-%s", versions[i][0], pid);
		if (mkdir(group, 0755) < 0)
			continue;
		if (write_text(group, versions[i][1], bytes) && write_text(group, "cgroup.procs", pid))
			return true;
		rmdir(group);
	}
	return false;
}

static void leave_group(const char *group)
{
	char parent[100], pid[32];

	snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(group, '/') - group), group);
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	assert_true(write_text(parent, "cgroup.procs", pid));
}

/* Its default limits follow the group's: what would not fit is refused, and nothing is killed. Arenas, requests' memory, rings,
 * inline replies. */
static void little_group(void **state)
{
	struct daemon daemon;
	struct client client;
	struct message message;
	struct value params;
	char group[100];
	void *base;

	(void)state;
	if (!enter_group(group)) {
		puts("# no control group for memory can be made");
		skip();
	}
	daemon_start(&daemon, ARGUMENTS("--threads=2"));
	leave_group(group);
	client_open(&client, daemon.socket);
	const uint64_t most = client_stat(&client, "daemon.quota.arena_total_bytes.total");

	assert_int_equal(most, GROUP_BYTES / 2);
	assert_int_equal(client_stat(&client, "daemon.quota.work_total_bytes.total"), GROUP_BYTES / 2);
	params = client_map(&client, "bytes", value_uint(GROUP_BYTES), NULL);
	client_fails(&client, "arena", &params, ERROR_LIMIT, "arena_total_bytes");
	close(client_arena(&client, most / 2, &base));
	params = client_map(&client, "dtype", value_string("f32"), "shape", value_uint(most / 8 - 1024), NULL);
	struct value tile = client_result(&client, "tile", &params);
	struct value out = *value_get(&tile, "tile");

	for (int i = 0; i < 3; i++) {
		params = client_map(&client, "n", value_uint(most / 8 - 1024), "out", out, NULL);
		client_result(&client, "normal", &params);
		params = client_map(&client, "in", out, "out", out, "by", value_uint(2), NULL);
		client_result(&client, "scale", &params);
		params = client_map(&client, "n", value_uint(most), NULL);
		message = client_call(&client, "normal", &params); /* inline: refused, or within its limit */
		params = client_map(&client, "in", out, "precision", value_string("double"), NULL);
		message = client_call(&client, "fft", &params); /* refused, or computed in what there is */
		params = client_map(&client, "samples", value_uint(most), NULL);
		message = client_call(&client, "ring_attach", &params);
		assert_int_equal(message.error.code, ERROR_LIMIT);
	}
	client_result(&client, "ping", NULL);
	munmap(base, most / 2);
	client_close(&client);
	daemon_stop(&daemon);
	rmdir(group);
}

int main(void)
{
#define limit(name) cmocka_unit_test_teardown(name, rest)
	const struct CMUnitTest tests[] = {limit(large_requests), limit(crowds), cmocka_unit_test(little_group)};

	if (SANITIZED) {
		printf("1..0 # skipped: the sanitizers need address space of their own\n");
		return 0;
	}
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
