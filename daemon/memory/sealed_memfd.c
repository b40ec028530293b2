/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed memfds of rings and broadcasts. */
#include "sealed_memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "base/checked.h"

enum { SIZE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

static int fail(struct shared *shared, const char *name, const char *what, struct error *err)
{
	error_set(err, ERROR_SYSTEM, "%s: %s of %" PRIu64 " bytes: %s", name, what, shared->size, strerror(errno));
	shared_free(shared);
	return -ERROR_SYSTEM;
}

int shared_create(const char *name, uint64_t size, enum shared_writer writer, struct shared *ret_shared,
		  struct error *err)
{
	const bool ours = writer == SHARED_OURS;
	struct shared shared = {.fd = -1};
	void *base;

	if (round_up_overflows(size, arena_page(), &shared.size))
		return error_set(err, ERROR_NO_MEMORY, "%s: %" PRIu64 " bytes", name, size);
	shared.fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (shared.fd < 0 || ftruncate(shared.fd, (off_t)shared.size) < 0)
		return fail(&shared, name, "memfd", err);
	base = mmap(NULL, shared.size, ours ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, shared.fd, 0);
	if (base == MAP_FAILED)
		return fail(&shared, name, "mapping", err);
	shared.base = base;
	/* After the mapping that stays writable. */
	if (fcntl(shared.fd, F_ADD_SEALS, ours ? SIZE_SEALS | F_SEAL_FUTURE_WRITE : SIZE_SEALS) < 0)
		return fail(&shared, name, "seals", err);
	*ret_shared = shared;
	return 0;
}

void shared_free(struct shared *shared)
{
	if (shared->base)
		munmap(shared->base, shared->size);
	if (shared->fd >= 0 && (shared->base || shared->size))
		close(shared->fd);
	*shared = (struct shared){.fd = -1};
}
