/* SPDX-License-Identifier: Apache-2.0 */
/* 8 clients of a daemon or of Redis in one thread, over the bare wire, with 16 requests in flight each: the counterpart of
 * redis-benchmark. Requests are bytes made once; replies are counted by their size, which every reply of a batch shares.
 * Prints thousands of requests for a second of the server's CPU, and of the wall.
 *
 *   wire_load draws SOCKET PID METHOD [tile] [sent]    draws of 512 samples, into a tile; sent: not prepared
 *   wire_load gets SOCKET PID SIZE                     of a value under the key bench:SIZE */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
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

enum { CLIENTS = 8, PIPELINE = 16, LOAD = 200000, MAX_CLIENTS = 64, ROOM = 1 << 20, SAMPLES = 512, FIRST_OFFSET = 1 << 20 };

/* Draws of 512 samples. */
struct load_draw {
	const char *method;
	bool tiles;    /* into a tile of each client, or in the reply */
	bool prepared; /* as runs of a prepared call of each client */
};

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return -1;
	return fd;
}

/* What is drawn. tile: 0, or what is filled. */
static int put_draw(struct bump *bump, uint64_t tile, struct value *params)
{
	return value_put(bump, params, tile ? "out" : "n", value_uint(tile ? tile : SAMPLES));
}

/* As many requests as are in flight, each for the samples behind those of the one before; their ids and offsets are of
 * equal size. prepared: 0, or the handle of the call that they run. */
static int encode_batch(const char *method, uint64_t tile, uint64_t prepared, int pipeline, struct codec_buffer *ret)
{
	struct bump *bump = bump_new();
	struct value params = value_map();
	int failed = prepared ? value_put(bump, &params, "prepared", value_uint(prepared)) : put_draw(bump, tile, &params);

	for (int i = 0; i < pipeline; i++) {
		failed |= value_put(bump, &params, "offset", value_uint(FIRST_OFFSET + (uint64_t)i * SAMPLES));
		failed |= codec_request(ret, 1 + (uint32_t)i % 100, prepared ? "run_prepared" : method, &params);
	}
	bump_free(bump);
	return failed;
}

/* Writes a request and reads one whole reply: its size. */
static ssize_t ask(int fd, const void *request, size_t request_size, char *bytes)
{
	static const struct frame_limits limits = {.bytes = ROOM, .elements = 1000};
	struct frame_scan scan;
	size_t size = 0, frame = 0;
	int r = write(fd, request, request_size) < 0 ? -1 : 0;

	frame_scan_init(&scan, &limits);
	while (r == 0) {
		ssize_t got = read(fd, bytes + size, ROOM - size);

		if (got <= 0)
			break;
		size += (size_t)got;
		r = frame_scan_more(&scan, bytes, size, &frame);
	}
	return r == 1 ? (ssize_t)frame : -1;
}

/* Sends it and takes a number from the reply; -1 when it has none. */
static int64_t number_of(int fd, const char *method, struct value *params, const char *name, struct bump *bump,
			 char *bytes)
{
	struct codec_buffer request = {0};
	struct message reply;
	struct error error;
	const struct value *value = NULL;
	ssize_t size = -1;

	if (codec_request(&request, 1, method, params) == 0)
		size = ask(fd, request.at, request.size, bytes);
	codec_buffer_free(&request);
	if (size > 0 && codec_decode(bytes, (size_t)size, bump, &reply, &error) == 0)
		value = value_get(&reply.result, name);
	return value ? (int64_t)value->u : -1;
}

