/* SPDX-License-Identifier: Apache-2.0 */
/* A service inside this process, with one thread for jobs and small limits, for targets that are its clients. */
#ifndef TRNSCI_TESTS_FUZZ_SERVICE_H
#define TRNSCI_TESTS_FUZZ_SERVICE_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <event2/event.h>

#include "daemon/memory/background.h"
#include "daemon/memory/prefault.h"
#include "daemon/net/connection.h"
#include "daemon/requests/dispatch.h"
#include "daemon/streams/streams.h"
#include "harness/wait.h"

static struct settings settings;
static struct service service = {.settings = &settings};
static char service_dir[] = "/tmp/trnsci-fuzz-service-XXXXXX";

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

/* At the first input. */
static void service_begin(void)
{
	if (service.engine)
		return;
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
	must(mkdtemp(service_dir) != NULL);
	set("state_dir", service_dir);
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

/* Returns the client's end of a new connection. */
static int service_connect(void)
{
	int pair[2];

	service_begin();
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
	connection_open(&service, pair[0]);
	return pair[1];
}

/* Takes what has come at the client's end, and drops it. */
static void read_all(int fd)
{
	char bytes[4096];

	while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
		;
}

#endif
