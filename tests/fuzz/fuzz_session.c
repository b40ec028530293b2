/* SPDX-License-Identifier: Apache-2.0 */
/* A session from its first byte to its end: whatever a client sends, in whatever pieces, and whether it reads or not, the
 * session ends with its connection and gives back all that it took.
 *
 * Input: a byte says how many follow that are sent; 0: the client reads what there is; 255: it sends no more. */
#include "service.h"

enum { TURNS = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void act(int fd, const uint8_t *data, size_t size)
{
	for (size_t at = 0; at < size;) {
		size_t count = data[at++];

		if (count == 0)
			read_all(fd);
		else if (count == 255)
			shutdown(fd, SHUT_WR);
		else {
			count = count < size - at ? count : size - at;
			if (send(fd, data + at, count, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
				return;
			at += count;
		}
		for (int i = 0; i < TURNS; i++)
			loop_once(EVLOOP_NONBLOCK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = service_connect();

	act(fd, data, size);
	close(fd);
	wait_for_end();
	return 0;
}
