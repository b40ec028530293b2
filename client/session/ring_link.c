/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory of rings and broadcasts: none of a daemon's words about it is taken on trust. */
#include "ring_link.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/dtype.h"

enum { NAP_NS = 100 * 1000 * 1000 };

static int read_dtype(const struct trnsci_call *call, struct ring_link *link)
{
	size_t size = 0;
	const char *name = trnsci_to_bytes(trnsci_get(trnsci_reply(call), "dtype"), &size);

	if (!name)
		return -ERROR_BAD_REPLY;
	link->dtype = (enum trnsci_dtype)dtype_parse(name, size);
	return link->dtype ? 0 : -ERROR_BAD_REPLY;
}

/* What the samples are of. A reply without a range is of a plain stream, and says where in it. */
static int read_stream(const struct trnsci_call *call, struct ring_link *link, struct error *err)
{
	size_t size = 0;
	const char *name = trnsci_to_bytes(trnsci_get(trnsci_reply(call), "generator"), &size);
	int r;

	if (!name || size >= sizeof link->generator || memchr(name, '\0', size))
		return error_set(err, ERROR_BAD_REPLY, "%s: the reply names no generator", call->method);
	memcpy(link->generator, name, size);
	link->generator[size] = '\0';
	if ((r = call_reply_u64(call, "seed", &link->seed, err)) < 0 ||
	    (r = call_reply_u64(call, "stream", &link->stream, err)) < 0)
		return r;
	if (trnsci_get(trnsci_reply(call), "range")) {
		r = call_reply_u64(call, "range", &link->range, err);
		if (r == 0 && (link->range < link->capacity || (link->range & (link->range - 1))))
			r = error_set(err, ERROR_BAD_REPLY, "%s: ranges of %llu samples", call->method,
				      (unsigned long long)link->range);
		return r;
	}
	if ((r = call_reply_u64(call, "offset", &link->offset, err)) < 0)
		return r;
	return call_reply_u64(call, "position", &link->position, err);
}

void ring_link_place(const struct ring_link *link, uint64_t sample, uint64_t *ret_at, uint64_t *ret_run)
{
	uint64_t within;

	*ret_at = link->offset + sample;
	*ret_run = UINT64_MAX - sample;
	if (link->range == 0)
		return;
	within = sample & (link->range - 1);
	*ret_at = within +
		  atomic_load_explicit(&link->page->ranges[sample / link->range % RING_RANGES], memory_order_acquire);
	*ret_run = link->range - within;
}

void ring_link_describe(const struct ring_link *link, struct trnsci_ring_info *info)
{
	*info = (struct trnsci_ring_info){
		.dtype = link->dtype,
		.components = link->components,
		.sample_bytes = link->sample_bytes,
		.capacity = link->capacity,
		.offset = link->offset,
		.position = link->position,
		.range = link->range,
		.seed = link->seed,
		.stream = link->stream,
		.produced = atomic_load_explicit(&link->page->produced, memory_order_acquire),
	};
	memcpy(info->generator, link->generator, sizeof info->generator);
}

int ring_link_read(const struct trnsci_call *call, struct ring_link *link, uint64_t *ret_data_offset,
		   uint64_t *ret_bytes, struct error *err)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t sample_bytes = 0, data = 0, offset = 0, bytes = 0, element;
	int r;

	if ((r = call_reply_u64(call, "capacity", &link->capacity, err)) < 0 ||
	    (r = call_reply_u64(call, "sample_bytes", &sample_bytes, err)) < 0 ||
	    (r = call_reply_u64(call, "components", &link->components, err)) < 0 ||
	    (r = call_reply_u64(call, "data_offset", &offset, err)) < 0 ||
	    (r = call_reply_u64(call, "bytes", &bytes, err)) < 0)
		return r;
	if (read_dtype(call, link) < 0 ||
	    mul_overflows(link->components, dtype_size((enum dtype)link->dtype), &element) || sample_bytes == 0 ||
	    element != sample_bytes || link->capacity < 2 || (link->capacity & (link->capacity - 1)) != 0 ||
	    mul_overflows(link->capacity, sample_bytes, &data) || data > (uint64_t)1 << 40 || data % page != 0 ||
	    offset < sizeof(struct ring_page) || offset % page != 0 || bytes != offset + data)
		return error_set(err, ERROR_BAD_REPLY, "%s: the sizes in the reply do not fit together", call->method);
	r = read_stream(call, link, err);
	if (r < 0)
		return r;
	link->sample_bytes = (size_t)sample_bytes;
	*ret_data_offset = offset;
	*ret_bytes = bytes;
	return 0;
}

/* Address space first; then the pieces over it. A child after fork has none of it: it must not share the index. */
int ring_link_map(struct ring_link *link, int fd, uint64_t data_offset, int protection, struct error *err)
{
	const size_t offset = (size_t)data_offset, data = (size_t)link->capacity * link->sample_bytes;
	char *base = mmap(NULL, offset + 2 * data, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return error_set(err, ERROR_SYSTEM, "ring: mmap: %s", strerror(errno));
	if (mmap(base, offset + data, protection, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
	    mmap(base + offset + data, data, protection, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED) {
		int saved = errno;

		munmap(base, offset + 2 * data);
		return error_set(err, ERROR_SYSTEM, "ring: mmap: %s", strerror(saved));
	}
	link->map = base;
	link->map_bytes = offset + 2 * data;
	link->page = (const struct ring_page *)(const void *)base;
	link->samples = base + offset;
	return 0;
}

void ring_link_drop(struct ring_link *link)
{
	if (link->map)
		munmap(link->map, link->map_bytes);
	if (link->index)
		munmap(link->index, link->index_bytes);
	if (link->wake_fd >= 0)
		close(link->wake_fd);
	link->map = link->index = NULL;
	link->wake_fd = -1;
}

/* The kernel lets a futex be waited for that can only be read. */
void ring_link_sleep(const struct ring_page *page, uint32_t seen, int64_t deadline)
{
	int64_t left = deadline == DEADLINE_NEVER ? NAP_NS : deadline - clock_ns();
	struct timespec nap;

	if (left <= 0)
		return;
	left = left > NAP_NS ? NAP_NS : left;
	nap = (struct timespec){0, (long)left};
	syscall(SYS_futex, &page->news, FUTEX_WAIT, seen, &nap, NULL, 0);
}

void ring_link_wake(const struct ring_page *page, int most)
{
	syscall(SYS_futex, &page->news, FUTEX_WAKE, most, NULL, NULL, 0);
}

static const char *state_text(uint32_t state)
{
	const char *meaning = error_meaning((int)state);

	return meaning ? meaning : "an unknown error";
}

int ring_link_trouble(struct trnsci_session *session, const struct ring_link *link, const char *what, uint32_t state,
		      struct error *err)
{
	uint64_t connection;

	if (state == ERROR_CLOSED || state == ERROR_CANCELLED)
		return error_set(err, ERROR_CLOSED, "%s: it was closed", what);
	if (state == ERROR_END_OF_STREAM)
		return error_set(err, ERROR_END_OF_STREAM, "%s: its stream has no more samples", what);
	if (state != RING_OPEN)
		return error_set(err, ERROR_CLOSED, "%s: it was detached: %s", what, state_text(state));
	if (session_get_connection(session, &connection, NULL) < 0)
		return error_set(err, ERROR_CLOSED, "%s: the connection is gone", what);
	if (connection != link->connection)
		return error_set(err, ERROR_CLOSED, "%s: it ended with the daemon, allowed is to attach again", what);
	return 0;
}
