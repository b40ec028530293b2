/* SPDX-License-Identifier: Apache-2.0 */
/* Requests on named streams, and who may make them. Changes are queued for the committer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stats.h"
#include "stream_signal.h"
#include "streams_core.h"

#define REOPEN_EVERY_NS 1000000000ull /* the whole state is read each time */

static int fail_memory(const struct streams_who *who, struct deferred_reply *deferred)
{
	return error_set(deferred->error, ERROR_NO_MEMORY, "%s: no memory", who->operation);
}

/* ---- who may ---- */

/* Replies with the trouble. Some causes pass (no memory, an unreadable disk), so the committer tries to open the state again,
 * once a second at most, for later requests. This one fails: it must not wait for a disk. */
static int fail_trouble(struct streams *streams, struct deferred_reply *deferred)
{
	const uint64_t now = stats_now_ns();

	if (!streams->damaged && !streams->reopen && now - streams->reopened_ns > REOPEN_EVERY_NS) {
		streams->reopened_ns = now;
		streams->reopen = true;
		pthread_cond_signal(&streams->wake);
	}
	*deferred->error = streams->trouble;
	return -streams->trouble.code;
}

/* A ring or broadcast goes on drawing from the stream that it began with: a name that was deleted and created again
 * is another stream. */
static bool is_same_stream(const struct stream *stream, const struct named_stream *named)
{
	const struct stream *own = &named->row.stream;

	return own->generator == stream->generator && own->seed == stream->seed && own->stream == stream->stream;
}

static const char *param_of(const struct streams_who *who)
{
	return who->param ? who->param : "name";
}

/* Finds a stream that is committed and not being deleted. Under the lock. */
static int find_live(struct streams *streams, const struct streams_who *who, struct deferred_reply *deferred,
		     struct named_stream **ret)
{
	bool found;
	size_t at;

	if (streams->trouble.code)
		return fail_trouble(streams, deferred);
	at = streams_index(streams, who->name, &found);
	if (!found || streams->sorted[at]->state != NAMED_LIVE || (who->same && !is_same_stream(who->same, streams->sorted[at])))
		return error_set(deferred->error, ERROR_NOT_FOUND,
				 "%s: %s: there is no stream \"%.64s\", see stream_list", who->operation, param_of(who),
				 who->name);
	*ret = streams->sorted[at];
	return 0;
}

static bool is_permitted(const struct peer *peer, const struct named_stream *named, unsigned want)
{
	return peer_may(peer, named->row.uid, named->row.gid, named->row.mode, want);
}

/* Finds a stream, and checks that the client may do this to it: want is 4 (show) or 2 (draw) of its mode; 0: only its
 * owner and root may. */
static int find_permitted(struct streams *streams, const struct streams_who *who, unsigned want,
			  struct deferred_reply *deferred, struct named_stream **ret)
{
	struct named_stream *named = NULL;
	int r = find_live(streams, who, deferred, &named);

	if (r < 0)
		return r;
	if (want ? !is_permitted(who->peer, named, want) : who->peer->uid != named->row.uid && !peer_is_master(who->peer))
		return error_set(
			deferred->error, ERROR_NOT_PERMITTED,
			"%s: %s: \"%.64s\" belongs to user %" PRIu32 " and group %" PRIu32 ", mode %04o; allowed: %s",
			who->operation, param_of(who), who->name, named->row.uid, named->row.gid, named->row.mode,
			want == 4   ? "those who may read"
			: want == 2 ? "those who may write"
				    : "its owner and root");
	*ret = named;
	return 0;
}

/* ---- requests ---- */

/* Refuses a draw that is not of the signal that the stream is: one that was compiled for it says which stream it is. */
static int check_signal(const struct streams_who *who, const struct named_stream *named, struct deferred_reply *deferred)
{
	if (!named->row.noise || who->same)
		return 0;
	return error_set(deferred->error, ERROR_OUT_OF_RANGE,
			 "%s: %s: \"%.64s\" is one signal of coloured noise, allowed are draws of colored that name it: "
			 "stream_draw, a step with "
			 "stream_name, a ring, a broadcast",
			 who->operation, param_of(who), who->name);
}

/* Issues words at once from what is reserved on disk. Without enough of it, or behind others that wait, the reply is
 * deferred until the committer has reserved more; those who wait are served in order. */
int streams_draw(struct streams *streams, const struct streams_who *who, struct deferred_reply *deferred)
{
	struct named_stream *named = NULL;
	struct commit_task *task;
	int r;

	pthread_mutex_lock(&streams->lock);
	r = find_permitted(streams, who, 2, deferred, &named);
	if (r == 0)
		r = check_signal(who, named, deferred);
	if (r == 0 && !named->waiters)
		r = named_stream_issue(streams, named, deferred);
	if (r == 0) {
		task = commit_task_new(COMMIT_DRAW, named, who, deferred);
		if (task) {
			*named->waiters_last = task;
			named->waiters_last = &task->next;
			named_stream_request_block(streams, named);
			streams->waits++;
		}
		r = task ? REPLY_DEFERRED : fail_memory(who, deferred);
	} else if (r == 1) {
		r = 0;
	}
	pthread_mutex_unlock(&streams->lock);
	return r;
}

