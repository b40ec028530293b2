/* SPDX-License-Identifier: Apache-2.0 */
/* The service manager, by libsystemd. */
#include "notify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <systemd/sd-daemon.h>

int notify_listen_fd(int *ret_fd, struct error *err)
{
	int count = sd_listen_fds(1);

	if (count < 0)
		return error_set(err, ERROR_SYSTEM, "LISTEN_FDS: the variables of the service manager are malformed");
	if (count == 0) {
		*ret_fd = -1;
		return 0;
	}
	if (count > 1)
		return error_set(err, ERROR_SYSTEM, "LISTEN_FDS: %d sockets were passed, allowed: one", count);
	if (sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_STREAM, 1, NULL, 0) <= 0)
		return error_set(err, ERROR_SYSTEM,
				 "LISTEN_FDS: another kind of descriptor was passed, allowed: a listening Unix stream socket");
	*ret_fd = SD_LISTEN_FDS_START;
	return 0;
}

void notify_ready(void)
{
	sd_notify(0, "READY=1");
}

void notify_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		   (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
}

void notify_stopping(void)
{
	sd_notify(0, "STOPPING=1");
}

void notify_status(const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	sd_notifyf(0, "STATUS=%s", text);
}

/* Half of what the manager allows, so that one late turn of the loop does not end the daemon. */
uint64_t notify_watchdog_interval_us(void)
{
	uint64_t allowed;

	return sd_watchdog_enabled(0, &allowed) > 0 ? allowed / 2 : 0;
}

void notify_watchdog(void)
{
	sd_notify(0, "WATCHDOG=1");
}
