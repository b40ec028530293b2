/* SPDX-License-Identifier: Apache-2.0 */
/* trnscid: reads its settings, starts the engine, listens, serves clients until it is stopped; reloads settings.
 *
 * Exit status: 0 stopped by a signal; 2 usage; 70 the engine or the loop could not be made; 71 the socket or the state folder
 * could not be made; 74 the state was no longer at its path at the stop; 75 another daemon listens there, or has that
 * folder; 78 a bad config file or TRNSCI_CPU, or any bad setting if a socket was passed; 128 + signal at a second signal.
 * With --repair-state or --restored-state: 0 done; 66 no state; 74 failed. A daemon that cannot start sends the reason to
 * whoever waits on a socket that was passed. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/cpu.h"
#include "engine/scheduler/cpus.h"
#include "log.h"
#include "memory/background.h"
#include "memory/prefault.h"
#include "net/connection.h"
#include "net/listener.h"
#include "net/sender.h"
#include "notify.h"
#include "options.h"
#include "requests/dispatch.h"
#include "sandbox.h"
#include "streams/store.h"
#include "streams/streams.h"

enum { KEPT_WORK_BYTES = 288 << 20 };

/* What SIGHUP needs. */
struct daemon {
	struct service service;
	struct settings settings;
	char **argv;
};

static int read_cpu(struct service *service, struct error *err)
{
	const char *requested_cpu = getenv("TRNSCI_CPU");
	uint32_t wanted = 0;

	service->requested_cpu = requested_cpu && *requested_cpu ? requested_cpu : NULL;
	if (cpu_allowed(requested_cpu, &service->features) < 0) {
		char names[128] = "";
		size_t count;
		const struct cpu_level *levels = cpu_levels(&count);

		for (size_t i = 0; i < count; i++)
			snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
				 levels[i].name);
		return error_set(err, ERROR_OUT_OF_RANGE, "TRNSCI_CPU: \"%.40s\", allowed: %s", requested_cpu, names);
	}
	if (service->requested_cpu)
		cpu_level_parse(requested_cpu, &wanted);
	service->wish_lowered = wanted & ~cpu_detect();
	if (service->wish_lowered)
		log_line(LEVEL_WARNING, "TRNSCI_CPU=%s: this CPU lacks it, lowered to %s", requested_cpu,
			 cpu_level_name(service->features));
	return 0;
}

/* What was accepted takes longer than stop_timeout. A client of the library asks the next daemon again. */
static void end_requests(void *arg)
{
	struct service *service = arg;

	loop_unwatch(service->stop_timer);
	service->stop_timer = NULL;
	log_line(LEVEL_WARNING, "stopping: requests that take longer than stop_timeout, %llu s, are cancelled",
		 (unsigned long long)service->settings->stop_timeout);
	connection_end_all(service);
}

/* Called at the first signal: nothing new is accepted, and what was accepted is answered, or cancelled where it takes too long. */
static void stop_service(void *arg)
{
	struct service *service = arg;
	const uint64_t timeout_us = service->settings->stop_timeout * 1000000;

	service->stopping = true;
	listener_close(service->listener);
	service->listener = NULL;
	notify_stopping();
	log_line(LEVEL_INFO, "stopping: accepted requests are answered, for %llu s at most; a second signal ends at once",
		 (unsigned long long)service->settings->stop_timeout);
	for (struct session *session = service->sessions; session; session = session->next)
		connection_drain(session);
	if (!service->sessions)
		loop_end(service->loop);
	else if (loop_repeat(service->loop, timeout_us ? timeout_us : 1, end_requests, service, &service->stop_timer) < 0)
		connection_end_all(service);
}

/* A session needs one descriptor, and each of its rings and broadcasts more; the soft limit is often 1024. */
static void raise_fd_limit(const struct settings *settings)
{
	enum { OTHERS = 64 };
	struct rlimit limit;
	rlim_t wanted = 2 * settings->connections + OTHERS;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < wanted)
		log_line(LEVEL_WARNING, "connections: %llu may need %llu file descriptors, allowed: %llu",
			 (unsigned long long)settings->connections, (unsigned long long)wanted,
			 (unsigned long long)limit.rlim_cur);
}

static bool lanes_are_busy(void *engine)
{
	return engine_is_busy(engine);
}

/* Does not poll on the only CPU: that would keep all others from it. */
static void set_spin(struct service *service)
{
	uint64_t most_us = cpus_usable() > 1 ? service->settings->spin_us : 0;

	loop_set_spin(service->loop, most_us * 1000, lanes_are_busy, service->engine);
	engine_set_linger(service->engine, 2 * most_us * 1000);
}

/* With two CPUs there is none to spare for a sender. */
static void start_sender(struct service *service)
{
	if (cpus_usable() > 2 && sender_create(&service->sender) == 0)
		loop_set_collect(service->loop, connection_collect_sent, service);
}

