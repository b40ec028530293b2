/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of a few slots, found by the hash of a key. A slot is emptied while its call runs, by one exchange: a call is in one slot
 * or in the hands of one thread, so no lock is needed, and nobody frees what another thread runs. Two threads with the same
 * key each have a call of their own. */
#include "cached_call.h"

#include <stdlib.h>
#include <string.h>

#include "call/queued_call.h"
#include "call/run.h"
#include "queue_call.h"
#include "session/public_error.h"
#include "session/tile.h"

enum {
	SETS = 32, /* powers of two, both: 128 calls a session */
	WAYS = 4,
	SEEN_SETS = 64, /* powers of two, both: 256 keys that came once are remembered */
	SEEN_WAYS = 4,
};

struct cached_call {
	const struct trnsci_session *session;
	struct prepared *prepared; /* embedded: owned; released with the call */
	struct trnsci_call *call;  /* with a daemon; freed with the cached one */
	bool failed;               /* it is not put back */
	uint64_t hash;             /* of the words */
	size_t n_words;
	uint64_t words[];          /* the key; constant */
};

/* `hash` is a hint, read and written without order: find_cached compares the whole key once it has the call. `call` is taken by an
 * exchange (acquire) and put back by one (release), so the next thread sees what the last one has written into it. */
struct slot {
	_Atomic uint64_t hash; /* of the call that is in it, or that was taken out last */
	_Atomic(struct cached_call *) call; /* NULL: none, or it is running */
};

struct cached_calls {
	struct slot sets[SETS][WAYS];
	_Atomic unsigned next_way[SETS]; /* whose call goes when all have one */
	/* By hash: half of the hash of a key that came once; its complement, if it cannot be cached; 0: none yet. Sets, so that two
	 * keys that take turns do not push each other out for ever. */
	_Atomic uint32_t seen[SEEN_SETS][SEEN_WAYS];
	_Atomic unsigned next_seen; /* the way that goes when all have one */
};

/* ---- keys ---- */

void call_key_add(struct call_key *key, uint64_t word)
{
	if (key->n < KEY_WORDS)
		key->words[key->n] = word;
	key->n++;
}

/* With its size, so that no two keys have the same words. */
static void add_bytes(struct call_key *key, const void *bytes, size_t size)
{
	const size_t words = size / 8 + 1;

	if (words > KEY_WORDS || key->n > KEY_WORDS - words) {
		key->n = KEY_WORDS + 1;
		return;
	}
	key->words[key->n + words - 1] = 0;
	memcpy(&key->words[key->n], bytes, size);
	((unsigned char *)&key->words[key->n])[8 * words - 1] = (unsigned char)(size % 8 + 1);
	key->n += words;
}

void call_key_add_text(struct call_key *key, const char *text)
{
	add_bytes(key, text ? text : "", text ? strlen(text) : 0);
}

void call_key_begin(struct call_key *key, const char *method)
{
	key->n = key->n_tiles = 0;
	call_key_add_text(key, method);
}

/* A tile that comes again is the same one in every run. */
void call_key_add_tile(struct call_key *key, const struct trnsci_tile *tile)
{
	size_t i = 0;

	while (i < key->n_tiles && key->tiles[i] != tile)
		i++;
	if (!tile || i == ARGS_SWAPS) {
		key->n = KEY_WORDS + 1;
		return;
	}
	key->tiles[i] = tile;
	key->n_tiles += i == key->n_tiles;
	call_key_add(key, i << 32 | tile->dtype);
	add_bytes(key, tile->shape, tile->ndim * sizeof *tile->shape);
}

/* Such a call is refused when it is made. */
static bool is_missing(const struct trnsci_param *param)
{
	const bool points = param->kind >= TRNSCI_PARAM_TEXT && param->kind <= TRNSCI_PARAM_F64S;

	return points && !param->value.data && (param->count || param->kind == TRNSCI_PARAM_TEXT);
}

