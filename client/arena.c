/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of a remote session. */
#include "arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "call.h"
#include "shared.h"

int arena_map(const struct fdpass *fds, uint64_t told, size_t wanted, void **ret_base, struct error *err)
{
	int r = shared_check_count(fds, 1, "arena", err);

	if (r == 0)
		r = shared_check(fds->at[0], told, false, "arena", err);
	if (r == 0 && told < wanted)
		r = error_set(err, ERROR_BAD_REPLY, "arena: %llu bytes, %zu were asked for", (unsigned long long)told, wanted);
	if (r < 0)
		return r;
	void *base = mmap(NULL, (size_t)told, PROT_READ | PROT_WRITE, MAP_SHARED, fds->at[0], 0);

	if (base == MAP_FAILED)
		return error_set(err, ERROR_SYSTEM, "arena: mmap: %s", strerror(errno));
	*ret_base = base;
	return 0;
}

int remote_arena(struct trnsci_session *session, size_t bytes, struct arena *ret_arena, struct error *err)
{
	struct trnsci_call *call;
	uint64_t told = 0;
	void *base = NULL;
	int r = call_make(session, "arena", &call, err);

	if (r < 0)
		return r;
	call->own = true;
	trnsci_set_u64(trnsci_args(call), "bytes", bytes);
	r = shared_run(call, err);
	if (r < 0)
		return r;
	r = call_reply_u64(call, "bytes", &told, err);
	if (r == 0)
		r = arena_map(&call->fds, told, bytes, &base, err);
	if (r == 0)
		*ret_arena = (struct arena){base, (size_t)told, call->connection};
	trnsci_call_free(call);
	return r;
}
