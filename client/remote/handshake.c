/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting to a daemon and greeting it. */
#include "handshake.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "fdpass.h"

#define NO_ROOM "connection: a reply could not be stored"

enum { RECEIVE_BYTES = 2048 }; /* room for each call of recvmsg: replies of the handshake are small */

const struct frame_limits handshake_reply_limits = {.bytes = (size_t)1 << 30, .elements = 1 << 22};

bool handshake_read_error(const struct value *params, struct error *ret_error)
{
	const struct value *text = value_get(params, "text"), *kind = value_get(params, "kind");
	uint64_t number = ERROR_KIND_FAILED;
	size_t size;

	if (!text || (text->kind != VALUE_STRING && text->kind != VALUE_BYTES))
		return false;
	size = text->bytes.size < sizeof ret_error->text ? text->bytes.size : sizeof ret_error->text - 1;
	memcpy(ret_error->text, text->bytes.at, size);
	ret_error->text[size] = '\0';
	if (kind)
		value_to_u64(kind, &number);
	ret_error->code = error_from_text(ret_error->text);
	if (ret_error->code == 0) /* an error that a later release has added */
		ret_error->code = number == ERROR_KIND_REQUEST ? ERROR_NOT_SUPPORTED : ERROR_SYSTEM;
	return true;
}

bool handshake_read_closing(const struct message *message, struct error *ret_error)
{
	static const char method[] = "error";

	return message->type == MESSAGE_NOTIFICATION && message->method_size == sizeof method - 1 &&
	       memcmp(message->method, method, sizeof method - 1) == 0 && handshake_read_error(&message->params, ret_error);
}

/* Why connect failed; where it is a matter of rights, the group that has them. */
static void explain_refusal(const char *path, int number, struct error *err)
{
	struct group entry, *group = NULL;
	struct stat status;
	char strings[1024];

	if (number != EACCES || stat(path, &status) < 0) {
		error_set(err, ERROR_NO_DAEMON, "%s: %s", path, strerror(number));
		return;
	}
	if (getgrgid_r(status.st_gid, &entry, strings, sizeof strings, &group) == 0 && group)
		error_set(err, ERROR_NO_DAEMON, "%s: %s, allowed: members of group %s", path, strerror(number),
			  group->gr_name);
	else
		error_set(err, ERROR_NO_DAEMON, "%s: %s, allowed: members of group %u", path, strerror(number),
			  (unsigned)status.st_gid);
}

/* Connects a non-blocking socket. If the daemon's queue of connections is full, waits until the timeout. */
static int connect_in_time(int fd, const struct sockaddr_un *address, int timeout_ms)
{
	const struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
	const struct sockaddr *to = (const struct sockaddr *)address;

	if (connect(fd, to, sizeof *address) == 0)
		return 0;
	if (errno != EAGAIN || fcntl(fd, F_SETFL, 0) < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
	return connect(fd, to, sizeof *address) < 0 ? -1 : fcntl(fd, F_SETFL, O_NONBLOCK);
}

int handshake_connect(const char *path, int timeout_ms, int *ret_socket, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (!*path || strlen(path) >= sizeof address.sun_path)
		return error_set(err, ERROR_OUT_OF_RANGE, "address: %zu bytes, allowed 1 to %zu", strlen(path),
				 sizeof address.sun_path - 1);
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "socket: %s", strerror(errno));
	if (connect_in_time(fd, &address, timeout_ms) < 0) {
		explain_refusal(path, errno, err);
		close(fd);
		return -ERROR_NO_DAEMON;
	}
	*ret_socket = fd;
	return 0;
}

void handshake_init(struct handshake *handshake, int socket, int64_t deadline)
{
	*handshake = (struct handshake){.socket = socket, .deadline = deadline};
}

void handshake_end(struct handshake *handshake)
{
	codec_buffer_free(&handshake->out);
	input_free(&handshake->in);
}

static int fail_closed(const char *why, struct error *err)
{
	return error_set(err, ERROR_CLOSED, "connection: %s", why);
}

static int wait_for(struct handshake *handshake, short what, struct error *err)
{
	struct pollfd news = {handshake->socket, what, 0};
	int r;

	do
		r = poll(&news, 1, deadline_left_ms(handshake->deadline));
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return error_set(err, ERROR_TIMEOUT, "connection: no answer in time");
	return r > 0 ? 0 : fail_closed(strerror(errno), err);
}

/* Sends all of the request, and waits for room until the deadline. */
static int send_all(struct handshake *handshake, struct error *err)
{
	const struct codec_buffer *out = &handshake->out;

	for (size_t done = 0; done < out->size;) {
		const ssize_t sent = fdpass_send(handshake->socket, out->at + done, out->size - done, NULL);
		const int r = sent == -EAGAIN ? wait_for(handshake, POLLOUT, err) : 0;

		if (r < 0)
			return r;
		if (sent == -EPIPE)
			break; /* the daemon may have sent its reason */
		if (sent < 0 && sent != -EAGAIN)
			return fail_closed(strerror((int)-sent), err);
		done += sent > 0 ? (size_t)sent : 0;
	}
	handshake->out.size = 0;
	return 0;
}

/* Looks for bytes as long as that pays, then sleeps until the socket is readable. */
static ssize_t look_and_wait(struct handshake *handshake, struct fdpass *fds, struct error *err)
{
	struct wait wait;
	ssize_t got;
	int r = 0;

	wait_begin(&wait, &handshake->waits, WAIT_FOR_ONE);
	do
		got = input_receive(&handshake->in, handshake->socket, fds);
	while (got == -EAGAIN && wait_again(&wait));
	if (got == -EAGAIN)
		r = wait_for(handshake, POLLIN, err);
	wait_end(&wait, &handshake->waits, got != -EAGAIN);
	return r < 0 ? -ETIMEDOUT : got;
}

