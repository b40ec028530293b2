/* SPDX-License-Identifier: Apache-2.0 */
/* A session from its first byte to its end: whatever a client sends, in whatever pieces, and whether it reads or not, the
 * session ends with its connection and gives back all that it took.
 *
 * Input: a byte says how many follow that are sent; 0: the client reads what there is; 255: it sends no more. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <event2/event.h>

#include "daemon/memory/background.h"
#include "daemon/net/connection.h"
#include "daemon/requests/dispatch.h"
#include "daemon/memory/prefault.h"
#include "daemon/streams/streams.h"
#include "harness/wait.h"

enum { TURNS = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct settings settings;
static struct service service = {.settings = &settings};
static char dir[] = "/tmp/trnsci-fuzz-session-XXXXXX";

static void must(int right)
{
	if (!right)
		abort();
}

static void on_stop(void *arg)
{
	(void)arg;
}

static void set(const char *name, const char *value)
{
	must(settings_set(&settings, name, value, NULL) == 0);
}

static void begin(void)
{
	settings_default(&settings);
	set("threads", "1");
	set("frame_bytes", "64K");
	set("inline_bytes", "64K");
	set("work_bytes", "4M");
	set("arena_bytes", "1M");
	set("ring_bytes", "64K");
	set("buffer_bytes", "1M");
	set("connections_per_second", "1000000");
	set("log_level", "error");
	must(mkdtemp(dir) != NULL);
	set("state_dir", dir);
	service.handler = &dispatch_handler;
	service.loop_thread = pthread_self();
	service.started_ns = stats_now_ns();
	must(engine_create(&(struct engine_settings){.threads = 1}, &service.engine, NULL) == 0);
	loop_ignore_signals();
	must(quota_create(&settings, &service.quota) == 0 && loop_create(on_stop, NULL, &service.loop) == 0);
	must(prefault_create(service.quota, 0, &service.prefault) == 0);
	must(background_start() == 0 && streams_open(&settings, &service.streams, NULL) == 0);
}

static void loop_once(int flags)
{
	event_base_loop(loop_base(service.loop), EVLOOP_ONCE | flags);
}

static void read_all(int fd)
{
	char bytes[4096];

	while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
		;
}

static void act(int fd, const uint8_t *data, size_t size)
{
	for (size_t at = 0; at < size;) {
		size_t count = data[at++];

		if (count == 0)
			read_all(fd);
		else if (count == 255)
			shutdown(fd, SHUT_WR);
		else {
			count = count < size - at ? count : size - at;
			if (send(fd, data + at, count, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
				return;
			at += count;
		}
		for (int i = 0; i < TURNS; i++)
			loop_once(EVLOOP_NONBLOCK);
	}
}

/* What all quotas are charged with. */
static uint64_t used_of_all(void)
{
	struct bump *bump = bump_new();
	struct value map = value_map();
	uint64_t used = 0, all = 0;

	must(quota_show(service.quota, NULL, bump, &map) == 0);
	for (size_t i = 0; i < map.map.count; i++) {
		must(value_to_u64(value_get(&map.map.at[i].value, "used"), &used));
		all += used;
	}
	bump_free(bump);
	return all;
}

/* A job that is cancelled ends with its chunk; the background worker gives back what an arena took. */
static void wait_for_end(void)
{
	while (service.sessions)
		loop_once(0);
	AWAIT(used_of_all() == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int pair[2];

	if (!service.engine)
		begin();
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
	connection_open(&service, pair[0]);
	act(pair[1], data, size);
	close(pair[1]);
	wait_for_end();
	return 0;
}
