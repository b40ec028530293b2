/* SPDX-License-Identifier: Apache-2.0 */
/* Requests are bytes made once; replies are counted by their size, which every reply of a batch shares. */
#include "service_load.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/value.h"
#include "codec.h"
#include "frame.h"

enum { MAX_CLIENTS = 64, ROOM = 1 << 20, SAMPLES = 512 };

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return -1;
	return fd;
}

/* As many equal requests as are in flight, their ids of equal size. */
static int encode_batch(const char *law, int pipeline, struct codec_buffer *ret)
{
	struct zone *zone = zone_new();
	struct value params = value_map();
	int failed = value_put(zone, &params, "n", value_uint(SAMPLES));

	for (int i = 0; i < pipeline; i++)
		failed |= codec_request(ret, 1 + (uint32_t)i % 100, law, &params);
	zone_free(zone);
	return failed;
}

/* Writes all and reads one whole reply: its size. */
static ssize_t size_of_reply(const char *path, const struct codec_buffer *batch, int pipeline, char *bytes)
{
	static const struct frame_limits limits = {.bytes = ROOM, .elements = 1000};
	struct frame_scan scan;
	int fd = connect_to(path);
	size_t size = 0, frame = 0;
	int r = fd < 0 || write(fd, batch->at, batch->size / (size_t)pipeline) < 0 ? -1 : 0;

	frame_scan_init(&scan, &limits);
	while (r == 0) {
		ssize_t got = read(fd, bytes + size, ROOM - size);

		if (got <= 0)
			break;
		size += (size_t)got;
		r = frame_scan_more(&scan, bytes, size, &frame);
	}
	close(fd);
	return r == 1 && frame > SAMPLES * sizeof(float) ? (ssize_t)frame : -1;
}

struct load {
	struct pollfd polls[MAX_CLIENTS];
	size_t left[MAX_CLIENTS]; /* bytes of replies under way */
	int clients;
	long batches; /* not yet sent */
	struct codec_buffer batch;
	size_t batch_reply;
	char *bytes;
};

static int send_batch(struct load *load, int client)
{
	load->left[client] = 0;
	if (load->batches == 0)
		return 0;
	load->batches--;
	load->left[client] = load->batch_reply;
	return write(load->polls[client].fd, load->batch.at, load->batch.size) == (ssize_t)load->batch.size ? 0 : -1;
}

/* 1: replies are under way; 0: all is done. */
static int turn(struct load *load)
{
	int busy = 0;

	if (poll(load->polls, (nfds_t)load->clients, 10000) <= 0)
		return -1;
	for (int i = 0; i < load->clients; i++) {
		if (load->polls[i].revents) {
			ssize_t got = read(load->polls[i].fd, load->bytes, ROOM);

			if (got <= 0 || (size_t)got > load->left[i])
				return -1;
			load->left[i] -= (size_t)got;
			if (load->left[i] == 0 && send_batch(load, i) < 0)
				return -1;
		}
		busy |= load->left[i] > 0;
	}
	return busy;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double load_draws(const char *socket, const char *law, long requests, int clients, int pipeline)
{
	struct load load = {.clients = clients, .batches = requests / pipeline, .bytes = malloc(ROOM)};
	double begin = 0;
	int r = encode_batch(law, pipeline, &load.batch);
	ssize_t reply = r || clients > MAX_CLIENTS ? -1 : size_of_reply(socket, &load.batch, pipeline, load.bytes);

	if (reply < 0)
		return -1;
	load.batch_reply = (size_t)reply * (size_t)pipeline;
	for (int i = 0; i < clients && r == 0; i++) {
		load.polls[i] = (struct pollfd){connect_to(socket), POLLIN, 0};
		r = load.polls[i].fd < 0;
	}
	begin = now();
	for (int i = 0; i < clients && r == 0; i++)
		r = send_batch(&load, i);
	if (r == 0)
		do
			r = turn(&load);
		while (r > 0);
	begin = now() - begin;
	for (int i = 0; i < clients; i++)
		close(load.polls[i].fd);
	codec_buffer_free(&load.batch);
	free(load.bytes);
	return r == 0 ? begin : -1;
}

int load_idle(const char *socket, int clients)
{
	struct zone *zone = zone_new();
	struct codec_buffer ping = {0};
	struct value params = value_map();
	char reply[256];
	int r = codec_request(&ping, 1, "ping", &params);

	for (int i = 0; i < clients && r == 0; i++) {
		int fd = connect_to(socket);

		r = fd < 0 || write(fd, ping.at, ping.size) < 0 || read(fd, reply, sizeof reply) <= 0;
	}
	codec_buffer_free(&ping);
	zone_free(zone);
	return r ? -1 : 0;
}