/* A connection with an arena, whose descriptor is dropped, and a tile in it. */
static int open_with_tile(const char *path, uint64_t *ret_tile, char *bytes)
{
	struct bump *bump = bump_new();
	struct value arena = value_map(), tile = value_map();
	int fd = connect_to(path);
	int64_t handle = -1;

	if (fd >= 0 && value_put(bump, &arena, "bytes", value_uint(SAMPLES * sizeof(float))) == 0 &&
	    value_put(bump, &tile, "dtype", value_string("f32")) == 0 &&
	    value_put(bump, &tile, "shape", value_uint(SAMPLES)) == 0 &&
	    number_of(fd, "arena", &arena, "bytes", bump, bytes) > 0)
		handle = number_of(fd, "tile", &tile, "tile", bump, bytes);
	bump_free(bump);
	if (handle > 0) {
		*ret_tile = (uint64_t)handle;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
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
static int exchange_replies(struct load *load)
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

/* The handles of all sessions' first tiles are the same. */
static int open_clients(struct load *load, const char *socket, bool tiles, uint64_t *ret_tile)
{
	uint64_t tile = 0, first = 0;

	for (int i = 0; i < load->clients; i++) {
		int fd = tiles ? open_with_tile(socket, &tile, load->bytes) : connect_to(socket);

		first = i ? first : tile;
		load->polls[i] = (struct pollfd){fd, POLLIN, 0};
		if (fd < 0 || tile != first)
			return -1;
	}
	*ret_tile = tile;
	return 0;
}

static int run_batches(struct load *load)
{
	int r = 0;

	for (int i = 0; i < load->clients && r == 0; i++)
		r = send_batch(load, i);
	if (r == 0)
		do
			r = exchange_replies(load);
		while (r > 0);
	return r;
}

static int begin(struct load *load, const char *socket, bool tiles, long requests, int clients, int pipeline,
		 uint64_t *ret_tile)
{
	*load = (struct load){.clients = clients, .batches = requests / pipeline, .bytes = malloc(ROOM)};
	return clients > MAX_CLIENTS || !load->bytes ? -1 : open_clients(load, socket, tiles, ret_tile);
}

/* The batch and the size of its replies are there: the time that it takes. */
static double run_for(struct load *load)
{
	const double began = now();

	return run_batches(load) == 0 ? now() - began : -1;
}

static void end(struct load *load)
{
	for (int i = 0; i < load->clients && i < MAX_CLIENTS; i++)
		close(load->polls[i].fd);
	codec_buffer_free(&load->batch);
	free(load->bytes);
}

/* The handles of all sessions' first prepared calls are the same, too. */
static int prepare_all(struct load *load, const char *method, uint64_t tile, uint64_t *ret_prepared)
{
	struct bump *bump = bump_new();
	struct value draw = value_map(), params = value_map();
	int failed = put_draw(bump, tile, &draw) | value_put(bump, &params, "method", value_string(method)) |
		     value_put(bump, &params, "params", draw);

	for (int i = 0; i < load->clients && !failed; i++) {
		const int64_t handle = number_of(load->polls[i].fd, "prepare", &params, "prepared", bump, load->bytes);

		failed = handle <= 0 || (i > 0 && (uint64_t)handle != *ret_prepared);
		*ret_prepared = (uint64_t)handle;
	}
	bump_free(bump);
	return failed ? -1 : 0;
}

static double load_draws(const char *socket, const struct load_draw *draw, long requests, int clients, int pipeline)
{
	struct load load;
	uint64_t tile = 0, prepared = 0;
	ssize_t reply = -1;
	double took = -1;
	int r = begin(&load, socket, draw->tiles, requests, clients, pipeline, &tile);

	if (r == 0 && draw->prepared)
		r = prepare_all(&load, draw->method, tile, &prepared);
	if (r == 0)
		r = encode_batch(draw->method, tile, prepared, pipeline, &load.batch);
	if (r == 0)
		reply = ask(load.polls[0].fd, load.batch.at, load.batch.size / (size_t)pipeline, load.bytes);
	if (reply > 0) {
		load.batch_reply = (size_t)reply * (size_t)pipeline;
		took = run_for(&load);
	}
	end(&load);
	return took;
}

/* The reply is "$SIZE", the bytes, and an end of line behind each. */
static double load_gets(const char *socket, size_t size, long requests, int clients, int pipeline)
{
	struct load load;
	uint64_t tile;
	char key[32], request[96], head[32];
	int r = begin(&load, socket, false, requests, clients, pipeline, &tile);
	double took = -1;

	snprintf(key, sizeof key, "bench:%zu", size);
	const size_t n = (size_t)snprintf(request, sizeof request, "*2\r\n$3\r\nGET\r\n$%zu\r\n%s\r\n", strlen(key), key);

	load.batch.at = malloc(n * (size_t)pipeline);
	load.batch.size = n * (size_t)pipeline;
	for (int i = 0; i < pipeline && load.batch.at; i++)
		memcpy(load.batch.at + n * (size_t)i, request, n);
	load.batch_reply = ((size_t)snprintf(head, sizeof head, "$%zu\r\n", size) + size + 2) * (size_t)pipeline;
	if (r == 0 && load.batch.at)
		took = run_for(&load);
	end(&load);
	return took;
}

static double cpu_of(pid_t pid)
{
	struct timespec t = {0, 0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool has_word(char **words, const char *word)
{
	for (; *words; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const pid_t server = argc > 4 ? atoi(argv[3]) : 0;
	double cpu, took;

	if (argc < 5)
		return 2;
	cpu = cpu_of(server);
	if (strcmp(argv[1], "gets") == 0) {
		took = load_gets(argv[2], strtoul(argv[4], NULL, 10), LOAD, CLIENTS, PIPELINE);
	} else {
		const struct load_draw draw = {argv[4], has_word(argv + 5, "tile"), !has_word(argv + 5, "sent")};

		took = load_draws(argv[2], &draw, LOAD, CLIENTS, PIPELINE);
	}
	if (took < 0)
		return 1;
	printf("ours %.4f\nwall %.4f\n", 1e-3 * LOAD / (cpu_of(server) - cpu), 1e-3 * LOAD / took);
	return 0;
}
