/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a connection. */
#include "input.h"

#include <errno.h>
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

/* Without fds the kernel drops descriptors, and reports that it did. */
ssize_t input_receive_to(void *to, size_t room, int socket, struct fdpass *fds)
{
	bool strange = false;
	struct fdpass came = {.count = 0};
	const ssize_t got = fdpass_receive(socket, to, room, fds ? &came : NULL, &strange);

	if (fds && !fdpass_join(fds, &came))
		strange = true;
	return got >= 0 && strange ? -EPROTO : got;
}

ssize_t input_receive(struct input *input, int socket, struct fdpass *fds)
{
	const ssize_t got = input_receive_to(input->at + input->size, input->room - input->size, socket, fds);

	input->size += got > 0 ? (size_t)got : 0;
	return got;
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
	*input = (struct input){0};
}