static void add_value(struct call_key *key, const struct trnsci_param *param)
{
	if (is_missing(param)) {
		key->n = KEY_WORDS + 1;
		return;
	}
	switch (param->kind) {
	case TRNSCI_PARAM_U64:
	case TRNSCI_PARAM_I64:
	case TRNSCI_PARAM_F64:
		call_key_add(key, param->value.u64);
		break;
	case TRNSCI_PARAM_BOOL:
		call_key_add(key, param->value.boolean);
		break;
	case TRNSCI_PARAM_TEXT:
		call_key_add_text(key, param->value.text);
		break;
	case TRNSCI_PARAM_BYTES:
		add_bytes(key, param->value.data, param->count);
		break;
	case TRNSCI_PARAM_U64S:
	case TRNSCI_PARAM_I64S:
	case TRNSCI_PARAM_F64S:
		add_bytes(key, param->value.data, param->count <= KEY_WORDS ? 8 * param->count : 8 * KEY_WORDS);
		break;
	case TRNSCI_PARAM_TILE:
	case TRNSCI_PARAM_TILE_ELEMENTS:
		call_key_add_tile(key, param->value.tile);
		break;
	default:
		key->n = KEY_WORDS + 1;
	}
}

void call_key_add_params(struct call_key *key, const struct trnsci_param *params)
{
	for (; params && params->kind != TRNSCI_PARAM_END; params++) {
		call_key_add(key, (uint64_t)params->kind << 32 | (uint32_t)params->count);
		call_key_add_text(key, params->name);
		add_value(key, params);
	}
	call_key_add(key, TRNSCI_PARAM_END);
}

void call_key_add_array(struct call_key *key, const struct trnsci_array *array)
{
	call_key_add(key, (uint64_t)array->dtype << 32 | array->ndim);
	for (size_t i = 0; i < array->ndim && i < TRNSCI_MAX_DIMS; i++)
		call_key_add(key, array->shape[i]);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 29;
}

/* With the thread, so that each has calls of its own. */
static uint64_t hash_key(const struct call_key *key)
{
	uint64_t hash = mix(key->n, (uint64_t)(uintptr_t)pthread_self());

	for (size_t i = 0; i < key->n; i++)
		hash = mix(hash, key->words[i]);
	return mix(hash, 0);
}

/* ---- tiles ---- */

/* Reads the handles that the key's tiles have now. Returns false if one is lost or of another session. */
static bool find_handles(const struct trnsci_session *session, const struct call_key *key, uint32_t handles[ARGS_SWAPS])
{
	for (size_t i = 0; i < key->n_tiles; i++) {
		handles[i] = (uint32_t)tile_handle(key->tiles[i]);
		if (handles[i] == 0 || key->tiles[i]->session != session)
			return false;
	}
	return true;
}

/* ---- making ---- */

static void cached_call_free(struct trnsci_session *session, struct cached_call *cached)
{
	if (!cached)
		return;
	if (cached->call)
		trnsci_call_free(cached->call);
	else
		session->engine->release(session, cached->prepared);
	free(cached);
}

/* Takes over the call. Returns -ERROR_NOT_SUPPORTED if it cannot be prepared, or is none that runs in its caller's thread. */
static int prepare_cached(struct trnsci_session *session, const struct call_key *key, struct trnsci_call *call, struct cached_call *cached)
{
	uint32_t handles[ARGS_SWAPS];
	int r = !args_are_good(&call->args) ? -ERROR_BAD_TILE : session->engine->prepare(call, &cached->prepared);

	trnsci_call_free(call);
	if (r == 0 && !(prepared_is_small(cached->prepared) && find_handles(session, key, handles) &&
			prepared_names(cached->prepared, handles, key->n_tiles))) {
		session->engine->release(session, cached->prepared);
		r = -ERROR_NOT_SUPPORTED;
	}
	return r;
}

/* NULL: there is none that can be cached. */
static struct cached_call *cached_call_new(struct trnsci_session *session, const struct call_key *key, uint64_t hash,
				       int (*make)(void *arg, struct trnsci_call **ret_call, struct error *err),
				       void *arg)
{
	struct cached_call *cached = calloc(1, sizeof *cached + key->n * sizeof *key->words);
	struct trnsci_call *call = NULL;
	struct error ignored;
	int r = cached ? make(arg, &call, &ignored) : -ERROR_NO_MEMORY;

	if (r == 0 && session->engine->prepare)
		r = prepare_cached(session, key, call, cached);
	else if (r == 0)
		cached->call = call;
	if (r < 0) {
		free(cached);
		return NULL;
	}
	cached->session = session;
	cached->hash = hash;
	cached->n_words = key->n;
	memcpy(cached->words, key->words, key->n * sizeof *key->words);
	return cached;
}

