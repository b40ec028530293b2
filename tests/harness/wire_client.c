/* SPDX-License-Identifier: Apache-2.0 */
/* The wire's side of a client, for tests. */
#include "wire_client.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "frame.h"
#include "harness/sanitized.h"
#include "harness/wait.h"

void client_open(struct client *client, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*client = (struct client){.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), .bump = bump_new()};
	strcpy(address.sun_path, path);
	if (connect(client->fd, (struct sockaddr *)&address, sizeof address) < 0)
		fail_msg("connect %s: %s", path, strerror(errno));
}

void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	free(client->at);
	bump_free(client->bump);
	*client = (struct client){.fd = -1};
}

struct value client_map(struct client *client, ...)
{
	struct value map = value_map();
	va_list args;

	va_start(args, client);
	for (const char *name; (name = va_arg(args, const char *));)
		assert_int_equal(value_put(client->bump, &map, name, va_arg(args, struct value)), 0);
	va_end(args);
	return map;
}

void client_send_bytes(struct client *client, const void *bytes, size_t size)
{
	for (size_t sent = 0; sent < size;) {
		ssize_t r = fdpass_send(client->fd, (const char *)bytes + sent, size - sent, NULL);

		if (r < 0)
			fail_msg("send: %s", strerror((int)-r));
		sent += (size_t)r;
	}
}

uint32_t client_send(struct client *client, const char *method, const struct value *params)
{
	struct codec_buffer buffer = {0};

	assert_int_equal(codec_request(&buffer, ++client->last_msgid, method, params), 0);
	client_send_bytes(client, buffer.at, buffer.size);
	codec_buffer_free(&buffer);
	return client->last_msgid;
}

/* One message from what has been received, if a whole one is there. */
static bool take(struct client *client, struct message *ret)
{
	struct frame_limits limits = {.bytes = (size_t)1 << 30, .elements = 1 << 20};
	struct frame_scan scan;
	struct error err;
	size_t size;
	int r;

	frame_scan_init(&scan, &limits);
	r = frame_scan_more(&scan, client->at, client->size, &size);
	assert_true(r >= 0);
	if (r == 0)
		return false;
	char *frame = bump_copy(client->bump, client->at, size);
	memmove(client->at, client->at + size, client->size - size);
	client->size -= size;
	r = codec_decode(frame, size, client->bump, ret, &err);
	if (r < 0)
		fail_msg("the daemon sent what is no message: %s", err.text);
	return true;
}

bool client_receive_fds(struct client *client, struct message *ret, struct fdpass *ret_fds)
{
	struct pollfd wait = {client->fd, POLLIN, 0};
	bool strange;

	*ret_fds = (struct fdpass){.count = 0};
	while (!take(client, ret)) {
		struct fdpass fds;

		if (client->room - client->size < 65536)
			client->at = realloc(client->at, client->room = client->room * 2 + 65536);
		if (poll(&wait, 1, DEADLINE_MS) != 1)
			fail_msg("nothing came from the daemon for %d ms", DEADLINE_MS);
		ssize_t got = fdpass_receive(client->fd, client->at + client->size, client->room - client->size, &fds,
					     &strange);
		if (got == 0 || got == -ECONNRESET)
			return false;
		assert_true(got > 0 && !strange);
		if (fds.count)
			*ret_fds = fds;
		client->size += (size_t)got;
	}
	return true;
}

bool client_receive_fd(struct client *client, struct message *ret, int *ret_fd)
{
	struct fdpass fds;
	bool more = client_receive_fds(client, ret, &fds);

	assert_true(fds.count <= 1);
	*ret_fd = fds.count ? fds.at[0] : -1;
	return more;
}

bool client_receive(struct client *client, struct message *ret)
{
	int fd;
	bool more = client_receive_fd(client, ret, &fd);

	assert_int_equal(fd, -1);
	return more;
}

struct message client_call(struct client *client, const char *method, const struct value *params)
{
	struct message message;
	uint32_t msgid = client_send(client, method, params);

	if (!client_receive(client, &message))
		fail_msg("%s: expected an answer, got the end of input", method);
	assert_int_equal(message.type, MESSAGE_RESPONSE);
	assert_int_equal(message.msgid, msgid);
	return message;
}

struct value client_result(struct client *client, const char *method, const struct value *params)
{
	struct message message = client_call(client, method, params);

	if (message.error.code)
		fail_msg("%s: %s", method, message.error.text);
	return message.result;
}

void client_fails(struct client *client, const char *method, const struct value *params, int code, const char *words)
{
	struct message message = client_call(client, method, params);

	if (message.error.code != code || !strstr(message.error.text, words))
		fail_msg("%s: expected error %s with \"%s\", got %s", method, error_name(code), words,
			 message.error.code ? message.error.text : "no error");
	if ((code == ERROR_NO_ROOM) != (message.error.needed_bytes > 0))
		fail_msg("%s: expected the needed bytes with no_room alone, got %" PRIu64 " with %s", method,
			 message.error.needed_bytes, message.error.text);
}

