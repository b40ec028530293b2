/* SPDX-License-Identifier: Apache-2.0 */
/* The fake daemon: one thread that accepts a connection and answers each request by the script. */
#include "fake_daemon.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fdpass.h"
#include "frame.h"

/* ------- for scripts ------- */

bool fake_daemon_asked(const struct message *request, const char *method)
{
	return request->method_size == strlen(method) && memcmp(request->method, method, request->method_size) == 0;
}

void fake_daemon_say(struct fake_daemon *fake, const void *bytes, size_t size, int fd)
{
	const char *at = bytes;

	while (size > 0) {
		struct fdpass one = {.at = {fd}, .count = fd >= 0};
		ssize_t sent = fdpass_send(fake->client, at, size, &one);

		if (sent <= 0)
			return;
		fd = -1;
		at += sent;
		size -= (size_t)sent;
	}
}

void fake_daemon_reply(struct fake_daemon *fake, const struct message *request, const char *const *names,
		       const uint64_t *numbers, size_t count, int fd)
{
	struct codec_buffer buffer = {0};
	struct bump *bump = bump_new();
	struct value map = value_map();

	for (size_t i = 0; i < count; i++)
		value_put(bump, &map, names[i], value_uint(numbers[i]));
	codec_response(&buffer, request->msgid, NULL, &map);
	fake_daemon_say(fake, buffer.at, buffer.size, fd);
	codec_buffer_free(&buffer);
	bump_free(bump);
}

void fake_daemon_refuse(struct fake_daemon *fake, uint32_t msgid, const struct error *error)
{
	struct codec_buffer buffer = {0};

	codec_response(&buffer, msgid, error, NULL);
	fake_daemon_say(fake, buffer.at, buffer.size, -1);
	codec_buffer_free(&buffer);
}

bool fake_daemon_greets(struct fake_daemon *fake, const struct message *request)
{
	if (!fake_daemon_asked(request, "version"))
		return false;
	fake_daemon_reply(fake, request, (const char *const[]){"protocol"}, (const uint64_t[]){1}, 1, -1);
	return true;
}

/* ------- its life ------- */

static bool handle(struct fake_daemon *fake, const char *frame, size_t size)
{
	struct bump *bump = bump_new();
	struct message message;
	bool go_on = codec_decode(frame, size, bump, &message, NULL) == 0 && fake->answer(fake, &message);

	bump_free(bump);
	return go_on;
}

static void serve(struct fake_daemon *fake)
{
	enum { ROOM = 4 << 20 };
	char *bytes = malloc(ROOM);
	size_t used = 0, size;
	struct frame_scan scan;

	frame_scan_init(&scan, NULL);
	for (;;) {
		ssize_t got = recv(fake->client, bytes + used, ROOM - used, 0);

		if (got <= 0)
			break;
		used += (size_t)got;
		while (used > 0 && frame_scan_more(&scan, bytes, used, &size) == 1) {
			if (!handle(fake, bytes, size)) {
				free(bytes);
				return;
			}
			used -= size;
			memmove(bytes, bytes + size, used);
			frame_scan_init(&scan, NULL);
		}
	}
	free(bytes);
}

static void *live(void *arg)
{
	struct fake_daemon *fake = arg;

	do {
		fake->client = accept4(fake->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fake->client >= 0) {
			serve(fake);
			close(fake->client);
		}
	} while (fake->more-- > 0);
	return NULL;
}

struct fake_daemon *fake_daemon_start(script *answer, const void *lie)
{
	struct fake_daemon *fake = calloc(1, sizeof *fake);
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	fake->answer = answer;
	fake->lie = lie;
	strcpy(fake->path, "/tmp/trnsci-fake-XXXXXX");
	close(mkstemp(fake->path));
	unlink(fake->path);
	strcpy(address.sun_path, fake->path);
	fake->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fake->listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fake->listener, 1), 0);
	pthread_create(&fake->thread, NULL, live, fake);
	return fake;
}

void fake_daemon_stop(struct fake_daemon *fake)
{
	pthread_join(fake->thread, NULL);
	close(fake->listener);
	unlink(fake->path);
	free(fake);
}

struct trnsci_session *fake_daemon_open(const struct fake_daemon *fake)
{
	struct trnsci_session *session = NULL;

	assert_int_equal(trnsci_open(fake->path, &(struct trnsci_options){.timeout_ms = 10000}, &session, NULL), 0);
	return session;
}

int count_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}
