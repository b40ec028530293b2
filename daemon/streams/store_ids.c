/* SPDX-License-Identifier: Apache-2.0 */
/* The ids that were assigned: a counter for each seed, and the ids beyond it that users chose. */
#include <inttypes.h>

#include "store_core.h"

int store_put_seed(struct store *store, const struct store_seed *row, const struct store_seed *old, struct error *err)
{
	sqlite3_stmt *put = store_statement(store, STATEMENT_SEED_PUT);
	int r;

	store_bind_stream(store, put, &row->stream, true);
	if (row->ended)
		store_bind_text(store, put, 3, "");
	store_bind_number(store, put, 4, row->uid);
	store_bind_hash(store, put, 5, store_hash_seed(row));
	r = store_step(store, put, err);
	if (r == 0)
		store->sum += store_hash_seed(row) - (old ? store_hash_seed(old) : 0);
	return r;
}

int store_put_taken(struct store *store, const struct store_taken *row, struct error *err)
{
	sqlite3_stmt *put = store_statement(store, STATEMENT_TAKEN_PUT);
	int r;

	store_bind_stream(store, put, &row->stream, true);
	store_bind_number(store, put, 4, row->uid);
	store_bind_hash(store, put, 5, store_hash_taken(row));
	r = store_step(store, put, err);
	if (r == 0)
		store->sum += store_hash_taken(row);
	return r;
}

/* Returns 1 if the id was chosen, with the hash of its row; 0 if not; or an error. */
static int is_taken(struct store *store, const struct stream *stream, uint64_t *ret_hash, struct error *err)
{
	sqlite3_stmt *get = store_statement(store, STATEMENT_TAKEN_GET);

	store_bind_stream(store, get, stream, true);
	return store_read_hash(store, get, ret_hash, err);
}

static int remove_taken(struct store *store, const struct stream *stream, uint64_t hash, struct error *err)
{
	sqlite3_stmt *remove = store_statement(store, STATEMENT_TAKEN_REMOVE);
	int r;

	store_bind_stream(store, remove, stream, true);
	r = store_step(store, remove, err);
	if (r == 0)
		store->sum -= hash;
	return r;
}

unsigned store_repair_bits(const struct stream *stream)
{
	return generator_row(stream->generator)->most_stream == UINT64_MAX ? 40 : 24;
}

/* Finds the first id of a new seed. Each repair may have lost seeds, so each leaves some ids of every seed unused. Stream 0 is
 * the default of plain draws. */
static int first_id(const struct store *store, const struct stream *stream, uint64_t *ret_id, struct error *err)
{
	const uint64_t most = generator_row(stream->generator)->most_stream;
	const unsigned bits = store_repair_bits(stream);

	if (store->head.repairs > most >> bits)
		return error_set(err, ERROR_OUT_OF_RANGE, "stream_create: seed: the ids of a new seed have been used up by repairs");
	*ret_id = (store->head.repairs << bits) + 1;
	return 0;
}

/* Returns 1 if the seed is known; 0 with its first id in *ret if not; or an error. */
static int get_seed(struct store *store, const struct stream *stream, struct store_seed *ret, struct error *err)
{
	sqlite3_stmt *get = store_statement(store, STATEMENT_SEED_GET);
	struct store_single row;
	int r;

	*ret = (struct store_seed){.stream = *stream};
	store_bind_stream(store, get, stream, false);
	r = store_read_single(store, get, &row, err);
	if (r < 0)
		return r;
	if (!row.found)
		return first_id(store, stream, &ret->stream.stream, err);
	ret->uid = (uint32_t)row.number;
	ret->ended = row.text[0] == '\0';
	ret->stream.stream = 0;
	if (!ret->ended && sscanf(row.text, "%" SCNu64, &ret->stream.stream) != 1)
		return store_fail(store, SQLITE_CORRUPT, err);
	return 1;
}

