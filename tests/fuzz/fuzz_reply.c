/* SPDX-License-Identifier: Apache-2.0 */
/* The client's side of a connection: whatever a daemon answers, with whatever descriptors, the library returns errors;
 * it touches no memory that it was not given, keeps no descriptor, and waits for nothing that cannot come.
 *
 * Input: a byte selects the functions that are called (bits, see `deeds`). Then records, one of which is delivered each
 * time the client waits: a byte of flags, two of length (high first), six for each descriptor, the bytes. A client that
 * waits when there is none left finds the connection closed. No second thread: what the library sends goes nowhere, and
 * what it polls is fed from here (the linker's --wrap). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <trnsci/trnsci.h>

#include "tests/client/drawing.h"

#include "base/error.h"
#include "fdpass.h"

enum {
	FLAG_FDS = 3,    /* how many descriptors */
	FLAG_REPLY = 4,  /* the bytes are the result in an answer to what was asked last; else they are sent as they are */
	FLAG_ERROR = 8,  /* ... or its error */
	FLAG_LAST = 16,  /* the connection ends behind it; the client may connect again */
	FLAG_MARK = 32,  /* the memory that was passed before is marked as one that a daemon empties */
	FD_BYTES = 6,    /* kind, pages (two), seals, what two counters of its first page say */
	FDS_MOST = 64,   /* in one input */
	ARENA_BYTES = 1 << 20,
	RECEIVED = 1100, /* samples */
	PAGE = 4096,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_handshake_connect(const char *path, int timeout_ms, int *ret_socket, struct error *err);
ssize_t __wrap_fdpass_send(int socket, const void *bytes, size_t size, const struct fdpass *fds);
ssize_t __real_fdpass_send(int socket, const void *bytes, size_t size, const struct fdpass *fds);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout);

/* The false daemon. */
static struct {
	const uint8_t *at, *end;
	int socket; /* its end; -1: none */
	bool over;  /* it has no more to say on this connection */
	unsigned connections;
	uint8_t msgid[5]; /* of the last request, as it was written */
	size_t msgid_size;
	int fds[FDS_MOST];
	bool own[FDS_MOST]; /* a memfd: its mode is ours to change, that of a device is the machine's */
	size_t n_fds;
} liar;

static void must(bool right)
{
	if (!right)
		abort();
}

/* ---- what it says ---- */

static uint8_t next_byte(void)
{
	return liar.at < liar.end ? *liar.at++ : 0;
}

/* A memfd of so many pages with two counters where a ring has them (*ret_own), or what is none. */
static int make_fd(bool *ret_own)
{
	const uint8_t kind = next_byte(), high = next_byte(), low = next_byte(), seals = next_byte();
	const uint64_t counters[2] = {(uint64_t)(int8_t)next_byte(), (uint64_t)(int8_t)next_byte()};
	int ends[2], fd;

	*ret_own = kind % 8 < 5;
	switch (kind % 8) {
	case 5:
		return eventfd(0, EFD_CLOEXEC);
	case 6:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	case 7:
		must(pipe2(ends, O_CLOEXEC) == 0);
		close(ends[0]);
		return ends[1];
	default:
		fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		must(fd >= 0 && ftruncate(fd, (off_t)((high << 8 | low) % 1024) * PAGE + kind % 8) == 0);
		if (((high << 8 | low) % 1024) > 0)
			must(pwrite(fd, counters, sizeof counters, 64) == sizeof counters);
		fcntl(fd, F_ADD_SEALS, seals);
		return fd;
	}
}

static void say(const void *bytes, size_t size, const struct fdpass *fds)
{
	if (size > 0)
		__real_fdpass_send(liar.socket, bytes, size, fds);
}

/* [1, msgid, nil, result], or [1, msgid, error, nil]. */
static void say_reply(const uint8_t *bytes, size_t size, bool error, const struct fdpass *fds)
{
	uint8_t *frame = malloc(size + 16);
	size_t at = 0;

	must(frame != NULL);
	frame[at++] = 0x94;
	frame[at++] = 1;
	memcpy(frame + at, liar.msgid, liar.msgid_size);
	at += liar.msgid_size;
	if (!error)
		frame[at++] = 0xc0;
	if (size > 0)
		memcpy(frame + at, bytes, size);
	at += size;
	if (error)
		frame[at++] = 0xc0;
	say(frame, at, fds);
	free(frame);
}

