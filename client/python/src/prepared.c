/* SPDX-License-Identifier: Apache-2.0 */
/* Short transforms that come again and again: calls that the engine has compiled, with tiles of their own.
 *
 * transform.c asks prepared_run first, and offers with prepared_offer what it had to compute otherwise:
 *
 *     first time     no place: computed by trnsci_apply_array; its key takes a place
 *     second time    a place without a call: computed likewise; then the call is made
 *     from then on   prepared_run: copies in, runs, copies out
 *
 * A prepared call costs half of what it costs to name an operation and its parameters. It is made when the same transform
 * comes for the second time, runs under Python's lock (so that one thread uses its tiles), and is kept until others have
 * taken its place. Embedded engines only: there a run neither waits nor fails for want of a daemon. */
#include "prepared.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 16 }; /* looked through one by one */

/* One transform. Without a call it has come once. */
struct prepared {
	struct transform_key key;
	struct session_object *session; /* a reference: the call and the tiles are of its session */
	unsigned fork_count;            /* forks when it was made; in a child it is not used */
	uint64_t used;                  /* the clock at its last use; 0: a free place */
	struct trnsci_call *call;
	struct trnsci_tile *in, *out;
	size_t in_bytes, out_bytes;
};

/* Under Python's lock. */
struct prepared_calls {
	uint64_t clock; /* counts uses */
	struct prepared *last; /* the one used last, which is the next most often */
	struct prepared kept[KEPT];
};

static bool is_for(const struct prepared *prepared, const struct transform_key *key,
		   const struct session_object *session)
{
	return prepared->used && prepared->session == session && prepared->fork_count == forks() &&
	       memcmp(&prepared->key, key, sizeof *key) == 0;
}

/* In a forked child the call and its tiles are the parent's, and stay. */
static void drop_prepared(struct prepared *prepared)
{
	if (prepared->used && prepared->fork_count == forks()) {
		trnsci_call_free(prepared->call);
		trnsci_tile_free(prepared->in);
		trnsci_tile_free(prepared->out);
	}
	Py_CLEAR(prepared->session);
	*prepared = (struct prepared){.used = 0};
}

void prepared_free(struct prepared_calls *calls)
{
	for (int i = 0; calls && i < KEPT; i++)
		drop_prepared(&calls->kept[i]);
	free(calls);
}

/* Finds the transform's place, or empties the one that was not used for the longest time. */
static struct prepared *find_place(struct prepared_calls *calls, const struct transform_key *key,
			     struct session_object *session)
{
	struct prepared *oldest = &calls->kept[0];

	if (calls->last && is_for(calls->last, key, session))
		return calls->last;
	for (int i = 0; i < KEPT; i++) {
		if (is_for(&calls->kept[i], key, session))
			return &calls->kept[i];
		if (calls->kept[i].used < oldest->used)
			oldest = &calls->kept[i];
	}
	drop_prepared(oldest);
	oldest->key = *key;
	oldest->session = (struct session_object *)Py_NewRef((PyObject *)session);
	oldest->fork_count = forks();
	return oldest;
}

static size_t bytes_of(const struct trnsci_tile *tile)
{
	struct trnsci_tile_info info;

	trnsci_tile_describe(tile, &info);
	return info.bytes;
}

static int new_tile(struct trnsci_session *handle, const struct trnsci_array *array, struct trnsci_tile **ret_tile)
{
	return trnsci_tile_new(handle, array->dtype, array->ndim, array->shape, ret_tile, NULL);
}

/* What fails here is only not prepared: the caller then computes without it, and sees the error. */
static bool prepare_call(struct prepared *prepared, struct trnsci_session *handle, const char *operation,
		    const struct trnsci_param *params, const struct trnsci_array *in, const struct trnsci_array *out)
{
	if (new_tile(handle, in, &prepared->in) < 0 || new_tile(handle, out, &prepared->out) < 0 ||
	    trnsci_call_new(handle, operation, &prepared->call) < 0)
		return false;
	struct trnsci_args *args = trnsci_call_args(prepared->call);

	trnsci_set_params(args, params);
	trnsci_set(args, trnsci_param_tile("in", prepared->in));
	trnsci_set(args, trnsci_param_tile("out", prepared->out));
	prepared->in_bytes = bytes_of(prepared->in);
	prepared->out_bytes = bytes_of(prepared->out);
	return true;
}

static struct prepared_calls *calls_of(struct module_state *state)
{
	if (!state->prepared)
		state->prepared = calloc(1, sizeof *state->prepared);
	return state->prepared;
}

bool prepared_run(struct module_state *state, struct session_object *session, const struct transform_key *key,
		  const void *in, void *out)
{
	struct prepared_calls *calls = calls_of(state);
	struct prepared *prepared = calls ? find_place(calls, key, session) : NULL;

	if (!prepared || !prepared->call)
		return false;
	prepared->used = ++calls->clock;
	calls->last = prepared;
	memcpy(trnsci_tile_data(prepared->in), in, prepared->in_bytes);
	if (trnsci_run(prepared->call, NULL) < 0)
		return false;
	memcpy(out, trnsci_tile_data(prepared->out), prepared->out_bytes);
	return true;
}

void prepared_offer(struct module_state *state, struct session_object *session, const struct transform_key *key,
		    const char *operation, const struct trnsci_param *params, const struct trnsci_array *in,
		    const struct trnsci_array *out)
{
	struct prepared_calls *calls = calls_of(state);
	struct prepared *prepared = calls ? find_place(calls, key, session) : NULL;

	if (!prepared || prepared->call)
		return;
	const bool again = prepared->used;

	prepared->used = ++calls->clock;
	if (again && !prepare_call(prepared, session->handle, operation, params, in, out))
		drop_prepared(prepared);
}
