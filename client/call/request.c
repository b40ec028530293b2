/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: a whole call, a run of a prepared one, or the request that prepares one. */
#include "request.h"

#include <string.h>

#include "prepare.h"

/* What a prepared call may hold at the engine. It was not asked for, so a large one is refused. */
enum { HELD_BYTES_MOST = 1 << 20 };

/* A run that states its own place draws from there instead of the named stream. */
static void remove_stream_name(struct value *params)
{
	static const char name[] = "stream_name";
	size_t kept = 0;

	for (size_t i = 0; i < params->map.count; i++) {
		const struct value_member *member = &params->map.at[i];

		if (member->name_size != sizeof name - 1 || memcmp(member->name, name, sizeof name - 1) != 0)
			params->map.at[kept++] = *member;
	}
	params->map.count = kept;
}

/* Copies the members of a call's map, so that some can be added or replaced: the call itself stays as its owner set it. */
static int copy_members(struct bump *bump, const struct value *map, struct value *ret_copy)
{
	struct value copy = value_map();

	for (size_t i = 0; i < map->map.count; i++)
		if (value_add_sized(bump, &copy, map->map.at[i].name, map->map.at[i].name_size, map->map.at[i].value))
			return -ERROR_NO_MEMORY;
	*ret_copy = copy;
	return 0;
}

static int build_whole(struct trnsci_call *call, struct bump *bump, struct value *ret_params)
{
	const struct call_changes *changes = &call->changes;

	args_set_handles(&call->args, changes);
	*ret_params = call->args.map;
	if (!changes->run.given)
		return 0;
	if (copy_members(bump, &call->args.map, ret_params) < 0)
		return -ERROR_NO_MEMORY;
	if (strcmp(call->method, "run") == 0)
		remove_stream_name(ret_params);
	return changes_put_numbers(changes, bump, ret_params);
}

/* Sends only the handle and what changes: a few dozen bytes, whatever the call's parameters are. */
static int build_prepared_run(struct trnsci_call *call, struct bump *bump, struct value *ret_params)
{
	struct value params = value_map();

	if (value_add(bump, &params, "prepared", value_uint(call->preparation.handle)) ||
	    changes_put_numbers(&call->changes, bump, &params) || changes_put_tiles(&call->changes, bump, &params))
		return -ERROR_NO_MEMORY;
	*ret_params = params;
	return 0;
}

static int build_prepare(struct trnsci_call *call, struct bump *bump, struct value *ret_params)
{
	struct value map = value_map(), params;

	args_set_handles(&call->args, NULL);
	if (copy_members(bump, &call->args.map, &params) || value_add(bump, &map, "method", value_string(call->method)) ||
	    value_add(bump, &map, "params", params) || value_add(bump, &map, "max_bytes", value_uint(HELD_BYTES_MOST)))
		return -ERROR_NO_MEMORY;
	*ret_params = map;
	return 0;
}

bool call_is_plain_run(const struct trnsci_call *call, struct run_prepared *ret_run)
{
	const struct call_changes *changes = &call->changes;

	if (call->preparation.prepares || changes->n_tiles || !prepare_is_used(call))
		return false;
	*ret_run = (struct run_prepared){.prepared = call->preparation.handle,
					 .given = changes->run.given,
					 .seed = changes->run.seed,
					 .stream = changes->run.stream,
					 .offset = changes->run.offset,
					 .user = call->flight.msgid};
	return true;
}

int call_build_request(struct trnsci_call *call, struct bump **ret_bump, const char **ret_method,
		       struct value *ret_params, struct error *err)
{
	const bool prepared = !call->preparation.prepares && prepare_is_used(call);
	struct bump *bump = bump_new_cached(&call->session->bump_cache);
	int r;

	if (!bump)
		r = -ERROR_NO_MEMORY;
	else if (call->preparation.prepares)
		r = build_prepare(call->preparation.prepares, bump, ret_params);
	else if (prepared)
		r = build_prepared_run(call, bump, ret_params);
	else
		r = build_whole(call, bump, ret_params);
	if (r < 0) {
		bump_free(bump);
		return error_set(err, ERROR_NO_MEMORY, "%s: a parameter could not be stored", call->method);
	}
	*ret_method = prepared ? "run_prepared" : call->method;
	*ret_bump = bump;
	return 0;
}
