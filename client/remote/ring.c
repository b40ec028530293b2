/* SPDX-License-Identifier: Apache-2.0 */
/* A ring that a daemon fills. */
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring_reply.h"
#include "sealed_memfd.h"
#include "call/send.h"

/* The index is ours alone to write. A page is enough; a daemon that passes more than 1 MiB is refused. */
static int map_index(struct ring_link *link, int fd, uint64_t bytes, struct error *err)
{
	int r;
	void *base;

	if (bytes < sizeof(struct ring_index) || bytes > 1 << 20)
		return error_set(err, ERROR_BAD_REPLY, "ring: an index of %llu bytes", (unsigned long long)bytes);
	r = sealed_memfd_check(fd, bytes, false, "ring", err);
	if (r < 0)
		return r;
	base = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return error_set(err, ERROR_SYSTEM, "ring: mmap: %s", strerror(errno));
	link->index = base;
	link->index_bytes = (size_t)bytes;
	return 0;
}

/* A write to the descriptor must neither block nor raise SIGPIPE, whatever the daemon has sent. Takes the last
 * descriptor from the call. */
static int keep_wake(struct ring_link *link, struct fdpass *fds, struct error *err)
{
	const int fd = fds->at[fds->count - 1];
	struct stat status;

	if (fstat(fd, &status) < 0 || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISCHR(status.st_mode) ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return error_set(err, ERROR_BAD_REPLY, "ring: what came is no eventfd");
	link->wake_fd = fd;
	fds->count--;
	return 0;
}

/* Takes from the reply of a ring and its three descriptors: samples, index, and the eventfd that wakes the producer. */
static int read_ring_reply(struct trnsci_call *call, struct ring_link *link, struct error *err)
{
	uint64_t data_offset = 0, bytes = 0, index_bytes = 0;
	int r = ring_reply_read(call, link, &data_offset, &bytes, err);

	if (r == 0)
		r = call_reply_u64(call, "ring", &link->handle, err);
	if (r == 0)
		r = call_reply_u64(call, "index_bytes", &index_bytes, err);
	if (r == 0)
		r = sealed_memfd_check_count(&call->answer.fds, 3, "ring", err);
	if (r == 0)
		r = sealed_memfd_check(call->answer.fds.at[0], bytes, true, "ring", err);
	if (r == 0)
		r = ring_link_map(link, call->answer.fds.at[0], data_offset, PROT_READ, err);
	if (r == 0)
		r = map_index(link, call->answer.fds.at[1], index_bytes, err);
	if (r == 0)
		r = keep_wake(link, &call->answer.fds, err);
	return r;
}

/* Takes from the reply of a broadcast and its descriptor, that of the samples. */
static int read_broadcast_reply(struct trnsci_call *call, struct ring_link *link, struct error *err)
{
	uint64_t data_offset = 0, bytes = 0;
	int r = ring_reply_read(call, link, &data_offset, &bytes, err);

	if (r == 0)
		r = sealed_memfd_check_count(&call->answer.fds, 1, "broadcast", err);
	if (r == 0)
		r = sealed_memfd_check(call->answer.fds.at[0], bytes, true, "broadcast", err);
	return r < 0 ? r : ring_link_map(link, call->answer.fds.at[0], data_offset, PROT_READ, err);
}

/* Runs the call, whose reply `read` takes, and frees it. */
static int attach(struct trnsci_call *call, int (*read)(struct trnsci_call *call, struct ring_link *link, struct error *err),
		  struct ring_link *ret_link, struct error *err)
{
	struct ring_link link = {.wake_fd = -1};
	struct trnsci_session *session = call->session;
	int r = sealed_memfd_run_call(call, session->timeout_ms, err);

	if (r < 0)
		return r;
	r = read(call, &link, err);
	link.connection = call->connection;
	trnsci_call_free(call);
	if (r < 0) {
		remote_detach_ring(session, &link);
		return r;
	}
	/* A child after fork must not take samples that are the parent's. */
	madvise(link.map, link.map_bytes, MADV_DONTFORK);
	if (link.index)
		madvise(link.index, link.index_bytes, MADV_DONTFORK);
	*ret_link = link;
	return 0;
}

int remote_attach_ring(struct trnsci_call *call, struct ring_link *ret_link, struct error *err)
{
	return attach(call, read_ring_reply, ret_link, err);
}

int remote_attach_broadcast(struct trnsci_call *call, struct ring_link *ret_link, struct error *err)
{
	return attach(call, read_broadcast_reply, ret_link, err);
}

void remote_wake_ring(struct ring_link *link)
{
	eventfd_write(link->wake_fd, 1);
}

/* Nobody waits for the answer: the end of a connection ends its rings. */
void remote_detach_ring(struct trnsci_session *session, struct ring_link *link)
{
	struct trnsci_call *call;

	ring_link_close(link);
	if (link->handle == 0 || session_check(session, NULL) < 0 || call_new(session, "ring_detach", &call) < 0)
		return;
	args_set_u64(trnsci_call_args(call), "ring", link->handle);
	call->tied = true;
	call->tied_to = link->connection;
	call_send_unawaited(call);
}