/* A thread that loses the race takes the winner's. */
static struct cached_calls *cached_calls_of(struct trnsci_session *session)
{
	struct cached_calls *cached = atomic_load_explicit(&session->cached, memory_order_acquire), *none = NULL;

	if (cached)
		return cached;
	cached = calloc(1, sizeof *cached);
	if (!cached || atomic_compare_exchange_strong(&session->cached, &none, cached))
		return cached;
	free(cached);
	return none;
}

/* ---- taking and giving back ---- */

/* Takes the call of that key out of its slot. Returns NULL if there is none, or another thread runs it. */
static struct cached_call *find_cached(struct trnsci_session *session, struct cached_calls *calls, const struct call_key *key,
				   uint64_t hash)
{
	struct slot *set = calls->sets[hash % SETS];

	for (size_t i = 0; i < WAYS; i++) {
		struct cached_call *cached = NULL;

		if (atomic_load_explicit(&set[i].hash, memory_order_relaxed) == hash &&
		    atomic_load_explicit(&set[i].call, memory_order_relaxed))
			cached = atomic_exchange_explicit(&set[i].call, NULL, memory_order_acquire);
		if (cached && cached->hash == hash && cached->n_words == key->n &&
		    memcmp(cached->words, key->words, key->n * sizeof *key->words) == 0)
			return cached;
		cached_call_free(session, cached); /* another key of the same hash */
	}
	return NULL;
}

static uint32_t mark_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

/* Returns the place of a key that came before, or NULL. */
static _Atomic uint32_t *find_seen(struct cached_calls *calls, uint64_t hash)
{
	_Atomic uint32_t *set = calls->seen[hash / SETS % SEEN_SETS];

	for (size_t i = 0; i < SEEN_WAYS; i++) {
		const uint32_t was = atomic_load_explicit(&set[i], memory_order_relaxed);

		if (was == mark_of(hash) || was == ~mark_of(hash))
			return &set[i];
	}
	return NULL;
}

/* In an empty place, or in that of another key. */
static void note_seen(struct cached_calls *calls, uint64_t hash, uint32_t mark)
{
	_Atomic uint32_t *set = calls->seen[hash / SETS % SEEN_SETS];
	size_t i = 0;

	while (i < SEEN_WAYS && atomic_load_explicit(&set[i], memory_order_relaxed) != 0)
		i++;
	if (i == SEEN_WAYS)
		i = atomic_fetch_add_explicit(&calls->next_seen, 1, memory_order_relaxed) % SEEN_WAYS;
	atomic_store_explicit(&set[i], mark, memory_order_relaxed);
}

/* Returns whether it came before and may be cached, and notes that it came now. */
static bool is_seen(struct cached_calls *calls, uint64_t hash)
{
	const _Atomic uint32_t *seen = find_seen(calls, hash);

	if (!seen)
		note_seen(calls, hash, mark_of(hash));
	return seen && atomic_load_explicit(seen, memory_order_relaxed) == mark_of(hash);
}

/* Remembers that a key cannot be prepared, so that not every later run tries it again. */
static void note_refused(struct cached_calls *calls, uint64_t hash)
{
	_Atomic uint32_t *seen = find_seen(calls, hash);

	if (seen)
		atomic_store_explicit(seen, ~mark_of(hash), memory_order_relaxed);
	else
		note_seen(calls, hash, ~mark_of(hash));
}

/* With a daemon a call has its tiles for good: they are part of its key, as addresses, which no other tile has while the call
 * refers to them. */
static bool add_identities(const struct trnsci_session *session, struct call_key *key)
{
	uint32_t handles[ARGS_SWAPS];

	if (session->engine->prepare)
		return true;
	if (!find_handles(session, key, handles))
		return false;
	for (size_t i = 0; i < key->n_tiles; i++)
		call_key_add(key, (uintptr_t)key->tiles[i]);
	return true;
}

