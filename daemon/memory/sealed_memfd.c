/* SPDX-License-Identifier: Apache-2.0 */
/* Seals come after the mapping, which stays writable. */
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

static int fail_memfd(struct sealed_memfd *memfd, const char *name, const char *what, struct error *err)
{
	error_set(err, ERROR_SYSTEM, "%s: %s of %" PRIu64 " bytes: %s", name, what, memfd->size, strerror(errno));
	sealed_memfd_free(memfd);
	return -ERROR_SYSTEM;
}

int sealed_memfd_create(const char *name, uint64_t size, enum sealed_memfd_writer writer, struct sealed_memfd *ret_memfd,
		  struct error *err)
{
	const bool ours = writer == SEALED_MEMFD_DAEMON_WRITES;
	struct sealed_memfd memfd = {.fd = -1};
	void *base;

	if (round_up_overflows(size, arena_page(), &memfd.size))
		return error_set(err, ERROR_NO_MEMORY, "%s: %" PRIu64 " bytes", name, size);
	memfd.fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd.fd < 0 || ftruncate(memfd.fd, (off_t)memfd.size) < 0)
		return fail_memfd(&memfd, name, "memfd", err);
	base = mmap(NULL, memfd.size, ours ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, memfd.fd, 0);
	if (base == MAP_FAILED)
		return fail_memfd(&memfd, name, "mapping", err);
	memfd.base = base;
	if (fcntl(memfd.fd, F_ADD_SEALS, ours ? SIZE_SEALS | F_SEAL_FUTURE_WRITE : SIZE_SEALS) < 0)
		return fail_memfd(&memfd, name, "seals", err);
	*ret_memfd = memfd;
	return 0;
}

void sealed_memfd_free(struct sealed_memfd *memfd)
{
	if (memfd->base)
		munmap(memfd->base, memfd->size);
	if (memfd->fd >= 0 && (memfd->base || memfd->size))
		close(memfd->fd);
	*memfd = (struct sealed_memfd){.fd = -1};
}
