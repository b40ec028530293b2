/* SPDX-License-Identifier: Apache-2.0 */
/* One short message always fits: the buffer of a new socket is empty. */
#include "refusal.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/value.h"
#include "codec.h"

static void write_reason(int fd, const struct error *err)
{
	struct codec_buffer buffer = {0};
	struct bump *bump = bump_new();
	struct value params = value_map();

	if (bump && value_put(bump, &params, "kind", value_uint((uint64_t)error_kind(err->code))) == 0 &&
	    value_put(bump, &params, "text", value_string(err->text)) == 0 &&
	    codec_notification(&buffer, "error", &params) == 0)
		send(fd, buffer.at, buffer.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	codec_buffer_free(&buffer);
	bump_free(bump);
}

void refusal_send(int fd, const struct error *err)
{
	char request[4096];

	write_reason(fd, err);
	/* Read a request that has arrived: closing a socket with unread bytes would reset it and lose the reason. */
	(void)!recv(fd, request, sizeof request, MSG_DONTWAIT);
	close(fd);
}