struct cached_call *cached_call_take(struct trnsci_session *session, struct call_key *key,
				 int (*make)(void *arg, struct trnsci_call **ret_call, struct error *err), void *arg)
{
	struct cached_calls *calls;
	struct cached_call *cached = NULL;

	if (!add_identities(session, key) || key->n > KEY_WORDS)
		return NULL;
	calls = cached_calls_of(session);
	if (calls) {
		const uint64_t hash = hash_key(key);

		cached = find_cached(session, calls, key, hash);
		if (!cached && is_seen(calls, hash)) {
			cached = cached_call_new(session, key, hash, make, arg);
			if (!cached)
				note_refused(calls, hash);
		}
	}
	return cached;
}

/* In this thread. */
static const struct value *run_embedded(struct cached_call *cached, const struct call_key *key, struct prepared_changes *changes)
{
	uint32_t handles[ARGS_SWAPS];

	if (!find_handles(cached->session, key, handles))
		return NULL;
	changes->tiles = handles;
	changes->n_tiles = key->n_tiles;
	return prepared_rerun(cached->prepared, changes);
}

/* By the daemon. An error of a run that was not done is for a call that is made anew to report, in its own words. */
static int run_sent(struct cached_call *cached, const struct prepared_changes *changes, const struct value **ret_reply, struct error *err)
{
	const struct trnsci_changes sent = {
		.given = changes->given, .seed = changes->seed, .stream = changes->stream, .offset = changes->offset};
	int r;

	if (changes->given & PREPARED_POSITION)
		return 1;
	queue_call_count(cached->call);
	r = call_run_and_keep(cached->call, &sent);
	cached->failed = r < 0;
	if (r == 0)
		*ret_reply = cached->call->answer.reply;
	else if (r != -ERROR_CLOSED && r != -ERROR_TIMEOUT && r != -ERROR_CANCELLED)
		return 1;
	else
		error_import(err, &cached->call->answer.error);
	return r;
}

int cached_call_run(struct cached_call *cached, const struct call_key *key, struct prepared_changes *changes, const struct value **ret_reply,
		  struct error *err)
{
	if (cached->call)
		return run_sent(cached, changes, ret_reply, err);
	*ret_reply = run_embedded(cached, key, changes);
	return *ret_reply ? 0 : 1;
}

bool cached_call_had_reply(const struct cached_call *cached)
{
	const struct trnsci_call *call = cached->call;
	const struct queued_call *queued = call ? call->queue.slot : NULL;
	bool had;

	if (!queued || call->answer.reply != &queued->reply || !queued->own)
		return true;
	atomic_thread_fence(memory_order_acquire); /* the look comes after the copying */
	pthread_mutex_lock(&call->session->lock);
	had = call->session->engine->tile_was_there(queued->own, queued->connection);
	pthread_mutex_unlock(&call->session->lock);
	return had;
}

/* Into the slot that it was taken from, an empty one, or in the place of another. */
void cached_call_give(struct trnsci_session *session, struct cached_call *cached)
{
	struct cached_calls *calls = atomic_load_explicit(&session->cached, memory_order_acquire);
	const size_t which = cached->hash % SETS;
	struct slot *set = calls->sets[which];
	struct cached_call *none = NULL;
	size_t i;

	if (cached->failed) {
		cached_call_free(session, cached);
		return;
	}
	for (i = 0; i < WAYS; i++, none = NULL) {
		if (atomic_load_explicit(&set[i].call, memory_order_relaxed))
			continue;
		atomic_store_explicit(&set[i].hash, cached->hash, memory_order_relaxed);
		if (atomic_compare_exchange_strong_explicit(&set[i].call, &none, cached, memory_order_release,
							    memory_order_relaxed))
			break;
	}
	if (i == WAYS) {
		i = atomic_fetch_add_explicit(&calls->next_way[which], 1, memory_order_relaxed) % WAYS;
		atomic_store_explicit(&set[i].hash, cached->hash, memory_order_relaxed);
		cached_call_free(session, atomic_exchange_explicit(&set[i].call, cached, memory_order_acq_rel));
	}
}

void cached_calls_free(struct trnsci_session *session)
{
	struct cached_calls *calls = atomic_exchange(&session->cached, NULL);

	for (size_t i = 0; calls && i < SETS * WAYS; i++)
		cached_call_free(session, atomic_load(&calls->sets[i / WAYS][i % WAYS].call));
	free(calls);
}
