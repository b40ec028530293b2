/* SPDX-License-Identifier: Apache-2.0 */
/* Where bytes are written: stdout, or a file that appears under its name only when it is complete. */
#ifndef TRNSCI_CLI_FILES_TARGET_H
#define TRNSCI_CLI_FILES_TARGET_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"

struct target {
	int fd;
	const char *name;     /* for messages; not copied */
	char path[PATH_MAX];  /* of the file that is replaced at the end; "" when bytes go straight to fd */
};

/* Opens name, or stdout for NULL and "-". A regular file is written under a temporary name in the same folder, which is
 * removed when the process is interrupted; devices and pipes are written directly. One target at a time. An exit code. */
int target_open(const char *name, struct target *ret_target);

/* Writes all bytes. A reader that has gone away ends in EXIT_IO without a message. An exit code. */
int target_write(struct target *target, const void *bytes, size_t size);

/* Complains if a file of so many bytes cannot fit where the target is: better now than once the disk is full. An exit code. */
int target_check_room(const struct target *target, uint64_t bytes);

/* Closes; gives the file its name if code is EXIT_OK, otherwise removes it. Returns code, or what closing failed with. */
int target_close(struct target *target, int code);

#endif
