/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams: creating, showing, moving, deleting and listing them. */
#include <stdio.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "session/public_error.h"
#include "call/reply.h"
#include "call/run.h"

/* ---- reading replies ---- */

static bool read_u64(const struct trnsci_value *map, const char *name, uint64_t *ret)
{
	return trnsci_value_to_u64(trnsci_value_get(map, name), ret) == 0;
}

static bool read_u32(const struct trnsci_value *map, const char *name, uint32_t *ret)
{
	uint64_t wide;

	if (!read_u64(map, name, &wide) || wide > UINT32_MAX)
		return false;
	*ret = (uint32_t)wide;
	return true;
}

static bool read_mode(const struct trnsci_value *map, unsigned *ret)
{
	char text[8];

	if (!reply_copy_text(map, "mode", text, sizeof text))
		return false;
	*ret = 0;
	for (const char *at = text; *at; at++)
		if (*at < '0' || *at > '7')
			return false;
		else
			*ret = *ret * 8 + (unsigned)(*at - '0');
	return true;
}

/* nil is 2^64, the end of the stream. */
static bool read_position(const struct trnsci_value *map, const char *name, uint64_t *ret, bool *ret_end)
{
	const struct trnsci_value *value = trnsci_value_get(map, name);

	*ret_end = value && trnsci_value_kind(value) == TRNSCI_NIL;
	*ret = 0;
	return *ret_end || trnsci_value_to_u64(value, ret) == 0;
}

/* Sums up the noise of a signal: its dtype, and the color, exponent, psd or taps. color: the default. */
static void read_noise(const struct trnsci_value *noise, char *ret, size_t room)
{
	char dtype[8] = "", color[12] = "pink";
	double exponent;

	if (!noise)
		return;
	reply_copy_text(noise, "dtype", dtype, sizeof dtype);
	reply_copy_text(noise, "color", color, sizeof color);
	if (trnsci_value_to_f64(trnsci_value_get(noise, "exponent"), &exponent) == 0)
		snprintf(ret, room, "%s exponent=%.5g", dtype, exponent);
	else if (trnsci_value_get(noise, "psd") || trnsci_value_get(noise, "taps"))
		snprintf(ret, room, "%s %s", dtype, trnsci_value_get(noise, "psd") ? "psd" : "taps");
	else
		snprintf(ret, room, "%s color=%s", dtype, color);
}

/* Reads all members of a stream's description. Those of skipped words exist only where some were skipped. */
static bool read_info(const struct trnsci_value *map, struct trnsci_stream_info *info)
{
	uint64_t created = 0;
	bool end;

	*info = (struct trnsci_stream_info){0};
	if (!reply_copy_text(map, "name", info->name, sizeof info->name) ||
	    !reply_copy_text(map, "generator", info->generator, sizeof info->generator) ||
	    !read_u64(map, "seed", &info->seed) || !read_u64(map, "stream", &info->stream) ||
	    !read_position(map, "position", &info->position, &info->ended) ||
	    !read_position(map, "reserved", &info->reserved, &end) || !read_u64(map, "skips", &info->skips) ||
	    !read_position(map, "skipped", &info->skipped, &end) || !read_u32(map, "uid", &info->uid) ||
	    !read_u32(map, "gid", &info->gid) || !read_mode(map, &info->mode) || !read_u64(map, "created", &created))
		return false;
	if (end)
		info->skipped = UINT64_MAX;
	info->created_s = (int64_t)created;
	read_noise(trnsci_value_get(map, "noise"), info->noise, sizeof info->noise);
	if (info->skips == 0)
		return true;
	if (!read_position(map, "skipped_from", &info->skipped_from, &end) ||
	    !read_position(map, "skipped_until", &info->skipped_until, &end))
		return false;
	if (end)
		info->skipped_until = UINT64_MAX;
	return true;
}

/* ---- streams ---- */

/* Runs and frees a call whose reply describes one stream. */
static int run_stream_call(struct trnsci_call *call, struct trnsci_stream_info *ret_info, struct error *err)
{
	struct trnsci_stream_info info;
	int r = call_run(call, err);

	if (r < 0)
		return r;
	if (!read_info(trnsci_call_reply(call), &info))
		r = error_set(err, ERROR_BAD_REPLY, "stream: the reply describes no stream");
	else if (ret_info)
		*ret_info = info;
	trnsci_call_free(call);
	return r;
}

/* A seed of 0 is a seed, so has_seed decides whether one was given. */
static int check_options(const struct trnsci_stream_options *options, struct error *err)
{
	for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
		if (options->reserved[i] != 0)
			return error_set(err, ERROR_OUT_OF_RANGE, "stream_create: a reserved field is not 0");
	if (options->seed && !options->has_seed)
		return error_set(err, ERROR_OUT_OF_RANGE, "stream_create: seed: given without has_seed");
	return 0;
}