static void log_change(const struct setting *setting, void *arg)
{
	unsigned *changes = arg;

	++*changes;
	log_line(setting->change == SETTING_START ? LEVEL_WARNING : LEVEL_INFO, "reload: %s: changed, takes effect %s",
		 setting->name, setting_change_text(setting->change));
}

/* Reads the command line and its config files again. A bad one changes nothing. */
static void reload_settings(void *arg)
{
	struct daemon *daemon = arg;
	struct service *service = &daemon->service;
	enum options_action action;
	struct settings wanted;
	unsigned changes = 0;
	struct error err;

	notify_reloading();
	if (options_read(daemon->argv, &wanted, &action, &err) == 0) {
		settings_change(&daemon->settings, &wanted, log_change, &changes);
		quota_set_totals(service->quota, &daemon->settings);
		log_set_level(daemon->settings.log_level);
		raise_fd_limit(&daemon->settings);
		set_spin(service);
		log_line(LEVEL_INFO, "reload: settings changed: %u", changes);
		notify_status("serves with %s kernels, reloaded", cpu_level_name(service->features));
	} else {
		log_line(LEVEL_ERROR, "reload: no setting changed: %s", err.text);
		notify_status("reload failed, serves with the old settings: %s", err.text);
	}
	notify_ready();
}

static int serve_clients(struct service *service, struct error *err)
{
	const int fd = service->passed_fd;
	struct error warning;
	int r;

	service->passed_fd = -1;
	r = listener_open(service, fd, &service->listener, err);
	if (r < 0)
		return r == -ERROR_LIMIT ? EX_TEMPFAIL : r == -ERROR_OUT_OF_RANGE ? OPTIONS_USAGE : EX_OSERR;
	if (sandbox_deny_exec(&warning) < 0)
		log_line(LEVEL_WARNING, "%s; the daemon keeps the right to execute programs", warning.text);
	log_line(LEVEL_INFO, "version " TRNSCI_VERSION " listens on %s with %s kernels",
		 listener_name(service->listener), cpu_level_name(service->features));
	notify_status("serves with %s kernels", cpu_level_name(service->features));
	notify_ready();
	set_spin(service);
	/* The service is the first member. */
	loop_set_reload(service->loop, reload_settings, service);
	start_sender(service);
	loop_run(service->loop);
	loop_unwatch(service->stop_timer);
	listener_close(service->listener);
	log_line(LEVEL_INFO, "stopped");
	err->code = 0;
	return EXIT_SUCCESS;
}

/* Returns large blocks to the system when they are freed. By default the threshold rises to 32 MiB with use. */
static void bound_heap(void)
{
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
	mallopt(M_TRIM_THRESHOLD, 256 << 10);
}

/* Repairs or restores the state of named streams, while no daemon uses the folder. */
static int mend_state(const struct settings *settings, enum options_action action)
{
	char dir[SETTING_TEXT_ROOM];
	struct error err;
	bool named;
	int fd = -1, r;

	streams_find_dir(settings, dir, &named);
	r = store_lock(dir, false, &fd, &err);
	const struct store_folder folder = {dir, fd, NULL};

	if (r == 0)
		r = action == OPTIONS_REPAIR ? store_repair(&folder, stdout, &err) : store_restore(&folder, stdout, &err);
	if (r == 0)
		return EXIT_SUCCESS;
	fprintf(stderr, "trnscid: %s\n", err.text);
	return r == -ERROR_NOT_FOUND ? EX_NOINPUT : r == -ERROR_LIMIT ? EX_TEMPFAIL : EX_IOERR;
}

/* Without named streams the daemon serves all other requests; but two daemons must not share a folder that was named. */
static int open_streams(struct service *service, struct error *err)
{
	const struct error *trouble;
	int r = streams_open(service->settings, &service->streams, err);

	if (r < 0)
		return r == -ERROR_LIMIT ? EX_TEMPFAIL : EX_OSERR;
	trouble = streams_trouble(service->streams);
	if (trouble)
		log_line(LEVEL_ERROR, "no named streams: %s", trouble->text);
	return EXIT_SUCCESS;
}

/* Returns a number by which a client that reconnects recognizes the same daemon. Early in a host's start there may be no
 * random bytes: then the time and the process id distinguish two daemons. */
static uint64_t draw_instance(void)
{
	uint64_t instance = 0;

	if (getrandom(&instance, sizeof instance, GRND_NONBLOCK) != sizeof instance || instance == 0)
		instance = stats_now_ns() << 22 ^ (uint64_t)getpid();
	return instance;
}

