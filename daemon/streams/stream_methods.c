/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what the table of operations cannot: names, modes, groups. */
#include "stream_methods.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "net/session.h"
#include "store.h"
#include "stream_signal.h"
#include "streams.h"

#define NO_NAME                                                                                                        \
	"not a name of a stream, allowed: 1 to %d of A-Z a-z 0-9 _ . : / -, the first a letter, a digit or _"

/* Reads the name of a stream from a parameter. */
static int read_name(const struct args *args, unsigned param, char name[STORE_NAME_MOST + 1], struct error *err)
{
	const struct value *value = args->at[param].value;

	if (!store_name_is_good(value->bytes.at, value->bytes.size))
		return bind_error(args, param, err, ERROR_OUT_OF_RANGE, NO_NAME, STORE_NAME_MOST);
	memcpy(name, value->bytes.at, value->bytes.size);
	name[value->bytes.size] = '\0';
	return 0;
}

/* The client's supplementary groups are read when a method on streams first needs them: most sessions never do. The loop's
 * thread reads them; producers, on others, find them there. */
static int read_groups(struct session *session, const char *operation, struct error *err)
{
	if (session->peer.groups_known || peer_read_groups(&session->peer, session->fd) == 0)
		return 0;
	return error_set(err, ERROR_SYSTEM, "%s: the client's groups: %s", operation, strerror(errno));
}

int stream_find_named(struct session *session, const struct args *args, unsigned param, struct bump *bump,
		      char ret_name[STORE_NAME_MOST + 1], struct stream *ret_stream, struct value *ret_noise, struct error *err)
{
	const struct streams_who who = {.peer = &session->peer, .name = ret_name, .operation = args->context};
	int r = read_name(args, param, ret_name, err);

	if (r == 0)
		r = read_groups(session, args->context, err);
	return r < 0 ? r : streams_find(session->service->streams, &who, bump, ret_stream, ret_noise, err);
}

static int read_stream_mode(const struct args *args, uint32_t *ret, struct error *err)
{
	const struct arg *given = &args->at[STREAM_CREATE_MODE];
	unsigned mode = 0640;

	/* A stream cannot be executed. */
	if ((given->given && !peer_parse_mode(given->value->bytes.at, given->value->bytes.size, &mode)) || mode & ~0666u)
		return bind_error(args, STREAM_CREATE_MODE, err, ERROR_OUT_OF_RANGE,
				  "not a mode, allowed: octal digits of 4 (show) and 2 (draw), 0000 to 0666");
	*ret = mode;
	return 0;
}

/* A client cannot give a stream to a group that it is not in, as with chown. */
static int read_group(const struct args *args, const struct peer *peer, uint32_t *ret, struct error *err)
{
	const struct arg *group = &args->at[STREAM_CREATE_GROUP];

	*ret = group->given ? (uint32_t)group->u64 : peer->gid;
	if (peer_is_master(peer) || peer_has_group(peer, *ret))
		return 0;
	return bind_error(args, STREAM_CREATE_GROUP, err, ERROR_NOT_PERMITTED,
			  "%" PRIu32 ", allowed are the client's own groups", *ret);
}

static int call_create(struct session *session, const struct args *args, const struct streams_who *who,
		       struct deferred_reply *deferred)
{
	const struct arg *at = args->at;
	struct streams_new what = {
		.name = who->name,
		.stream = {at[STREAM_CREATE_GENERATOR].choice, at[STREAM_CREATE_SEED].u64, 0},
		.wanted = at[STREAM_CREATE_STREAM].given,
		.seeded = at[STREAM_CREATE_SEED].given,
	};
	int r = read_stream_mode(args, &what.mode, deferred->error);

	if (r == 0)
		r = read_group(args, who->peer, &what.gid, deferred->error);
	if (r < 0)
		return r;
	if (what.wanted)
		what.stream.stream = at[STREAM_CREATE_STREAM].u64;
	if (!stream_id_fits(&what.stream))
		return bind_error(args, STREAM_CREATE_STREAM, deferred->error, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed for %s is 0 to %" PRIu64, what.stream.stream,
				  generator_row(what.stream.generator)->name,
				  generator_row(what.stream.generator)->most_stream);
	if (at[STREAM_CREATE_NOISE].given)
		r = stream_signal_encode(session, args, STREAM_CREATE_NOISE, deferred->bump, &what.noise, &what.noise_size,
					 deferred->error);
	return r < 0 ? r : streams_create(session->service->streams, who, &what, deferred);
}

static int call_advance(struct session *session, const struct args *args, const struct streams_who *who,
			struct deferred_reply *deferred)
{
	const bool by = args->at[STREAM_ADVANCE_BY].given, to = args->at[STREAM_ADVANCE_TO].given;

