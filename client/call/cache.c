/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of a few slots, found by the hash of a key. A slot is emptied while its call runs, by one exchange: a call is in one slot
 * or in the hands of one thread, so no lock is needed, and nobody frees what another thread runs. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "prepare.h"
#include "run.h"
#include "session/public_error.h"
#include "session/tile.h"
#include "span.h"

enum {
	SETS = 32, /* powers of two, both: 128 calls a session */
	WAYS = 4,  /* two keys that take turns do not push each other out */
	SEEN_SETS = 512,
};

struct cached_call {
	struct trnsci_call *call; /* owned; NULL: the key cannot be cached */
	bool failed;              /* it is not put back */
	uint64_t hash;            /* of the words */
	size_t n_words;
	uint64_t words[];         /* the key; constant */
};

/* `hash` is a hint, read and written without order: find_cached compares the whole key once it has the call. `call` is taken by an
 * exchange (acquire) and put back by one (release), so the next thread sees what the last one has written into it. */
struct slot {
	_Atomic uint64_t hash; /* of the call that is in it, or that was taken out last */
	_Atomic(struct cached_call *) call; /* NULL: none, or it is running */
};

struct cache {
	struct slot sets[SETS][WAYS];
	_Atomic unsigned next_way[SETS]; /* whose call goes when all have one */
	_Atomic uint32_t seen[SEEN_SETS][2]; /* parts of the hashes of keys that came once, the latest first; 0: none */
};

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

static void cached_call_free(struct cached_call *cached)
{
	if (cached)
		trnsci_call_free(cached->call);
	free(cached);
}

/* Returns whether the engine here has prepared the call, and runs it in its caller's thread. */
static bool prepare_embedded(struct trnsci_call *call, const struct call_key *key)
{
	uint32_t handles[ARGS_SWAPS];

	if (!args_are_good(&call->args))
		return false;
	prepare_ask(call);

	const struct prepared *prepared = call->preparation.inline_prepared;

	return prepared && prepared_is_small(prepared) && find_handles(call->session, key, handles) &&
	       prepared_names(prepared, handles, key->n_tiles);
}

/* NULL: there is no memory. */
static struct cached_call *cached_call_new(const struct trnsci_session *session, const struct call_key *key, uint64_t hash,
					   const struct cached_request *request)
{
	struct cached_call *cached = calloc(1, sizeof *cached + key->n * sizeof *key->words);
	struct error ignored;

	if (!cached)
		return NULL;
	cached->hash = hash;
	cached->n_words = key->n;
	memcpy(cached->words, key->words, key->n * sizeof *key->words);
	if (request->make(request->arg, &cached->call, &ignored) < 0)
		cached->call = NULL;
	if (cached->call && session->engine->prepare && !prepare_embedded(cached->call, key)) {
		trnsci_call_free(cached->call);
		cached->call = NULL;
	}
	return cached;
}

/* ---- taking and giving back ---- */

/* Takes the call of that key out of its slot. Returns NULL if there is none, or another thread runs it. */
static struct cached_call *find_cached(struct cache *cache, const struct call_key *key, uint64_t hash)
{
	struct slot *set = cache->sets[hash % SETS];

	for (size_t i = 0; i < WAYS; i++) {
		struct cached_call *cached = NULL;

		if (atomic_load_explicit(&set[i].hash, memory_order_relaxed) == hash &&
		    atomic_load_explicit(&set[i].call, memory_order_relaxed))
			cached = atomic_exchange_explicit(&set[i].call, NULL, memory_order_acquire);
		if (cached && cached->hash == hash && cached->n_words == key->n &&
		    memcmp(cached->words, key->words, key->n * sizeof *key->words) == 0)
			return cached;
		cached_call_free(cached); /* another key of the same hash */
	}
	return NULL;
}

