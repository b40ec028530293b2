/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a config file into memory, in bounded time. */
#ifndef TRNSCI_DAEMON_SETTINGS_FILE_H
#define TRNSCI_DAEMON_SETTINGS_FILE_H

#include <stddef.h>

#include "base/error.h"

enum {
	SETTINGS_FILE_BYTES = 1 << 20, /* of one file */
	SETTINGS_FOLDER_FILES = 256,   /* of one folder */
};

/* Returns the text of a regular file of at most SETTINGS_FILE_BYTES, with a 0 behind it; the caller frees it. Never waits for
 * another process: what is no regular file is not opened. -ERROR_SYSTEM, -ERROR_WRONG_TYPE (no regular file, or no text),
 * -ERROR_OUT_OF_RANGE (too large), -ERROR_NO_MEMORY */
int settings_file_read(const char *path, char **ret_text, struct error *err);

#endif