/* Adds the number of a statement that always has a row. */
static int add_number(struct store *store, sqlite3_stmt *get, uint64_t *ret_sum, struct error *err)
{
	int rc = store_step_row(store, get);

	if (rc == SQLITE_ROW)
		*ret_sum += (uint64_t)sqlite3_column_int64(get, 0);
	if (get)
		sqlite3_reset(get);
	return rc == SQLITE_ROW ? 0 : store_fail(store, rc, err);
}

static int count_of(struct store *store, enum store_statement which, uint32_t uid, uint64_t *ret_sum, struct error *err)
{
	sqlite3_stmt *count = store_statement(store, which);

	store_bind_number(store, count, 1, uid);
	return add_number(store, count, ret_sum, err);
}

/* Checks the user's limit before a row is added that is never removed. */
static int check_user(struct store *store, uint32_t uid, uint64_t most, struct error *err)
{
	uint64_t has = 0;
	int r = count_of(store, STATEMENT_SEEDS_OF, uid, &has, err);

	if (r == 0)
		r = count_of(store, STATEMENT_TAKEN_OF, uid, &has, err);
	if (r < 0)
		return r;
	return has < most ? 0
			  : error_set(err, ERROR_LIMIT,
				      "stream_create: seed: the user has given %" PRIu64
				      " seeds and ids to streams, allowed: the setting stream_seeds = %" PRIu64,
				      has, most);
}

static int assign_wanted(struct store *store, const struct store_seed *seed, const struct stream *stream, uint32_t uid,
			 uint64_t most_seeds, struct error *err)
{
	uint64_t hash;
	int r = is_taken(store, stream, &hash, err);

	if (r < 0)
		return r;
	if (store->head.repairs)
		return error_set(err, ERROR_EXISTS,
				 "stream_create: stream: the state was repaired or restored and does not know which ids have been "
				 "assigned, allowed: none");
	/* Stream 0 is below every counter: only a row of its own shows that it was chosen. */
	if (r == 1 || (stream->stream != 0 && (seed->ended || stream->stream < seed->stream.stream)))
		return error_set(err, ERROR_EXISTS,
				 "stream_create: stream: %" PRIu64 " has been assigned, allowed: one that no name ever had",
				 stream->stream);
	r = check_user(store, uid, most_seeds, err);
	return r < 0 ? r : store_put_taken(store, &(struct store_taken){*stream, uid}, err);
}

/* Skips ids that users chose, and removes their rows: the counter covers them from now on. */
static int skip_taken(struct store *store, struct stream *next, struct error *err)
{
	const uint64_t most = generator_row(next->generator)->most_stream;
	uint64_t hash = 0;
	int r;

	while ((r = is_taken(store, next, &hash, err)) == 1) {
		r = remove_taken(store, next, hash, err);
		if (r < 0)
			return r;
		if (next->stream == most)
			return 1;
		next->stream++;
	}
	return r;
}

static int assign_next(struct store *store, const struct store_seed *seed, bool known, struct stream *stream,
		       uint32_t uid, uint64_t most_seeds, struct error *err)
{
	const uint64_t most = generator_row(stream->generator)->most_stream;
	struct store_seed after = *seed;
	int r = seed->ended ? 1 : skip_taken(store, &after.stream, err);

	if (r == 0 && !known) {
		after.uid = uid;
		r = check_user(store, uid, most_seeds, err);
	}
	if (r < 0)
		return r;
	if (r == 1)
		return error_set(err, ERROR_OUT_OF_RANGE, "stream_create: seed: all its stream ids to %" PRIu64
				 " have been assigned, allowed: another seed", most);
	*stream = after.stream;
	after.ended = stream->stream == most;
	after.stream.stream = after.ended ? 0 : stream->stream + 1;
	return store_put_seed(store, &after, known ? seed : NULL, err);
}

int store_assign(struct store *store, struct stream *stream, bool wanted, uint32_t uid, uint64_t most_seeds,
		 struct error *err)
{
	struct store_seed seed;
	int known = get_seed(store, stream, &seed, err);

	if (known < 0)
		return known;
	return wanted ? assign_wanted(store, &seed, stream, uid, most_seeds, err)
		      : assign_next(store, &seed, known, stream, uid, most_seeds, err);
}