static void hang_up(void)
{
	if (!liar.over)
		shutdown(liar.socket, SHUT_WR);
	liar.over = true;
}

static void deliver(void)
{
	const uint8_t flags = next_byte();
	size_t size = next_byte();
	struct fdpass fds = {.count = 0};

	size = size << 8 | next_byte();
	for (unsigned i = 0; i < (flags & FLAG_FDS) && liar.n_fds < FDS_MOST; i++, liar.n_fds++)
		fds.at[fds.count++] = liar.fds[liar.n_fds] = make_fd(&liar.own[liar.n_fds]);
	size = size < (size_t)(liar.end - liar.at) ? size : (size_t)(liar.end - liar.at);
	if (flags & (FLAG_REPLY | FLAG_ERROR))
		say_reply(liar.at, size, flags & FLAG_ERROR, &fds);
	else
		say(liar.at, size, &fds);
	liar.at += size;
	for (size_t i = 0; flags & FLAG_MARK && i < liar.n_fds; i++)
		if (liar.own[i])
			fchmod(liar.fds[i], 0);
	if (flags & FLAG_LAST)
		hang_up();
}

/* ---- where the library meets it ---- */

/* Every connection is greeted honestly. The second is with another daemon than the first, the third with the same as the
 * second, and so on; all that follows comes from the input, as long as it lasts. */
int __wrap_handshake_connect(const char *path, int timeout_ms, int *ret_socket, struct error *err)
{
	char greeting[] = "\x94\x01\x01\xc0\x82\xa8protocol\x01\xa8instance\xa1?";
	int pair[2];

	(void)path;
	(void)timeout_ms;
	greeting[sizeof greeting - 2] = (char)('a' + (liar.connections + 1) / 2 % 26);
	if (liar.connections++ > 0 && liar.at >= liar.end)
		return error_set(err, ERROR_OUT_OF_RANGE, "fuzz: no more"); /* one that is not tried again */
	if (liar.socket >= 0)
		close(liar.socket);
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
	liar.socket = pair[1];
	liar.over = false;
	say(greeting, sizeof greeting - 1, NULL);
	*ret_socket = pair[0];
	return 0;
}

/* [0, msgid, ... */
ssize_t __wrap_fdpass_send(int socket, const void *bytes, size_t size, const struct fdpass *fds)
{
	static const uint8_t more[256] = {[0xcc] = 1, [0xcd] = 2, [0xce] = 4};
	const uint8_t *at = bytes;

	(void)socket;
	must(!fds || fds->count == 0);
	if (liar.over)
		return -EPIPE;
	must(size > 3 && at[0] == 0x94);
	liar.msgid_size = (size_t)1 + more[at[2]];
	must(size > 2 + liar.msgid_size);
	memcpy(liar.msgid, at + 2, liar.msgid_size);
	return (ssize_t)size;
}

/* Nobody waits: what is to come is made to come now. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int r = __real_poll(fds, count, 0);

	while (r == 0 && timeout != 0) {
		if (liar.over)
			abort(); /* it waits for a connection that is closed, and knows that */
		if (liar.at < liar.end)
			deliver();
		else
			hang_up();
		r = __real_poll(fds, count, 0);
	}
	return r;
}

/* ---- what a program does ---- */

/* All of it, as if it were used. */
static uint64_t look_at(const struct trnsci_value *value, unsigned depth)
{
	struct trnsci_array array;
	uint64_t sum = 0, number;
	size_t size = 0;
	double real;
	const uint8_t *bytes = trnsci_value_to_bytes(value, &size);

	for (size_t i = 0; bytes && i < size; i++)
		sum += bytes[i];
	sum += trnsci_value_to_u64(value, &number) == 0 ? number : 0;
	sum += trnsci_value_to_f64(value, &real) == 0;
	if (trnsci_value_to_array(value, &array) == 0)
		for (size_t i = 0; i < array.bytes; i++)
			sum += ((const uint8_t *)array.data)[i];
	must(depth < 64);
	for (size_t i = 0; i < trnsci_value_count(value); i++) {
		const char *name = trnsci_value_name_at(value, i, &size);

		for (size_t k = 0; name && k < size; k++)
			sum += (uint8_t)name[k];
		sum += look_at(trnsci_value_at(value, i), depth + 1);
	}
	return sum;
}

