/* SPDX-License-Identifier: Apache-2.0 */
/* The frame scan: the answer does not depend on how the bytes come, and stays inside them. */
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_scan once, slowly;
	size_t once_size = 0, slow_size = 0;
	int once_result, slow_result = 0;

	frame_scan_init(&once, NULL);
	once_result = frame_scan_more(&once, data, size, &once_size);
	frame_scan_init(&slowly, NULL);
	for (size_t have = 0; have <= size && slow_result == 0; have++)
		slow_result = frame_scan_more(&slowly, data, have, &slow_size);
	if (once_result != slow_result || once_size != slow_size || once_size > size)
		abort();
	if (once_result < 0 && !once.wrong)
		abort();
	return 0;
}
