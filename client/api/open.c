/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a session: the choice of the engine and of the address. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "embedded/embedded.h"
#include "remote/remote.h"
#include "session/public_error.h"
#include "call/cache.h"
#include "session/wait.h"
#include "tile.h"

#define EMBEDDED      "embedded:"
#define SYSTEM_SOCKET "/run/trnsci/trnsci.sock"

/* Reserved fields are refused now, so that a later version can give them a meaning. */
static int check_options(const struct trnsci_options *options, struct error *err)
{
	for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
		if (options->reserved[i] != 0)
			return error_set(err, ERROR_OUT_OF_RANGE, "options: a reserved field is not 0");
	if (options->threads > 128)
		return error_set(err, ERROR_OUT_OF_RANGE, "threads: %u, allowed 1 to 128, 0 for as many as CPUs",
				 options->threads);
	return 0;
}

static int open_at(const char *address, const struct trnsci_options *options, struct trnsci_session **ret_session,
		   struct error *err)
{
	if (strcmp(address, EMBEDDED) == 0)
		return embedded_open(options, ret_session, err);
	if (strncmp(address, "unix:", 5) == 0)
		address += 5;
	return remote_open(address, options, ret_session, err);
}

/* The user's own daemon first, then the host's. */
static int open_default(const struct trnsci_options *options, struct trnsci_session **ret_session, struct error *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char path[PATH_MAX];

	if (runtime && *runtime &&
	    (size_t)snprintf(path, sizeof path, "%s/trnsci/trnsci.sock", runtime) < sizeof path) {
		int r = remote_open(path, options, ret_session, err);

		if (r != -ERROR_NO_DAEMON)
			return r;
	}
	return remote_open(SYSTEM_SOCKET, options, ret_session, err);
}

/* An address given by the program comes before $TRNSCI_SOCKET, and that before the usual places. */
static int open_any(const char *address, const struct trnsci_options *options, struct trnsci_session **ret_session,
		    struct error *err)
{
	const char *named = address ? address : getenv("TRNSCI_SOCKET");
	int r = check_options(options, err);

	if (r < 0)
		return r;
	return named && *named ? open_at(named, options, ret_session, err) : open_default(options, ret_session, err);
}

int trnsci_open(const char *address, const struct trnsci_options *options, struct trnsci_session **ret_session,
		struct trnsci_error *err)
{
	static const struct trnsci_options defaults;
	struct error error = {0}, why = {0};

	if (!options)
		options = &defaults;
	int r = open_any(address, options, ret_session, &error);

	if (r == -ERROR_NO_DAEMON && options->or_embedded) {
		why = error;
		r = embedded_open(options, ret_session, &error);
	}
	if (r == 0)
		cache_begin(*ret_session);
	error_export(err, r < 0 ? &error : &why);
	return r;
}

static void forget_data(struct trnsci_session *session)
{
	pthread_mutex_lock(&session->lock);
	for (struct trnsci_tile *tile = session->tiles; tile; tile = tile->next)
		tile->data = NULL;
	pthread_mutex_unlock(&session->lock);
}

/* A child after fork lacks the parent's threads, and a lock may be held for ever: only descriptors and mappings are
 * released. */
void trnsci_close(struct trnsci_session *session)
{
	if (!session)
		return;
	if (session_check(session, NULL) < 0) {
		session->engine->abandon(session);
		return;
	}
	pthread_mutex_lock(&session->lock);
	session_close_entry(session);
	pthread_mutex_unlock(&session->lock);
	session->engine->stop(session);
	forget_data(session);
	tile_free_pooled(session); /* after that other threads put none there */
	cache_end(session);
	session_unref(session);
}

int trnsci_session_describe(struct trnsci_session *session, struct trnsci_session_info *ret_info)
{
	struct trnsci_session_info info = {.address = session ? session->address : NULL};
	int r = session ? session_get_connection(session, &info.restarts, NULL) : -ERROR_CLOSED;

	if (session)
		info.embedded = session->engine->shares_memory;
	*ret_info = info;
	return r;
}