static struct trnsci_session *session;
static struct trnsci_tile *tiles[2];
static const struct drawing normal = {.distribution = "normal", .source = {.seed = 1}};

/* Whoever could still shrink what the library has accepted, does. */
static void shrink_all(void)
{
	for (size_t i = 0; i < liar.n_fds; i++)
		if (liar.fds[i] >= 0 && ftruncate(liar.fds[i], 0) < 0)
			continue;
}

static void do_tiles(void)
{
	const uint64_t shape[2] = {2, 64};

	for (int i = 0; i < 2; i++)
		if (!tiles[i])
			trnsci_tile_new(session, TRNSCI_F32, 2, shape, &tiles[i], NULL);
	shrink_all();
	for (int i = 0; i < 2; i++)
		if (tiles[i] && trnsci_tile_data(tiles[i]))
			memset(trnsci_tile_data(tiles[i]), 1, tile_info(tiles[i]).bytes);
}

static void do_draws(void)
{
	static float out[100 << 10];
	const struct trnsci_param in[] = {trnsci_param_tile("in", tiles[0]), trnsci_param_end()};
	struct trnsci_tile *made = NULL;
	struct trnsci_span span;

	for (int i = 0; i < 2; i++)
		if (tiles[i]) {
			draw_tile(session, &normal, 0, tiles[i], &span, NULL);
		}
	if (tiles[0] && tiles[1])
		trnsci_apply_tile(session, "fft", in, &tiles[1], NULL);
	if (tiles[0] && trnsci_apply_tile(session, "fft", in, &made, NULL) == 0 && trnsci_tile_data(made))
		memset(trnsci_tile_data(made), 1, tile_info(made).bytes);
	trnsci_tile_free(made);
	trnsci_apply_array(session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, 8, out), trnsci_array_vector(TRNSCI_C64, 8, out),
			   NULL);
	draw_array(session, &normal, TRNSCI_F32, 8, out, &span, NULL);
	draw_array(session, &normal, TRNSCI_F32, sizeof out / sizeof *out, out, &span, NULL);
	float *received = malloc(RECEIVED * sizeof *received); /* the library receives straight into it */

	must(received != NULL);
	draw_array(session, &normal, TRNSCI_F32, RECEIVED, received, NULL, NULL);
	free(received);
}

static int look_at_stream(void *arg, const struct trnsci_stream_info *info)
{
	(void)arg;
	must(strlen(info->name) <= TRNSCI_STREAM_NAME_MAX && strlen(info->generator) < sizeof info->generator);
	return 0;
}

static void do_streams(void)
{
	const struct drawing sphere = {.distribution = "sphere"}, bits = {.distribution = "bits"};
	struct trnsci_stream_info info;
	struct trnsci_span range;
	float out[12];

	if (trnsci_stream_show(session, "s", &info, NULL) == 0)
		look_at_stream(NULL, &info);
	trnsci_stream_list(session, look_at_stream, NULL, NULL);
	if (tiles[0])
		stream_tile(session, "s", &bits, tiles[0], &range, NULL);
	stream_array(session, "s", &bits, TRNSCI_F32, 12, out, &range, NULL);
	stream_array(session, "s", &sphere, TRNSCI_F32, 12, out, &range, NULL);
}

