/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping an arena of a daemon's. */
#include "arena_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/huge_map.h"
#include "sealed_memfd.h"

int arena_map_put_params(struct bump *bump, struct value *params, uint64_t bytes)
{
	return value_put(bump, params, "bytes", value_uint(bytes)) ||
			       value_put(bump, params, "reserve", value_uint(ARENA_RESERVE))
		       ? -ERROR_NO_MEMORY
		       : 0;
}

static int read_numbers(const struct value *reply, uint64_t *ret_handle, uint64_t *ret_bytes, struct error *err)
{
	const struct value *handle = value_get(reply, "arena"), *bytes = value_get(reply, "bytes");

	if (!handle || !bytes || !value_to_u64(handle, ret_handle) || !value_to_u64(bytes, ret_bytes) || *ret_handle == 0 ||
	    *ret_handle > UINT32_MAX)
		return error_set(err, ERROR_BAD_REPLY, "arena: the reply has no handle and size");
	return 0;
}

int arena_map(struct fdpass *fds, const struct value *reply, size_t wanted, struct arena **ret_arena, struct error *err)
{
	uint64_t handle = 0, bytes = 0;
	int r = sealed_memfd_check_count(fds, 1, "arena", err);

	if (r == 0)
		r = read_numbers(reply, &handle, &bytes, err);
	if (r == 0)
		r = sealed_memfd_check(fds->at[0], bytes, false, "arena", err);
	if (r == 0 && (bytes < wanted || bytes < ARENA_RESERVE || bytes > SIZE_MAX || bytes % ARENA_RESERVE))
		r = error_set(err, ERROR_BAD_REPLY, "arena: %llu bytes, %zu were asked for", (unsigned long long)bytes,
			      wanted);
	if (r < 0)
		return r;
	struct arena *arena = calloc(1, sizeof *arena);

	if (!arena)
		return error_set(err, ERROR_NO_MEMORY, "arena: no memory for its entry");
	void *base = huge_map((size_t)bytes, MAP_SHARED, fds->at[0]);

	if (base == MAP_FAILED) {
		free(arena);
		return error_set(err, ERROR_SYSTEM, "arena: mmap: %s", strerror(errno));
	}
	*arena = (struct arena){.handle = (uint32_t)handle, .base = base, .size = (size_t)bytes, .fd = fds->at[0]};
	fds->count = 0;
	arena_write_trailer(arena);
	*ret_arena = arena;
	return 0;
}