/* Waits for more bytes. fds (may be NULL) are those of one reply, which come with one of its bytes. */
static int receive(struct handshake *handshake, struct fdpass *fds, struct error *err)
{
	struct error waiting = {0};
	ssize_t got;

	if (!input_make_room(&handshake->in, RECEIVE_BYTES))
		return error_set(err, ERROR_NO_MEMORY, NO_ROOM);
	got = look_and_wait(handshake, fds, &waiting);
	if (waiting.code) {
		*err = waiting;
		return -waiting.code;
	}
	if (got == -EPROTO)
		return error_set(err, ERROR_BAD_REPLY, "connection: a file descriptor that was not asked for");
	if (got > 0 || got == -EAGAIN)
		return 0;
	return fail_closed(got ? strerror((int)-got) : "the daemon closed it", err);
}

/* Takes the next whole frame out of the input, as a copy in the bump allocator. */
static int next_frame(struct handshake *handshake, struct bump *bump, struct fdpass *fds, char **ret_frame,
		      size_t *ret_size, struct error *err)
{
	struct frame_scan scan;
	size_t size = 0;
	int r = 0;

	frame_scan_init(&scan, &handshake_reply_limits);
	while (r == 0) {
		r = handshake->in.size ? frame_scan_more(&scan, handshake->in.at, handshake->in.size, &size) : 0;
		if (r == 0 && (r = receive(handshake, fds, err)) < 0)
			return r;
	}
	if (r < 0)
		return error_set(err, ERROR_BAD_REPLY, "connection: %s", scan.wrong);
	*ret_frame = bump_copy(bump, handshake->in.at, size);
	if (!*ret_frame)
		return error_set(err, ERROR_NO_MEMORY, NO_ROOM);
	*ret_size = size;
	input_drop(&handshake->in, size);
	return 0;
}

/* Reads up to the reply. Notifications before it are looked at for the daemon's reason to close, and dropped. */
static int read_reply(struct handshake *handshake, struct bump *bump, struct fdpass *fds, struct value *ret_result,
		      struct error *err)
{
	struct message message = {.type = MESSAGE_NOTIFICATION};

	while (message.type == MESSAGE_NOTIFICATION) {
		char *frame = NULL;
		size_t size = 0;
		int r = next_frame(handshake, bump, fds, &frame, &size, err);

		if (r < 0)
			return r;
		if (codec_decode(frame, size, bump, &message, err) < 0 || message.type == MESSAGE_REQUEST)
			return error_set(err, ERROR_BAD_REPLY, "connection: what came is no answer");
		handshake_read_closing(&message, &handshake->closing);
	}
	if (message.msgid != handshake->last_msgid)
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

int handshake_call(struct handshake *handshake, const char *method, const struct value *params, struct bump *bump,
		   struct fdpass *ret_fds, struct value *ret_result, struct error *err)
{
	struct fdpass fds = {.count = 0};
	int r = codec_request(&handshake->out, ++handshake->last_msgid, method, params);

	if (r < 0)
		return error_set(err, ERROR_NO_MEMORY, "%s: no memory for the request", method);
	r = send_all(handshake, err);
	if (r == 0)
		r = read_reply(handshake, bump, ret_fds ? &fds : NULL, ret_result, err);
	if (r < 0)
		fdpass_close(&fds);
	else if (ret_fds)
		*ret_fds = fds;
	return r;
}

/* An instance of 16 characters names one run of a daemon. With it a session knows after a reconnect whether the daemon
 * was restarted. */
static int read_version(const struct value *reply, char ret_instance[HANDSHAKE_INSTANCE], struct error *err)
{
	const struct value *number = value_get(reply, "protocol"), *instance = value_get(reply, "instance");
	uint64_t protocol = 0;

	if (!number || !value_to_u64(number, &protocol))
		return error_set(err, ERROR_BAD_REPLY, "version: the reply has no number protocol");
	if (protocol != REMOTE_PROTOCOL)
		return error_set(err, ERROR_NOT_SUPPORTED, "protocol: the daemon speaks %llu, this library speaks %d",
				 (unsigned long long)protocol, REMOTE_PROTOCOL);
	ret_instance[0] = '\0';
	if (!instance)
		return 0;
	if (instance->kind != VALUE_STRING || instance->bytes.size >= HANDSHAKE_INSTANCE)
		return error_set(err, ERROR_BAD_REPLY, "version: instance: allowed are up to %d bytes of text",
				 HANDSHAKE_INSTANCE - 1);
	memcpy(ret_instance, instance->bytes.at, instance->bytes.size);
	ret_instance[instance->bytes.size] = '\0';
	return 0;
}

int handshake_greet(struct handshake *handshake, char ret_instance[HANDSHAKE_INSTANCE], struct error *err)
{
	struct bump *bump = bump_new();
	struct value result;
	int r = bump ? handshake_call(handshake, "version", NULL, bump, NULL, &result, err)
		     : error_set(err, ERROR_NO_MEMORY, NO_ROOM);

	if (r == 0)
		r = read_version(&result, ret_instance, err);
	bump_free(bump);
	if (r == -ERROR_CLOSED && handshake->closing.code) {
		if (err)
			*err = handshake->closing;
		r = -handshake->closing.code;
	}
	return r;
}