static void expect_refusal(struct client *client, const struct message *message, const char *words)
{
	const struct value *text = value_get(&message->params, "text");
	struct message beyond;

	assert_int_equal(message->type, MESSAGE_NOTIFICATION);
	assert_true(message->method_size == 5 && memcmp(message->method, "error", 5) == 0);
	assert_int_equal(client_number(&message->params, "kind"), error_kind(ERROR_LIMIT));
	assert_true(text && text->bytes.size > 7 && memcmp(text->bytes.at, "limit: ", 7) == 0);
	if (!memmem(text->bytes.at, text->bytes.size, words, strlen(words)))
		fail_msg("expected a limit with \"%s\", got \"%.*s\"", words, (int)text->bytes.size, text->bytes.at);
	assert_false(client_receive(client, &beyond));
}

void client_is_refused(struct client *client, const char *words)
{
	struct message message;

	if (!client_receive(client, &message))
		fail_msg("expected why the connection is refused, got the end of input");
	expect_refusal(client, &message, words);
}

bool client_is_let_in(struct client *client, const char *words)
{
	static const char ping[] = "\x94\x00\x07\xa4ping\x91\x80";
	struct message message;

	/* A connection that was refused may be closed already. */
	ssize_t sent = fdpass_send(client->fd, ping, sizeof ping - 1, NULL);

	assert_true(sent == sizeof ping - 1 || sent == -EPIPE);
	if (!client_receive(client, &message))
		fail_msg("expected a reply, or why the connection is refused, got the end of input");
	if (message.type == MESSAGE_RESPONSE) {
		assert_int_equal(message.error.code, 0);
		return true;
	}
	expect_refusal(client, &message, words);
	return false;
}

void client_expect_known_draw(struct client *client)
{
	static const uint8_t known[] = {0x09, 0x46, 0x6d, 0x3f, 0x54, 0xd8, 0x24, 0x3e};
	struct value params = client_map(client, "n", value_uint(2), "seed", value_uint(1), NULL);
	struct value result = client_result(client, "uniform", &params);

	assert_memory_equal(value_get(&result, "data")->bytes.at, known, sizeof known);
}

uint64_t client_number(const struct value *map, const char *name)
{
	const struct value *value = value_get(map, name);
	uint64_t number = 0;

	if (!value || !value_to_u64(value, &number))
		fail_msg("no number called %s", name);
	return number;
}

uint64_t client_stat(struct client *client, const char *path)
{
	struct value at = client_result(client, "stats", NULL);
	char copy[128], *rest = copy;

	snprintf(copy, sizeof copy, "%s", path);
	for (char *name; (name = strsep(&rest, ".")) && rest;) {
		const struct value *inner = value_get(&at, name);

		if (!inner)
			fail_msg("stats: no %s of %s", name, path);
		at = *inner;
	}
	return client_number(&at, strrchr(path, '.') + 1);
}

void client_await_stat(struct client *client, const char *path, uint64_t value)
{
	struct waiting waiting = await_begin(path, __FILE__, __LINE__);
	uint64_t got;

	while ((got = client_stat(client, path)) != value) {
		if (await_is_over(&waiting))
			fail_msg("stats: expected %s to become %" PRIu64 ", got %" PRIu64, path, value, got);
		await_again(&waiting);
	}
}

int client_arena(struct client *client, uint64_t bytes, void **ret_base)
{
	struct value params = client_map(client, "bytes", value_uint(bytes), NULL);
	struct message message;
	int fd;

	client_send(client, "arena", &params);
	assert_true(client_receive_fd(client, &message, &fd));
	if (message.error.code)
		fail_msg("arena: %s", message.error.text);
	assert_true(fd >= 0);
	*ret_base = mmap(NULL, client_number(&message.result, "bytes"), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(*ret_base != MAP_FAILED);
	return fd;
}

struct value client_program(struct client *client, uint64_t n, int count)
{
	struct value params = client_map(client, "dtype", value_string("f32"), "shape", value_uint(n), NULL);
	struct value steps = value_array(), tile = client_result(client, "tile", &params);

	/* Sanitizers make a draw forty to a hundred times slower. */
	for (count = SANITIZED ? (count + 19) / 20 : count; count; count--) {
		struct value step = client_map(client, "op", value_string("normal"), "out",
					       value_uint(client_number(&tile, "tile")), NULL);

		assert_int_equal(value_push(client->bump, &steps, step), 0);
	}
	return client_map(client, "steps", steps, NULL);
}

uint32_t client_send_long(struct client *client, int count)
{
	struct value params = client_program(client, 1 << 22, count);

	return client_send(client, "run", &params);
}
