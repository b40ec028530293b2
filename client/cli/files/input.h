/* SPDX-License-Identifier: Apache-2.0 */
/* An array from a file or stdin: npy, or raw with a dtype. */
#ifndef TRNSCI_CLI_INPUT_H
#define TRNSCI_CLI_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "cli.h"
#include "files/npy.h"

struct input {
	int fd;
	const char *name;
	struct npy array;
	unsigned char *held; /* what was read ahead: all of a raw pipe */
	size_t held_size, held_at;
};

/* name: "-" is stdin. dtype: of raw input, NULL when none was given. row_length: elements of a row of raw input; 0:
 * all is one row. An exit code. */
int input_open(const char *name, const char *dtype, uint64_t row_length, struct input *ret_input);

/* The next size bytes of the array. An exit code. */
int input_read(struct input *input, void *to, size_t size);

void input_close(struct input *input);

/* Elements of the array; false when there are more than 2^64. */
bool input_count(const struct input *input, uint64_t *ret_count);

#endif
