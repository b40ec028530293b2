/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that have come from a daemon and are not handled yet. */
#ifndef TRNSCI_CLIENT_REMOTE_INPUT_H
#define TRNSCI_CLIENT_REMOTE_INPUT_H

#include <stdatomic.h>

#include "fdpass.h"

/* `at`, `size` and `room` are guarded by the session's lock, but for the bytes beyond `size` while a thread reads ahead: then
 * that thread receives there without the lock, until another calls input_settle. */
struct input {
	char *at;
	size_t size, room;
	atomic_bool ahead;  /* a thread may read ahead */
	atomic_bool inside; /* it is in the system call */
	ssize_t result;     /* what that returned */
	bool came;          /* `result` is of bytes, or an end, that input_receive has not returned */
};

/* Makes room for `least` more bytes. It grows by what has come, never by what a header announces. Returns false if
 * there is no memory. */
bool input_make_room(struct input *input, size_t least);

/* Receives what fits without blocking, or what a thread has read ahead. Descriptors join *fds; where fds is NULL, none may
 * come. Returns the number of bytes, 0 at the end of the connection, -errno, or -EPROTO for a descriptor that was not asked
 * for. */
ssize_t input_receive(struct input *input, int socket, struct fdpass *fds);

/* Lets this thread read ahead, with room for at least `least` bytes; false: there is no memory. No descriptor may be on its way, and
 * no other thread may read ahead. With the lock. */
bool input_begin_ahead(struct input *input, size_t least);
/* Receives what fits without blocking. Returns false if it is not to read ahead any more: something has come, or another thread has
 * settled what had come. Without the lock. */
bool input_read_ahead(struct input *input, int socket);
static inline bool input_is_read_ahead(const struct input *input)
{
	return atomic_load_explicit(&input->ahead, memory_order_relaxed);
}

/* Ends reading ahead. Returns whether something has come that input_receive has not returned. With the lock. */
bool input_settle(struct input *input);

/* Removes the first `size` bytes. */
void input_drop(struct input *input, size_t size);
/* Replaces the input by another's, which is empty afterwards. After input_settle. */
void input_take(struct input *input, struct input *from);
void input_free(struct input *input);

#endif