int streams_find(struct streams *streams, const struct streams_who *who, struct bump *bump, struct stream *ret_stream,
		 struct value *ret_noise, struct error *err)
{
	struct deferred_reply deferred = {.error = err};
	struct named_stream *named = NULL;
	int r;

	*ret_noise = value_nil();
	pthread_mutex_lock(&streams->lock);
	r = find_permitted(streams, who, 2, &deferred, &named);
	if (r == 0)
		*ret_stream = named->row.stream;
	if (r == 0 && named->row.noise) {
		r = stream_signal_decode(bump, named->row.noise, named->row.noise_size, ret_noise);
		if (r < 0)
			r = error_set(err, r == -ERROR_NO_MEMORY ? ERROR_NO_MEMORY : ERROR_STORE,
				      "%s: %s: the noise of \"%.64s\" cannot be read", who->operation, param_of(who), who->name);
	}
	pthread_mutex_unlock(&streams->lock);
	return r;
}

/* A copy is described, without the lock: building a reply may allocate. */
int streams_show(struct streams *streams, const struct streams_who *who, struct deferred_reply *deferred)
{
	struct named_stream copy, *named = NULL;
	int r;

	pthread_mutex_lock(&streams->lock);
	r = find_permitted(streams, who, 4, deferred, &named);
	if (r == 0) { /* the rest belongs to the committer, which does not hold the lock */
		copy.row = named->row;
		copy.next = named->next;
		if (copy.row.noise && !(copy.row.noise = bump_copy(deferred->bump, copy.row.noise, copy.row.noise_size)))
			r = fail_memory(who, deferred);
	}
	pthread_mutex_unlock(&streams->lock);
	if (r == 0 && named_stream_describe(deferred->bump, deferred->reply, &copy, who->u64_text) < 0)
		r = fail_memory(who, deferred);
	return r;
}

static int push_stream(struct deferred_reply *deferred, struct value *list, const struct named_stream *named,
		       bool u64_text)
{
	struct value one = value_map();

	return named_stream_describe(deferred->bump, &one, named, u64_text) || value_push(deferred->bump, list, one);
}

/* Looks at 4096 streams at most, so as not to hold up the loop; `after` in the reply is the last name looked at, if
 * there may be more. So a page can be empty and still not be the last. */
int streams_list(struct streams *streams, const struct streams_who *who, uint64_t limit,
		 struct deferred_reply *deferred)
{
	enum { LOOKED_AT = 4096 };
	struct value list = value_array(), after = value_nil();
	int failed = 0;
	bool found = false;

	pthread_mutex_lock(&streams->lock);
	if (streams->trouble.code) {
		failed = fail_trouble(streams, deferred);
		pthread_mutex_unlock(&streams->lock);
		return failed;
	}
	size_t at = who->name ? streams_index(streams, who->name, &found) + found : 0;
	const size_t end = streams->count - at < LOOKED_AT ? streams->count : at + LOOKED_AT;

	for (; at < end && list.array.count < limit && !failed; at++)
		if (streams->sorted[at]->state == NAMED_LIVE && is_permitted(who->peer, streams->sorted[at], 4))
			failed = push_stream(deferred, &list, streams->sorted[at], who->u64_text);
	if (at < streams->count && at > 0) {
		const char *name = streams->sorted[at - 1]->row.name;
		char *copy = bump_copy(deferred->bump, name, strlen(name));

		failed |= !copy;
		after = value_string(copy ? copy : "");
	}
	pthread_mutex_unlock(&streams->lock);
	failed = failed || value_put(deferred->bump, deferred->reply, "streams", list) ||
		 value_put(deferred->bump, deferred->reply, "after", after);
	return failed ? fail_memory(who, deferred) : 0;
}

/* The limit counts streams of a user that live; ids are limited apart (store_ids.c), since they are never given back. */
static int check_new_stream(struct streams *streams, const struct streams_who *who, struct deferred_reply *deferred)
{
	const struct settings *settings = streams->settings;
	struct user_count *user;
	bool found;

	if (streams->trouble.code)
		return fail_trouble(streams, deferred);
	streams_index(streams, who->name, &found);
	if (found)
		return error_set(deferred->error, ERROR_EXISTS,
				 "%s: name: there is a stream \"%.64s\", allowed: another name", who->operation,
				 who->name);
	user = streams_user(streams, who->peer->uid);
	if (!user)
		return fail_memory(who, deferred);
	if (user->streams >= settings->streams)
		return error_set(deferred->error, ERROR_LIMIT,
				 "%s: the user has %" PRIu64 " streams, allowed: the setting streams = %" PRIu64,
				 who->operation, user->streams, settings->streams);
	if (streams->count >= settings->streams_total)
		return error_set(deferred->error, ERROR_LIMIT,
				 "%s: there are %zu streams, allowed: the setting streams_total = %" PRIu64,
				 who->operation, streams->count, settings->streams_total);
	return 0;
}