static void set_options(struct trnsci_args *args, const struct trnsci_stream_options *options)
{
	if (options->generator)
		args_set_text(args, "generator", options->generator);
	if (options->has_seed)
		args_set_u64(args, "seed", options->seed);
	if (options->has_stream)
		args_set_u64(args, "stream", options->stream);
	if (options->mode)
		args_set_text(args, "mode", options->mode);
	if (options->has_group)
		args_set_u64(args, "group", options->group);
	if (options->noise) {
		struct trnsci_args *noise = trnsci_set_map(args, "noise");

		trnsci_set_params(noise, options->noise);
		args_set_text(noise, "op", "colored");
	}
}

int trnsci_stream_create(struct trnsci_session *session, const char *name, const struct trnsci_stream_options *options,
			 struct trnsci_stream_info *ret_info, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_call *call = NULL;
	int r = options ? check_options(options, &error) : 0;

	if (r == 0)
		r = call_make_named(session, "stream_create", name, &call, &error);
	if (r == 0 && options)
		set_options(trnsci_call_args(call), options);
	if (r == 0)
		r = run_stream_call(call, ret_info, &error);
	return r < 0 ? error_export(err, &error) : 0;
}

/* Calls a method that takes the name and at most one number. */
static int call_named(struct trnsci_session *session, const char *method, const char *name, const char *parameter,
		      uint64_t number, struct trnsci_stream_info *ret_info, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_call *call = NULL;
	int r = call_make_named(session, method, name, &call, &error);

	if (r == 0 && parameter)
		args_set_u64(trnsci_call_args(call), parameter, number);
	if (r == 0)
		r = run_stream_call(call, ret_info, &error);
	return r < 0 ? error_export(err, &error) : 0;
}

int trnsci_stream_show(struct trnsci_session *session, const char *name, struct trnsci_stream_info *ret_info,
		       struct trnsci_error *err)
{
	return call_named(session, "stream_show", name, NULL, 0, ret_info, err);
}

int trnsci_stream_delete(struct trnsci_session *session, const char *name, struct trnsci_stream_info *ret_info,
			 struct trnsci_error *err)
{
	return call_named(session, "stream_delete", name, NULL, 0, ret_info, err);
}

int trnsci_stream_advance(struct trnsci_session *session, const char *name, uint64_t words, uint64_t position,
			  struct trnsci_stream_info *ret_info, struct trnsci_error *err)
{
	struct error error = {0};

	if (words && position) {
		error_set(&error, ERROR_OUT_OF_RANGE,
			  "stream_advance: position: given beside words, allowed is one of them");
		return error_export(err, &error);
	}
	return call_named(session, "stream_advance", name, words ? "by" : "to", words ? words : position, ret_info,
			  err);
}

/* Visits the streams of one page. `after` is the name at which the next page goes on; "" after the last page. */
static int visit_page(const struct trnsci_value *reply, int (*each)(void *arg, const struct trnsci_stream_info *info),
		      void *arg, char after[TRNSCI_STREAM_NAME_MAX + 1], int *ret_stop, struct error *err)
{
	const struct trnsci_value *list = trnsci_value_get(reply, "streams");
	char next[TRNSCI_STREAM_NAME_MAX + 1] = "";
	struct trnsci_stream_info info;

	for (size_t i = 0; i < trnsci_value_count(list) && *ret_stop == 0; i++) {
		if (!read_info(trnsci_value_at(list, i), &info))
			return error_set(err, ERROR_BAD_REPLY, "stream_list: the reply describes no stream");
		*ret_stop = each(arg, &info);
	}
	reply_copy_text(reply, "after", next, sizeof next);
	/* Names must increase, otherwise the list might never end. */
	if (*next && strcmp(next, after) <= 0)
		return error_set(err, ERROR_BAD_REPLY, "stream_list: after: \"%s\" does not go on", next);
	strcpy(after, next);
	return 0;
}

int trnsci_stream_list(struct trnsci_session *session, int (*each)(void *arg, const struct trnsci_stream_info *info),
		       void *arg, struct trnsci_error *err)
{
	char after[TRNSCI_STREAM_NAME_MAX + 1] = "";
	struct error error = {0};
	int r = session_check(session, &error), stop = 0;

	if (r == 0 && !each)
		r = error_set(&error, ERROR_MISSING_PARAMETER, "stream_list: each: missing");
	if (r < 0)
		return error_export(err, &error);
	session_ref(session);
	do {
		struct trnsci_call *call;

		r = call_make(session, "stream_list", &call, &error);
		if (r == 0 && *after)
			args_set_text(trnsci_call_args(call), "after", after);
		if (r == 0)
			r = call_run(call, &error);
		if (r < 0)
			break;
		r = visit_page(trnsci_call_reply(call), each, arg, after, &stop, &error);
		trnsci_call_free(call);
	} while (r == 0 && stop == 0 && *after);
	session_unref(session);
	return r < 0 ? error_export(err, &error) : stop;
}
