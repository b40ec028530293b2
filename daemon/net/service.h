/* SPDX-License-Identifier: Apache-2.0 */
/* What all sessions share. main makes it. It belongs to the loop's thread, but for the engine and the quota. */
#ifndef TRNSCI_DAEMON_SERVICE_H
#define TRNSCI_DAEMON_SERVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/operations/operations.h"
#include "latency.h"
#include "limits/quota.h"
#include "loop.h"
#include "settings.h"
#include "slow_log.h"
#include "stats.h"

struct listener;
struct pending_request;
struct session;
struct session_handler;
struct sender;
struct broadcast_entry;
struct streams;
struct prefault;

/* Classes of requests whose times are counted: those of the methods, and runs of prepared calls. */
enum { LATENCY_PREPARED = METHOD_SIGNAL + 1, LATENCY_CLASSES, LATENCY_NONE = LATENCY_CLASSES };

struct service {
	const struct settings *settings;
	struct engine *engine;
	struct loop *loop;
	struct quota *quota;
	struct prefault *prefault; /* an arena made ready for the next client */
	int passed_fd;             /* the service manager's listening socket; -1: none, or the listener has taken it */
	struct listener *listener; /* NULL once the daemon stops */
	struct streams *streams;
	struct stats stats;
	struct latency latency[LATENCY_CLASSES];
	struct slow_log slow_log;
	uint64_t clock_ns;    /* when the frame that is being handled was read */
	unsigned frame_class; /* of a request that was answered meanwhile; LATENCY_NONE: none was */
	const char *frame_method; /* of that request */
	uint64_t started_ns;
	uint32_t features; /* of the CPU, that kernels may use */
	const char *requested_cpu;  /* TRNSCI_CPU, or NULL */
	bool wish_lowered; /* TRNSCI_CPU names a level that this CPU lacks */
	pthread_t loop_thread;
	const struct session_handler *handler; /* of all sessions */
	struct pending_request *starting; /* the request that is being started, or NULL */
	struct bump_cache bump_cache; /* of requests */
	struct session *sessions;
	struct sender *sender; /* NULL: the loop sends all replies itself */
	struct session *sending, **sending_last; /* those whose replies the sender has, in the order in which it got them */
	struct broadcast_entry *broadcasts;
	uint64_t fds_released_ns; /* when the sockets of all sessions were last looked at for unread descriptors */
	uint64_t only_computing_session, only_computing_since_ns; /* the one that computed last, and since when no other did */
	uint64_t last_session;
	uint64_t most_sessions; /* at once, since the heap was last trimmed after a crowd */
	bool stopping;
	struct watch *stop_timer; /* fires after stop_timeout; NULL: not yet, or no more */
};

#endif