	if (by == to)
		return bind_error(args, STREAM_ADVANCE_BY, deferred->error,
				  by ? ERROR_OUT_OF_RANGE : ERROR_MISSING_PARAMETER,
				  by ? "given with to, allowed: one of them" : "missing: give by or to");
	return streams_advance(session->service->streams, who, args->at[by ? STREAM_ADVANCE_BY : STREAM_ADVANCE_TO].u64,
			       to, deferred);
}

static int call_list(struct session *session, const struct args *args, const struct streams_who *who,
		     struct deferred_reply *deferred)
{
	char after[STORE_NAME_MOST + 1];
	struct streams_who from = *who;
	int r = 0;

	from.u64_text = args->at[STREAM_LIST_U64].choice != 0;
	from.name = NULL;
	if (args->at[STREAM_LIST_AFTER].given) {
		r = read_name(args, STREAM_LIST_AFTER, after, deferred->error);
		from.name = after;
	}
	return r < 0 ? r : streams_list(session->service->streams, &from, args->at[STREAM_LIST_LIMIT].u64, deferred);
}

static int call_show(struct session *session, const struct args *args, const struct streams_who *who,
		     struct deferred_reply *deferred)
{
	(void)args;
	return streams_show(session->service->streams, who, deferred);
}

static int call_delete(struct session *session, const struct args *args, const struct streams_who *who,
		       struct deferred_reply *deferred)
{
	(void)args;
	return streams_delete(session->service->streams, who, deferred);
}

static const struct stream_method {
	const char *name;
	bool has_name; /* its parameter `name` is required; stream_list has none */
	int (*call)(struct session *session, const struct args *args, const struct streams_who *who,
		    struct deferred_reply *deferred);
} methods[] = {
	{"stream_create", true, call_create}, {"stream_show", true, call_show},       {"stream_list", false, call_list},
	{"stream_delete", true, call_delete}, {"stream_advance", true, call_advance},
};

static int begin_call(void *arg, const struct args *args, struct deferred_reply *deferred)
{
	struct session *session = arg;
	const struct stream_method *method = methods;
	char name[STORE_NAME_MOST + 1];
	struct streams_who who = {&session->peer,        name, args->at[STREAM_U64].choice != 0,
				  args->operation->name, NULL, NULL};
	int r;

	while (strcmp(method->name, args->operation->name) != 0)
		method++; /* the engine passes START_OWNER's rows only, which the table has */
	r = read_groups(session, method->name, deferred->error);
	if (r == 0 && method->has_name)
		r = read_name(args, STREAM_NAME, name, deferred->error);
	return r < 0 ? r : method->call(session, args, &who, deferred);
}

/* Sets who draws from the stream of that name. same: as in deferred_reply. */
static int read_who(struct session *session, const char *at, size_t size, const char *context, const struct stream *same,
		    char name[STORE_NAME_MOST + 1], struct streams_who *ret_who, struct error *err)
{
	const bool draw = strncmp(context, "stream_draw", strlen("stream_draw")) == 0;
	const struct streams_who who = {.peer = &session->peer,
					.name = name,
					.operation = draw ? "stream_draw" : context,
					.same = same,
					.param = draw || same ? "name" : "stream_name"};
	const int r = read_groups(session, who.operation, err);

	if (r < 0)
		return r;
	if (!store_name_is_good(at, size))
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: %s: " NO_NAME, who.operation, who.param, STORE_NAME_MOST);
	memcpy(name, at, size);
	name[size] = '\0';
	*ret_who = who;
	return 0;
}

static int reserve_draw(void *arg, const char *at, size_t size, const char *context, struct deferred_reply *deferred)
{
	struct session *session = arg;
	char name[STORE_NAME_MOST + 1];
	struct streams_who who;
	const int r = read_who(session, at, size, context, deferred->same, name, &who, deferred->error);

	return r < 0 ? r : streams_draw(session->service->streams, &who, deferred);
}

static int find_noise(void *arg, const char *at, size_t size, const char *context, struct bump *bump, struct stream *ret_stream,
		      struct value *ret_noise, struct error *err)
{
	struct session *session = arg;
	char name[STORE_NAME_MOST + 1];
	struct streams_who who;
	const int r = read_who(session, at, size, context, NULL, name, &who, err);

	return r < 0 ? r : streams_find(session->service->streams, &who, bump, ret_stream, ret_noise, err);
}

static void forget_reply(void *arg, struct deferred_reply *deferred)
{
	const struct session *session = arg;

	streams_forget(session->service->streams, deferred);
}

const struct deferred_reply_ops stream_methods = {begin_call, reserve_draw, forget_reply, find_noise};
