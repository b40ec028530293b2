/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping an arena of a daemon's. */
#include "arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call/run.h"
#include "sealed_memfd.h"

int arena_map(struct fdpass *fds, uint64_t bytes, size_t wanted, struct arena *ret_arena, struct error *err)
{
	int r = sealed_memfd_check_count(fds, 1, "arena", err);

	if (r == 0)
		r = sealed_memfd_check(fds->at[0], bytes, false, "arena", err);
	if (r == 0 && bytes < wanted)
		r = error_set(err, ERROR_BAD_REPLY, "arena: %llu bytes, %zu were asked for", (unsigned long long)bytes,
			      wanted);
	if (r < 0)
		return r;
	void *base = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds->at[0], 0);

	if (base == MAP_FAILED)
		return error_set(err, ERROR_SYSTEM, "arena: mmap: %s", strerror(errno));
	*ret_arena = (struct arena){.base = base, .size = (size_t)bytes, .fd = fds->at[0]};
	fds->count = 0;
	return 0;
}

bool arena_is_marked(const struct arena *arena)
{
	struct stat status;

	return fstat(arena->fd, &status) < 0 || (status.st_mode & 0777) == 0;
}

int remote_get_arena(struct trnsci_session *session, size_t bytes, struct arena *ret_arena, struct error *err)
{
	struct trnsci_call *call;
	uint64_t size = 0;
	int r = call_make(session, "arena", &call, err);

	if (r < 0)
		return r;
	call->internal = true;
	trnsci_set_u64(trnsci_args(call), "bytes", bytes);
	r = sealed_memfd_run_call(call, err);
	if (r < 0)
		return r;
	r = call_reply_u64(call, "bytes", &size, err);
	if (r == 0)
		r = arena_map(&call->fds, size, bytes, ret_arena, err);
	if (r == 0)
		ret_arena->connection = call->connection;
	trnsci_call_free(call);
	return r;
}
