/* SPDX-License-Identifier: Apache-2.0 */
/* The liar's life. */
#include "liar.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fdpass.h"
#include "frame.h"

/* ------- for scripts ------- */

bool liar_asked(const struct message *request, const char *method)
{
	return request->method_size == strlen(method) && memcmp(request->method, method, request->method_size) == 0;
}

void liar_say(struct liar *liar, const void *bytes, size_t size, int fd)
{
	const char *at = bytes;

	while (size > 0) {
		struct fdpass one = {.at = {fd}, .count = fd >= 0};
		ssize_t sent = fdpass_send(liar->client, at, size, &one);

		if (sent <= 0)
			return;
		fd = -1;
		at += sent;
		size -= (size_t)sent;
	}
}

void liar_reply(struct liar *liar, const struct message *request, const char *const *names, const uint64_t *numbers,
		size_t count, int fd)
{
	struct codec_buffer buffer = {0};
	struct bump *bump = bump_new();
	struct value map = value_map();

	for (size_t i = 0; i < count; i++)
		value_put(bump, &map, names[i], value_uint(numbers[i]));
	codec_response(&buffer, request->msgid, NULL, &map);
	liar_say(liar, buffer.at, buffer.size, fd);
	codec_buffer_free(&buffer);
	bump_free(bump);
}

bool liar_greets(struct liar *liar, const struct message *request)
{
	if (!liar_asked(request, "version"))
		return false;
	liar_reply(liar, request, (const char *const[]){"protocol"}, (const uint64_t[]){1}, 1, -1);
	return true;
}

/* ------- its life ------- */

static bool handle(struct liar *liar, const char *frame, size_t size)
{
	struct bump *bump = bump_new();
	struct message message;
	bool go_on = codec_decode(frame, size, bump, &message, NULL) == 0 && liar->answer(liar, &message);

	bump_free(bump);
	return go_on;
}

static void serve(struct liar *liar)
{
	enum { ROOM = 4 << 20 };
	char *bytes = malloc(ROOM);
	size_t used = 0, size;
	struct frame_scan scan;

	frame_scan_init(&scan, NULL);
	for (;;) {
		ssize_t got = recv(liar->client, bytes + used, ROOM - used, 0);

		if (got <= 0)
			break;
		used += (size_t)got;
		while (used > 0 && frame_scan_more(&scan, bytes, used, &size) == 1) {
			if (!handle(liar, bytes, size)) {
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
	struct liar *liar = arg;

	do {
		liar->client = accept4(liar->listener, NULL, NULL, SOCK_CLOEXEC);
		if (liar->client >= 0) {
			serve(liar);
			close(liar->client);
		}
	} while (liar->more-- > 0);
	return NULL;
}

struct liar *liar_start(script *answer, const void *lie)
{
	struct liar *liar = calloc(1, sizeof *liar);
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	liar->answer = answer;
	liar->lie = lie;
	strcpy(liar->path, "/tmp/trnsci-liar-XXXXXX");
	close(mkstemp(liar->path));
	unlink(liar->path);
	strcpy(address.sun_path, liar->path);
	liar->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(liar->listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(liar->listener, 1), 0);
	pthread_create(&liar->thread, NULL, live, liar);
	return liar;
}

void liar_stop(struct liar *liar)
{
	pthread_join(liar->thread, NULL);
	close(liar->listener);
	unlink(liar->path);
	free(liar);
}

struct trnsci_session *liar_open(const struct liar *liar)
{
	struct trnsci_session *session = NULL;

	assert_int_equal(trnsci_open(liar->path, &(struct trnsci_options){.timeout_ms = 10000}, &session, NULL), 0);
	return session;
}

int liar_count_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}
