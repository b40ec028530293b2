/* SPDX-License-Identifier: Apache-2.0 */
/* A ring that the embedded engine fills: the daemon's producer over memory of this process. */
#include "ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "call/tiles.h"
#include "engine/producers/ring.h"

enum { MOST_BYTES = 1 << 30 }; /* of samples; a daemon has a limit of its own */

struct embedded_ring {
	struct trnsci_session *session;
	struct ring *ring;
	struct ring_page *page;
	bool gone; /* the producer has ended; under the session's lock */
};

static void on_published(void *arg)
{
	struct embedded_ring *own = arg;

	ring_link_wake(own->page, 1);
}

/* Called in a lane's thread. Once the lock is released, the session may be gone. */
static void on_gone(void *arg, const struct error *why)
{
	struct embedded_ring *own = arg;
	struct trnsci_session *session = own->session;

	(void)why;
	pthread_mutex_lock(&session->lock);
	own->gone = true;
	pthread_cond_broadcast(&session->ended);
	pthread_mutex_unlock(&session->lock);
}

/* Checks the call's parameters as a daemon does. */
static int bind_parameters(struct trnsci_call *call, struct args *args, struct error *err)
{
	const char *name = call->method;

	*args = (struct args){.operation = operation_find(name, strlen(name)), .context = name};
	const int r = call_check_args(call, err);

	if (r < 0)
		return r;
	args_set_handles(&call->args, NULL);
	return bind_args(args, &call->args.map, err);
}

/* As ftruncate, which raises SIGXFSZ beyond the limit of file sizes: the signal would end the caller's process. */
static int set_size(int fd, uint64_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) {
		errno = EFBIG;
		return -1;
	}
	return ftruncate(fd, (off_t)bytes);
}

/* Samples lie in a memfd, so that they can be mapped twice in a row. The index needs no descriptor. */
static int make_memory(const struct args *args, const struct sampler *sampler, struct ring_link *link,
		       struct error *err)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int fd, r;

	link->sample_bytes = sampler_sample_bytes(sampler);
	link->capacity = ring_capacity(args->at[RING_SAMPLES].u64, link->sample_bytes, page, MOST_BYTES);
	if (link->capacity == 0)
		return bind_error(args, RING_SAMPLES, err, ERROR_LIMIT, "more than %d bytes, allowed are as many",
				  MOST_BYTES);
	fd = memfd_create("trnsci-ring", MFD_CLOEXEC);
	if (fd < 0 || set_size(fd, page + link->capacity * link->sample_bytes) < 0)
		r = error_set(err, ERROR_SYSTEM, "ring: memfd: %s", strerror(errno));
	else
		r = ring_link_map(link, fd, page, PROT_READ | PROT_WRITE, err);
	if (fd >= 0)
		close(fd);
	if (r < 0)
		return r;
	link->index_bytes = (size_t)page;
	link->index = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (link->index != MAP_FAILED)
		return 0;
	link->index = NULL;
	return error_set(err, ERROR_NO_MEMORY, "ring: its index");
}

/* Sets what a daemon's reply would describe. */
static int describe_samples(const struct sampler *sampler, struct bump *bump, struct ring_link *link)
{
	struct value map = value_map();
	const struct value *dtype, *generator;

	if (sampler_describe(sampler, bump, &map))
		return -ERROR_NO_MEMORY;
	dtype = value_get(&map, "dtype");
	link->dtype = (enum trnsci_dtype)dtype_parse(dtype->bytes.at, dtype->bytes.size);
	link->components = sampler_components(sampler);
	generator = value_get(&map, "generator");
	snprintf(link->generator, sizeof link->generator, "%.*s", (int)generator->bytes.size, generator->bytes.at);
	value_to_u64(value_get(&map, "seed"), &link->seed);
	value_to_u64(value_get(&map, "stream"), &link->stream);
	value_to_u64(value_get(&map, "offset"), &link->offset);
	value_to_u64(value_get(&map, "position"), &link->position);
	return 0;
}

static int start_producer(struct embedded_ring *own, struct engine_session *engine_session, struct sampler *sampler,
			  struct ring_link *link, struct error *err)
{
	const struct ring_memory memory = {own->page, (char *)link->map + (link->samples - (char *)link->map),
					   link->index, link->capacity};
	const struct ring_events events = {on_published, on_gone, own};

	ring_page_begin(own->page, link->capacity, link->sample_bytes, 0);
	link->embedded = own;
	return ring_create(engine_session, sampler, &memory, NULL, &events, &own->ring, err);
}

static int build_ring(struct embedded_ring *own, struct engine_session *engine_session, const struct args *args,
		      struct bump *bump, struct ring_link *link, struct error *err)
{
	struct sampler *sampler;
	int r;

	if (args->at[RING_NAME].given)
		return error_set(err, ERROR_NOT_SUPPORTED,
				 "ring_attach: name: named streams are kept by a daemon, allowed: a session with one");
	r = sampler_create(engine_session, args, RING_NOISE, RING_U64, NULL, NULL, &sampler, err);

	if (r < 0)
		return r;
	r = make_memory(args, sampler, link, err);
	if (r == 0 && describe_samples(sampler, bump, link) < 0)
		r = error_set(err, ERROR_NO_MEMORY, "ring: no memory for it");
	if (r < 0) {
		sampler_free(sampler);
		return r;
	}
	own->page = link->map;
	return start_producer(own, engine_session, sampler, link, err);
}

int embedded_attach_ring(struct trnsci_call *call, struct engine_session *engine_session, struct ring_link *ret_link,
			 struct error *err)
{
	struct embedded_ring *own = calloc(1, sizeof *own);
	struct ring_link link = {.wake_fd = -1};
	struct bump *bump = bump_new();
	struct args args;
	int r = own && bump ? 0 : error_set(err, ERROR_NO_MEMORY, "ring: no memory for it");

	if (r == 0) {
		own->session = call->session;
		r = bind_parameters(call, &args, err);
	}
	if (r == 0)
		r = build_ring(own, engine_session, &args, bump, &link, err);
	trnsci_call_free(call);
	bump_free(bump);
	if (r < 0) {
		ring_link_close(&link);
		free(own);
		return r;
	}
	*ret_link = link;
	return 0;
}

void embedded_wake_ring(struct ring_link *link)
{
	ring_wake(link->embedded->ring);
}

/* The producer may be in the middle of a chunk: its memory is freed only once it has ended. */
void embedded_detach_ring(struct trnsci_session *session, struct ring_link *link)
{
	struct embedded_ring *own = link->embedded;

	ring_close(own->ring, ERROR_CLOSED);
	pthread_mutex_lock(&session->lock);
	while (!own->gone)
		pthread_cond_wait(&session->ended, &session->lock);
	pthread_mutex_unlock(&session->lock);
	ring_free(own->ring);
	free(own);
	ring_link_close(link);
}