/* The name is taken in the index before the commit, so that of two creates at once one fails; it is removed if the
 * commit does. */
int streams_create(struct streams *streams, const struct streams_who *who, const struct streams_new *what,
		   struct deferred_reply *deferred)
{
	struct named_stream *named = named_stream_new(streams, what->noise, what->noise_size);
	struct commit_task *task = named ? commit_task_new(COMMIT_CREATE, named, who, deferred) : NULL;
	int r = task ? 0 : fail_memory(who, deferred);

	if (r == 0) {
		strcpy(named->row.name, what->name);
		named->row.stream = what->stream;
		named->row.uid = who->peer->uid;
		named->row.gid = what->gid;
		named->row.mode = what->mode;
		named->row.created_s = time(NULL) > 0 ? (int64_t)time(NULL) : 0;
		task->wanted = what->wanted;
		task->seeded = what->seeded;
		pthread_mutex_lock(&streams->lock);
		r = check_new_stream(streams, who, deferred);
		if (r == 0 && !streams_insert(streams, named))
			r = fail_memory(who, deferred);
		if (r == 0)
			commit_queue_post(streams, task);
		pthread_mutex_unlock(&streams->lock);
	}
	if (r == 0)
		return REPLY_DEFERRED;
	deferred->owner = NULL;
	free(task);
	free(named);
	return r;
}

/* From here on nobody finds it. The row goes with the commit. */
int streams_delete(struct streams *streams, const struct streams_who *who, struct deferred_reply *deferred)
{
	struct named_stream *named = NULL;
	struct commit_task *task;
	int r;

	pthread_mutex_lock(&streams->lock);
	r = find_permitted(streams, who, 0, deferred, &named);
	if (r == 0) {
		task = commit_task_new(COMMIT_DELETE, named, who, deferred);
		if (task) {
			named->state = NAMED_DELETING;
			commit_queue_post(streams, task);
		}
		r = task ? REPLY_DEFERRED : fail_memory(who, deferred);
	}
	pthread_mutex_unlock(&streams->lock);
	return r;
}

/* Positions are kept in groups: 2^64 words are 2^62 groups of 4, of which whole ones are skipped, and a signal has 2^62 samples.
 */
static int find_advanced(const struct named_stream *named, uint64_t words, bool absolute, const struct streams_who *who,
			 struct deferred_reply *deferred, uint64_t *ret_group)
{
	const uint64_t each = store_group_positions(&named->row), groups = words / each + (words % each != 0);

	if (absolute && groups > STORE_GROUPS)
		return error_set(deferred->error, ERROR_OUT_OF_RANGE,
				 "%s: to: %" PRIu64 ", allowed up to 2^62, the end of the signal", who->operation, words);
	if (absolute && groups < named->next)
		return error_set(deferred->error, ERROR_OUT_OF_RANGE,
				 "%s: to: %" PRIu64 ", allowed from the present position %" PRIu64
				 " on: positions never go back",
				 who->operation, words, named->next * each);
	if (!absolute && groups > STORE_GROUPS - named->next)
		return error_set(deferred->error, ERROR_OUT_OF_RANGE,
				 "%s: by: %" PRIu64 ", allowed up to %" PRIu64 " %s, the end of the stream",
				 who->operation, words, (STORE_GROUPS - named->next) * each, each == 1 ? "samples" : "words");
	*ret_group = absolute ? groups : named->next + groups;
	return 0;
}

int streams_advance(struct streams *streams, const struct streams_who *who, uint64_t words, bool absolute,
		    struct deferred_reply *deferred)
{
	struct named_stream *named = NULL;
	struct commit_task *task;
	uint64_t to = 0;
	int r;

	pthread_mutex_lock(&streams->lock);
	r = find_permitted(streams, who, 0, deferred, &named);
	if (r == 0)
		r = find_advanced(named, words, absolute, who, deferred, &to);
	if (r == 0) {
		task = commit_task_new(COMMIT_ADVANCE, named, who, deferred);
		if (task) {
			task->to = to;
			commit_queue_post(streams, task);
		}
		r = task ? REPLY_DEFERRED : fail_memory(who, deferred);
	}
	pthread_mutex_unlock(&streams->lock);
	return r;
}