/* Returns how much work memory is kept for later requests: no more than requests may have in all. */
static uint64_t kept_work_bytes(const struct settings *settings)
{
	const uint64_t total = settings->work_total_bytes ? settings->work_total_bytes : quota_default_total();

	return total < KEPT_WORK_BYTES ? total : KEPT_WORK_BYTES;
}

/* Returns an exit status. err says why the daemon could not start; its code is 0 once it has served. */
static int run_service(struct service *service, struct error *err)
{
	struct engine_settings engine = {
		.threads = (unsigned)service->settings->threads,
		.features = service->features,
		.plan_cache_bytes = service->settings->plan_cache_bytes,
		.work_memory_bytes = kept_work_bytes(service->settings),
		.pin = strcmp(service->settings->pin, "on") == 0,
		.instance = draw_instance(),
	};
	int status = EX_SOFTWARE;
	bool background = false;

	raise_fd_limit(service->settings);
	bound_heap();
	service->started_ns = stats_now_ns();
	service->loop_thread = pthread_self();
	if (engine_create(&engine, &service->engine, err) < 0)
		return status;
	error_set(err, ERROR_NO_MEMORY, "daemon: not enough memory or file descriptors to start");
	if (quota_create(service->settings, &service->quota) == 0 && loop_create(stop_service, service, &service->loop) == 0 &&
	    background_start() == 0) {
		background = true;
		status = open_streams(service, err);
		if (status == EXIT_SUCCESS &&
		    prefault_create(service->quota, service->settings->arena_ahead_bytes, &service->prefault) < 0)
			status = EX_SOFTWARE;
		if (status == EXIT_SUCCESS)
			status = serve_clients(service, err);
	}
	if (streams_close(service->streams) < 0 && status == EXIT_SUCCESS)
		status = EX_IOERR;
	loop_free(service->loop);
	sender_free(service->sender);
	/* Ends the lanes first: one of them may release an arena last. */
	engine_destroy(service->engine);
	if (background)
		background_stop();
	prefault_free(service->prefault);
	bump_cache_free(&service->bump_cache);
	quota_free(service->quota);
	return status;
}

/* Sends the reason to whoever waits on the socket that the service manager passed. Left waiting, they would start the daemon
 * again at once, until the manager gives the socket up. */
static void refuse_waiting(int passed_fd, const struct error *why)
{
	struct error reason;

	if (passed_fd < 0)
		return;
	error_set(&reason, ERROR_CLOSED, "daemon: cannot start: %s", why->text);
	listener_refuse_waiting(passed_fd, &reason);
}

/* Takes the service manager's socket. status: so far. A bad setting becomes EX_CONFIG if a socket was passed: the service
 * manager recognizes that number. */
static int take_socket(struct service *service, int status, struct error *err)
{
	struct error wrong;

	if (notify_listen_fd(&service->passed_fd, &wrong) == 0)
		return status != 0 && service->passed_fd >= 0 ? EX_CONFIG : status;
	if (status != 0)
		return status;
	*err = wrong;
	return EX_OSERR;
}

/* Prints what differs from the defaults, or what is wrong. */
static int check_config(const struct settings *settings, int status, struct error *err)
{
	struct service unused = {0};

	if (status == 0 && read_cpu(&unused, err) < 0)
		status = EX_CONFIG;
	if (status != 0) {
		fprintf(stderr, "trnscid: %s\n", err->text);
		return status;
	}
	settings_print_changed(settings, stdout);
	return EXIT_SUCCESS;
}

/* status: of the options, with err. */
static int serve_until_stopped(struct daemon *daemon, int status, struct error *err)
{
	struct service *service = &daemon->service;

	log_open(daemon->settings.log_level);
	status = take_socket(service, status, err);
	if (status == 0)
		status = read_cpu(service, err) < 0 ? EX_CONFIG : run_service(service, err);
	if (err->code) {
		log_line(LEVEL_ERROR, "%s", err->text);
		refuse_waiting(service->passed_fd, err);
	}
	return status;
}

int main(int argc, char **argv)
{
	static struct daemon daemon;
	struct error err = {0};
	enum options_action action;
	int status;

	(void)argc;
	umask(077);
	loop_ignore_signals();
	daemon.argv = argv;
	daemon.service = (struct service){.settings = &daemon.settings, .handler = &dispatch_handler, .passed_fd = -1};
	status = options_read(argv, &daemon.settings, &action, &err);
	if (action == OPTIONS_CHECK)
		return check_config(&daemon.settings, status, &err);
	if (status != 0 || action == OPTIONS_SERVE)
		return serve_until_stopped(&daemon, status, &err);
	if (action == OPTIONS_HELP)
		options_print_help();
	else if (action == OPTIONS_VERSION)
		puts("trnscid (trnsciD) " TRNSCI_VERSION);
	else
		return mend_state(&daemon.settings, action);
	return EXIT_SUCCESS;
}
