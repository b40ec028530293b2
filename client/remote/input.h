/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that have come from a daemon and are not handled yet. */
#ifndef TRNSCI_CLIENT_REMOTE_INPUT_H
#define TRNSCI_CLIENT_REMOTE_INPUT_H

#include "fdpass.h"

struct input {
	char *at;
	size_t size, room;
};

/* Makes room for `least` more bytes. It grows by what has come, never by what a header announces. Returns false if
 * there is no memory. */
bool input_make_room(struct input *input, size_t least);

/* Receives what fits without blocking. Descriptors join *fds; where fds is NULL, none may come. Returns the number of
 * bytes, 0 at the end of the connection, -errno, or -EPROTO for a descriptor that was not asked for. */
ssize_t input_receive(struct input *input, int socket, struct fdpass *fds);

/* The same into other memory. */
ssize_t input_receive_to(void *to, size_t room, int socket, struct fdpass *fds);

/* Removes the first `size` bytes. */
void input_drop(struct input *input, size_t size);
void input_free(struct input *input);

#endif
