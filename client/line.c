/* SPDX-License-Identifier: Apache-2.0 */
/* A connection before a session has it. */
#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "frame.h"
#include "wire.h"

enum { LINE_ROOM = 4096 };

int line_connect(const char *path, int timeout_ms, int *ret_socket, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

	if (!*path || strlen(path) >= sizeof address.sun_path)
		return error_set(err, ERROR_OUT_OF_RANGE, "address: %zu bytes, allowed 1 to %zu", strlen(path),
				 sizeof address.sun_path - 1);
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout); /* a full backlog makes connect wait */
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
		error_set(err, ERROR_NO_DAEMON, "%s: %s", path, strerror(errno));
		close(fd);
		return -ERROR_NO_DAEMON;
	}
	*ret_socket = fd;
	return 0;
}

void line_init(struct line *line, int socket, int64_t deadline)
{
	*line = (struct line){.socket = socket, .deadline = deadline};
}

void line_end(struct line *line)
{
	codec_buffer_free(&line->out);
	free(line->in);
	line->in = NULL;
}

static int lost(const char *why, struct error *err)
{
	return error_set(err, ERROR_CLOSED, "connection: %s", why);
}

static int wait_for(struct line *line, short what, struct error *err)
{
	struct pollfd news = {line->socket, what, 0};
	int r;

	do
		r = poll(&news, 1, deadline_left_ms(line->deadline));
	while (r < 0 && errno == EINTR);
	return r > 0 ? 0 : lost(r == 0 ? "no answer in time" : strerror(errno), err);
}

static int send_all(struct line *line, struct error *err)
{
	for (size_t done = 0; done < line->out.size;) {
		ssize_t sent = fdpass_send(line->socket, line->out.at + done, line->out.size - done, NULL);

		if (sent == -EAGAIN && wait_for(line, POLLOUT, err) == 0)
			continue;
		if (sent == -EPIPE)
			break; /* the reason may wait to be read */
		if (sent < 0)
			return sent == -EAGAIN ? -ERROR_CLOSED : lost(strerror((int)-sent), err);
		done += (size_t)sent;
	}
	line->out.size = 0;
	return 0;
}

static int make_room(struct line *line, struct error *err)
{
	const size_t room = line->in_room ? line->in_room * 2 : LINE_ROOM;
	char *bigger = line->in_size < line->in_room ? line->in : realloc(line->in, room);

	if (!bigger)
		return error_set(err, ERROR_NO_MEMORY, "connection: a reply could not be stored");
	if (line->in_size >= line->in_room)
		line->in_room = room;
	line->in = bigger;
	return 0;
}

/* Some bytes more; fds (may be NULL) are those of one reply, which come with one of its bytes. */
static int receive(struct line *line, struct fdpass *fds, struct error *err)
{
	struct fdpass came = {.count = 0};
	bool strange = false;
	ssize_t got;
	int r = make_room(line, err);

	if (r == 0)
		r = wait_for(line, POLLIN, err);
	if (r < 0)
		return r;
	got = fdpass_receive(line->socket, line->in + line->in_size, line->in_room - line->in_size, fds ? &came : NULL,
			     &strange);
	if (strange || (fds && !fdpass_join(fds, &came))) {
		fdpass_close(&came);
		return error_set(err, ERROR_BAD_REPLY, "connection: a file descriptor that was not asked for");
	}
	if (got == -EAGAIN)
		return 0;
	if (got <= 0)
		return lost(got ? strerror((int)-got) : "the daemon closed it", err);
	line->in_size += (size_t)got;
	return 0;
}

/* The next whole frame, taken out of what has come: a copy in the zone. */
static int next_frame(struct line *line, struct zone *zone, struct fdpass *fds, char **ret_frame, size_t *ret_size,
		      struct error *err)
{
	struct frame_scan scan;
	size_t size = 0;
	int r = 0;

	frame_scan_init(&scan, &wire_reply_limits);
	while (r == 0) {
		r = line->in_size ? frame_scan_more(&scan, line->in, line->in_size, &size) : 0;
		if (r == 0 && (r = receive(line, fds, err)) < 0)
			return r;
	}
	if (r < 0)
		return error_set(err, ERROR_BAD_REPLY, "connection: %s", scan.wrong);
	*ret_frame = zone_copy(zone, line->in, size);
	if (!*ret_frame)
		return error_set(err, ERROR_NO_MEMORY, "connection: a reply could not be stored");
	*ret_size = size;
	line->in_size -= size;
	memmove(line->in, line->in + size, line->in_size);
	return 0;
}

static int read_reply(struct line *line, struct zone *zone, struct fdpass *fds, struct value *ret_result,
		      struct error *err)
{
	struct message message = {.type = MESSAGE_NOTIFICATION};

	while (message.type == MESSAGE_NOTIFICATION) {
		char *frame = NULL;
		size_t size = 0;
		int r = next_frame(line, zone, fds, &frame, &size, err);

		if (r < 0)
			return r;
		if (codec_decode(frame, size, zone, &message, err) < 0 || message.type == MESSAGE_REQUEST)
			return error_set(err, ERROR_BAD_REPLY, "connection: what came is no answer");
		wire_read_closing(&message, &line->closing);
	}
	if (message.msgid != line->last_msgid)
		return error_set(err, ERROR_BAD_REPLY, "connection: an answer to a request that was not sent");
	if (message.error.code) {
		if (err)
			*err = message.error;
		return -message.error.code;
	}
	if (message.result.kind != VALUE_MAP)
		return error_set(err, ERROR_BAD_REPLY, "connection: the reply is not a map");
	*ret_result = message.result;
	return 0;
}

int line_call(struct line *line, const char *method, const struct value *params, struct zone *zone,
	      struct fdpass *ret_fds, struct value *ret_result, struct error *err)
{
	struct fdpass fds = {.count = 0};
	int r = codec_request(&line->out, ++line->last_msgid, method, params);

	if (r < 0)
		return error_set(err, ERROR_NO_MEMORY, "%s: no memory for the request", method);
	r = send_all(line, err);
	if (r == 0)
		r = read_reply(line, zone, ret_fds ? &fds : NULL, ret_result, err);
	if (r < 0)
		fdpass_close(&fds);
	else if (ret_fds)
		*ret_fds = fds;
	return r;
}

int line_greet(struct line *line, struct error *err)
{
	struct zone *zone = zone_new();
	struct value result;
	uint64_t protocol = 0;
	int r = zone ? line_call(line, "version", NULL, zone, NULL, &result, err) : -ERROR_NO_MEMORY;

	if (r == 0) {
		const struct value *number = value_get(&result, "protocol");

		if (!number || !value_to_u64(number, &protocol) || protocol != REMOTE_PROTOCOL)
			r = error_set(err, ERROR_BAD_REPLY, "connection: a daemon of another protocol");
	}
	zone_free(zone);
	if (r == -ERROR_CLOSED && line->closing.code) {
		if (err)
			*err = line->closing;
		r = -line->closing.code;
	}
	return r;
}