static void do_rings(void)
{
	struct trnsci_reader *ring = NULL;
	struct trnsci_reader_info info;
	struct trnsci_reader_span span;
	const void *samples;

	if (draw_ring(session, &normal, TRNSCI_F32, 1024, &ring, NULL) < 0)
		return;
	shrink_all();
	must(trnsci_reader_describe(ring, &info) == 0 && info.sample_bytes > 0);
	char *out = malloc((size_t)info.sample_bytes * 16);

	must(out || info.sample_bytes > 1 << 20);
	for (int i = 0; i < 3 && out; i++)
		trnsci_reader_take(ring, out, 16, 0, &span, NULL);
	if (trnsci_reader_borrow(ring, 4, 0, &samples, &span, NULL) == 0) {
		for (uint64_t i = 0; i < 4 * info.sample_bytes; i++)
			((volatile const char *)samples)[i];
		trnsci_reader_release(ring, 2, NULL);
	}
	free(out);
	trnsci_reader_detach(ring);
}

static void do_broadcasts(void)
{
	struct trnsci_reader *reader = NULL;
	struct trnsci_reader_span span;
	struct trnsci_reader_info info;

	if (trnsci_broadcast_attach(session, "b", &reader, NULL) < 0)
		return;
	shrink_all();
	must(trnsci_reader_describe(reader, &info) == 0 && info.sample_bytes > 0);
	char *out = malloc((size_t)info.sample_bytes * 16);

	must(out || info.sample_bytes > 1 << 20);
	for (int i = 0; i < 3 && out; i++)
		trnsci_reader_take(reader, out, 16, 0, &span, NULL);
	trnsci_reader_seek(reader, UINT64_MAX, NULL);
	free(out);
	trnsci_reader_detach(reader);
}

/* Several in flight, and one that is cancelled. */
static void do_calls(void)
{
	struct trnsci_call *calls[3], *next;

	for (int i = 0; i < 3; i++) {
		must(trnsci_call_new(session, i == 1 ? "stats" : "ping", &calls[i]) == 0);
		trnsci_submit(calls[i], NULL, NULL);
	}
	trnsci_cancel(calls[2]);
	while (trnsci_next(session, 0, &next, NULL) == 0)
		look_at(trnsci_call_reply(next), 0);
	for (int i = 0; i < 3; i++) {
		if (trnsci_wait(calls[i], -1) == 0)
			look_at(trnsci_call_reply(calls[i]), 0);
		trnsci_call_free(calls[i]);
	}
}

/* What was read of tiles may be lost; what is said to be there, is. */
static void do_look(void)
{
	struct trnsci_session_info info;

	trnsci_session_describe(session, &info);
	shrink_all();
	for (int i = 0; i < 2; i++)
		if (tiles[i] && trnsci_tile_data(tiles[i])) {
			memset(trnsci_tile_data(tiles[i]), 2, tile_info(tiles[i]).bytes);
		}
}

/* Of a device that a daemon may have passed. Neither the library nor this target may change it. */
static mode_t device_mode(void)
{
	struct stat st;

	must(stat("/dev/null", &st) == 0);
	return st.st_mode;
}

/* The number that a descriptor would get. */
static int lowest_free(void)
{
	const int fd = dup(0);

	must(fd >= 0);
	close(fd);
	return fd;
}

static void (*const deeds[8])(void) = {do_tiles, do_draws, do_calls, do_streams, do_rings, do_broadcasts, do_draws, do_look};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct trnsci_options options = {
		.arena_bytes = ARENA_BYTES, .timeout_ms = 1000, .spin_us = -1, .reconnect_ms = 1000};
	const int free_before = lowest_free();
	const mode_t mode_before = device_mode();

	if (size == 0)
		return 0;
	liar.at = data + 1;
	liar.end = data + size;
	liar.socket = -1;
	liar.over = false;
	liar.connections = 0;
	liar.n_fds = 0;
	tiles[0] = tiles[1] = NULL;
	must(trnsci_open("/fuzz", &options, &session, NULL) == 0);
	for (int i = 0; i < 8; i++)
		if (data[0] & 1 << i)
			deeds[i]();
	for (int i = 0; i < 2; i++)
		trnsci_tile_free(tiles[i]);
	trnsci_close(session);
	close(liar.socket);
	for (size_t i = 0; i < liar.n_fds; i++)
		if (liar.fds[i] >= 0)
			close(liar.fds[i]);
	must(lowest_free() == free_before);
	must(device_mode() == mode_before);
	return 0;
}