/* Returns whether the key came before, and notes that it came. */
static bool was_seen(struct cache *cache, uint64_t hash)
{
	_Atomic uint32_t *set = cache->seen[hash / SETS % SEEN_SETS];
	const uint32_t fingerprint = (uint32_t)(hash >> 32) | 1, latest = atomic_load_explicit(&set[0], memory_order_relaxed);

	if (latest == fingerprint || atomic_load_explicit(&set[1], memory_order_relaxed) == fingerprint)
		return true;
	atomic_store_explicit(&set[1], latest, memory_order_relaxed);
	atomic_store_explicit(&set[0], fingerprint, memory_order_relaxed);
	return false;
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

/* Into the slot that it was taken from, an empty one, or in the place of another. */
static void give_back(struct trnsci_session *session, struct cached_call *cached)
{
	struct cache *cache = session->cache;
	const size_t which = cached->hash % SETS;
	struct slot *set = cache->sets[which];
	struct cached_call *none = NULL;
	size_t i;

	if (cached->failed) {
		cached_call_free(cached);
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
		i = atomic_fetch_add_explicit(&cache->next_way[which], 1, memory_order_relaxed) % WAYS;
		atomic_store_explicit(&set[i].hash, cached->hash, memory_order_relaxed);
		cached_call_free(atomic_exchange_explicit(&set[i].call, cached, memory_order_acq_rel));
	}
}

/* The key has the identities of its tiles afterwards. */
static struct cached_call *take_call(struct trnsci_session *session, struct call_key *key, const struct cached_request *request)
{
	struct cached_call *cached;
	uint64_t hash;

	if (!session->cache || !add_identities(session, key) || key->n > KEY_WORDS)
		return NULL;
	hash = hash_key(key);
	cached = find_cached(session->cache, key, hash);
	if (!cached && was_seen(session->cache, hash))
		cached = cached_call_new(session, key, hash, request);
	if (cached && !cached->call) {
		give_back(session, cached);
		return NULL;
	}
	return cached;
}

/* ---- running ---- */

static struct prepared_changes changes_of(const struct trnsci_source *source)
{
	if (!source)
		return (struct prepared_changes){.given = 0};
	return (struct prepared_changes){
		.given = PREPARED_SEED | PREPARED_STREAM | PREPARED_OFFSET | (source->position ? PREPARED_POSITION : 0u),
		.seed = source->seed,
		.stream = source->stream,
		.offset = source->offset,
		.position = source->position,
	};
}

/* Runs a prepared call in this thread. Returns the reply, or NULL. */
static const struct value *run_embedded(const struct trnsci_call *call, const struct call_key *key, const struct cached_request *request)
{
	struct prepared_changes changes = changes_of(request->source);
	void *memory[PARAM_TILE_MEMORY];
	uint32_t handles[ARGS_SWAPS];
	size_t n = 0;

	if (!find_handles(call->session, key, handles))
		return NULL;
	if (request->in)
		memory[n++] = request->in->data;
	if (request->out)
		memory[n++] = request->out->data;
	changes.memory = memory;
	changes.tiles = handles;
	changes.n_tiles = key->n_tiles;
	return prepared_rerun(call->preparation.inline_prepared, &changes);
}

/* An error of a run that was not done is for a call that is made anew to report, in its own words. */
static int run_sent(struct cached_call *cached, const struct trnsci_source *source, struct error *err)
{
	int r;

	cached->call->changes.run = changes_of(source);
	r = call_run_and_keep(cached->call);
	cached->failed = r < 0;
	if (r == 0)
		return 0;
	if (r != -ERROR_CLOSED && r != -ERROR_TIMEOUT && r != -ERROR_CANCELLED)
		return 1;
	return error_import(err, &cached->call->answer.error);
}

static int copy_results(const struct trnsci_call *call, const struct trnsci_array *out, struct error *err)
{
	struct trnsci_array array;

	if (call->lent[0])
		return tile_read_answer(call->lent[0], call->connection, out->data, false, err);
	if (trnsci_value_to_array(trnsci_call_reply(call), &array) < 0 || array.dtype != out->dtype || array.bytes != array_bytes(out))
		return 1;
	memcpy(out->data, array.data, array.bytes);
	return 0;
}

/* Results that come often in the reply get a tile, by which they can come through the queue. */
static void lend_tile(struct trnsci_call *call, const struct cached_request *request)
{
	struct error ignored;

	if (request->lend && call->ladder.lacks_tile && !call->lent[0] && request->lend(call, "out", request->out, &ignored) < 0)
		call->ladder.lacks_tile = false;
}

static int run_by_daemon(struct cached_call *cached, const struct cached_request *request, struct error *err)
{
	struct trnsci_call *call = cached->call;
	uint64_t connection = 0;
	int r = 0;

	if (request->source && request->source->position) /* a run cannot state it */
		return 1;
	lend_tile(call, request);
	if (request->in)
		r = tile_write(call_input_tile(call), request->in->data, &connection, err);
	if (r == 0)
		r = run_sent(cached, request->source, err);
	if (r == 0 && request->in && call->connection != connection)
		return 1;
	return r == 0 && request->out ? copy_results(call, request->out, err) : r;
}

static int run_cached(struct cached_call *cached, const struct call_key *key, const struct cached_request *request, struct error *err)
{
	const struct value *reply;
	int r;

	if (cached->call->preparation.inline_prepared) {
		reply = run_embedded(cached->call, key, request);
		r = reply ? 0 : 1;
	} else {
		r = run_by_daemon(cached, request, err);
		reply = cached->call->answer.reply;
	}
	if (r == 0 && request->ret_span)
		r = span_read((const struct trnsci_value *)(const void *)reply, request->method, request->ret_span, err);
	return r;
}

int cache_run(struct trnsci_session *session, const struct cached_request *request, struct error *err)
{
	struct cached_call *cached;
	struct call_key key;
	int r = session_check_and_enter(session, err);

	if (r < 0)
		return r;
	call_key_make(&key, request);
	cached = take_call(session, &key, request);
	r = 1;
	if (cached) {
		r = run_cached(cached, &key, request, err);
		give_back(session, cached);
	}
	session_leave(session);
	return r;
}

void cache_begin(struct trnsci_session *session)
{
	session->cache = calloc(1, sizeof *session->cache);
}

void cache_empty(struct trnsci_session *session)
{
	for (size_t i = 0; session->cache && i < SETS * WAYS; i++)
		cached_call_free(atomic_exchange(&session->cache->sets[i / WAYS][i % WAYS].call, NULL));
}

void cache_end(struct trnsci_session *session)
{
	cache_empty(session);
	free(session->cache);
	session->cache = NULL;
}
