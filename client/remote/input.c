/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a connection. */
#include "input.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

bool input_make_room(struct input *input, size_t least)
{
	size_t room = input->room ? input->room : 2 * least;

	if (input->room - input->size >= least)
		return true;
	while (room - input->size < least)
		room *= 2;
	char *bigger = realloc(input->at, room);

	if (!bigger)
		return false;
	input->at = bigger;
	input->room = room;
	return true;
}

bool input_settle(struct input *input)
{
	if (input_is_read_ahead(input)) {
		atomic_store(&input->ahead, false);
		while (atomic_load(&input->inside))
			sched_yield();
		input->came = input->result != -EAGAIN;
		input->size += input->result > 0 ? (size_t)input->result : 0;
	}
	return input->came;
}

/* Without fds the kernel drops descriptors, and reports that it did. */
ssize_t input_receive(struct input *input, int socket, struct fdpass *fds)
{
	bool strange = false;
	struct fdpass came = {.count = 0};
	ssize_t got;

	if (input_settle(input)) {
		input->came = false;
		return input->result;
	}
	got = fdpass_receive(socket, input->at + input->size, input->room - input->size, fds ? &came : NULL, &strange);
	if (fds && !fdpass_join(fds, &came))
		strange = true;
	input->size += got > 0 ? (size_t)got : 0;
	return got >= 0 && strange ? -EPROTO : got;
}

bool input_begin_ahead(struct input *input, size_t least)
{
	if (!input_make_room(input, least))
		return false;
	input->result = -EAGAIN;
	atomic_store_explicit(&input->ahead, true, memory_order_relaxed);
	return true;
}

/* Either this thread sees that `ahead` has ended, or whoever ends it sees this thread inside: both store first and look then. */
bool input_read_ahead(struct input *input, int socket)
{
	bool strange = false, again;

	atomic_store(&input->inside, true);
	again = atomic_load(&input->ahead);
	if (again) {
		const ssize_t came = fdpass_receive(socket, input->at + input->size, input->room - input->size, NULL, &strange);

		input->result = came >= 0 && strange ? -EPROTO : came;
		again = came == -EAGAIN;
	}
	atomic_store_explicit(&input->inside, false, memory_order_release);
	return again;
}

void input_drop(struct input *input, size_t size)
{
	input->size -= size;
	if (size > 0 && input->size > 0)
		memmove(input->at, input->at + size, input->size);
}

void input_free(struct input *input)
{
	free(input->at);
	input->at = NULL;
	input->size = input->room = 0;
	input->came = false;
}

void input_take(struct input *input, struct input *from)
{
	input_free(input);
	input->at = from->at;
	input->size = from->size;
	input->room = from->room;
	from->at = NULL;
	from->size = from->room = 0;
}
