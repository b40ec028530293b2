/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: a whole call, a run of a prepared one, or the request that prepares one. */
#include "request.h"

#include <string.h>

#include "prepare.h"

/* What a prepared call may hold at the engine. It was not asked for, so a large one is refused. */
enum { HELD_BYTES_MOST = 1 << 20 };

/* Returns whether the changes replace a member. A run that states its own place does not draw from the named stream. */
static bool is_replaced(const struct trnsci_call *call, const char *name)
{
	return changes_state(&call->changes, name) || (strcmp(name, "stream_name") == 0 && strcmp(call->method, "run") == 0);
}

/* Copies the members of a call's map, but those that changes replace: the call itself stays as its owner set it. */
static int copy_members(struct bump *bump, const struct trnsci_call *call, bool changed, struct value *ret_copy)
{
	const struct value *map = &call->args.map;

	*ret_copy = value_map();
	for (size_t i = 0; i < map->map.count; i++)
		if (!(changed && is_replaced(call, map->map.at[i].name)) &&
		    value_add(bump, ret_copy, map->map.at[i].name, map->map.at[i].value))
			return -ERROR_NO_MEMORY;
	return 0;
}

static int build_whole(struct trnsci_call *call, struct bump *bump, struct value *ret_params)
{
	const struct call_changes *changes = &call->changes;

	args_set_handles(&call->args, changes);
	*ret_params = call->args.map;
	if (!changes->run.given)
		return 0;
	if (copy_members(bump, call, true, ret_params) < 0)
		return -ERROR_NO_MEMORY;
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
	if (copy_members(bump, call, false, &params) || value_add(bump, &map, "method", value_string(call->method)) ||
	    value_add(bump, &map, "params", params) || value_add(bump, &map, "max_bytes", value_uint(HELD_BYTES_MOST)))
		return -ERROR_NO_MEMORY;
	*ret_params = map;
	return 0;
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
