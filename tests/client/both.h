/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon for a program's tests, each of which runs with it and with the embedded engine. */
#ifndef TESTS_CLIENT_BOTH_H
#define TESTS_CLIENT_BOTH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "harness/daemon.h"

static struct daemon trnscid;

static inline struct trnsci_session *open_with(const char *address, const struct trnsci_options *options)
{
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};

	if (trnsci_open(address, options, &session, &err) < 0)
		fail_msg("trnsci_open %s: %s", address, err.text);
	return session;
}

static inline struct trnsci_session *open_at(const char *address)
{
	return open_with(address, NULL);
}

static inline void with_both(void (*check)(struct trnsci_session *session))
{
	const char *const addresses[] = {"embedded:", trnscid.socket};

	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);

		check(session);
		trnsci_close(session);
	}
}

/* check_by_both is a test that runs check with both. */
#define BOTH(check)                                                                                                    \
	static void check##_by_both(void **state)                                                                      \
	{                                                                                                              \
		(void)state;                                                                                           \
		with_both(check);                                                                                      \
	}

static inline int start(void **state)
{
	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	return 0;
}

/* The daemon must have ended well. */
static inline int stop(void **state)
{
	(void)state;
	daemon_stop(&trnscid);
	return 0;
}

static inline struct trnsci_tile *new_tile(struct trnsci_session *session, enum trnsci_dtype dtype,
					   uint64_t n)
{
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err = {0};

	if (trnsci_tile_new(session, dtype, 1, &n, &tile, &err) < 0)
		fail_msg("trnsci_tile_new: %s", err.text);
	return tile;
}

static inline void assert_runs(struct trnsci_call *call)
{
	int r = trnsci_run(call, NULL);

	if (r < 0)
		fail_msg("expected 0, got %d: %s", r, trnsci_call_error(call)->text);
}

/* map: daemon, engine or session. */
static inline uint64_t stat_of(struct trnsci_session *session, const char *map, const char *name)
{
	struct trnsci_call *call;
	uint64_t number = 0;

	assert_int_equal(trnsci_call_new(session, "stats", &call), 0);
	assert_runs(call);
	assert_int_equal(trnsci_value_to_u64(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), map), name), &number), 0);
	trnsci_call_free(call);
	return number;
}

/* Runs a draw at the offsets 0, 1 and so on. Returns whether each run was answered, with its own offset. For any thread. */
static inline bool runs_at_offsets(struct trnsci_call *call, uint64_t runs)
{
	for (uint64_t i = 0; i < runs; i++) {
		const struct trnsci_param offset[] = {trnsci_param_u64("offset", i), trnsci_param_end()};
		struct trnsci_span span;

		if (trnsci_run(call, offset) < 0 || trnsci_call_span(call, &span) < 0 || span.offset != i)
			return false;
	}
	return true;
}

static inline void ping(struct trnsci_session *session)
{
	struct trnsci_call *call;
	uint64_t back = 0;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	assert_null(trnsci_call_reply(call));
	assert_true(trnsci_wait(call, 0) < 0); /* never sent */
	for (uint64_t i = 0; i < 3; i++) {     /* a call may be run again */
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("payload", UINT64_MAX - i));
		assert_runs(call);
		assert_int_equal(trnsci_value_to_u64(trnsci_value_get(trnsci_call_reply(call), "payload"), &back), 0);
		assert_true(back == UINT64_MAX - i);
	}
	trnsci_call_free(call);
}

#endif
