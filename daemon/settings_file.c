/* SPDX-License-Identifier: Apache-2.0 */
/* A running daemon reads its config files again in the loop's thread. A FIFO would stop it, a device never ends, and opening a
 * device may have an effect. */
#include "settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_path(const char *path, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "%.180s: %s", path, strerror(errno));
}

static int check_kind(const char *path, const struct stat *st, struct error *err)
{
	return S_ISREG(st->st_mode) ? 0 : error_set(err, ERROR_WRONG_TYPE, "%.180s: no regular file, allowed: regular files", path);
}

/* Between stat and open another file may have come to the path: the flags keep its opening from waiting. */
static int open_regular(const char *path, int *ret_fd, struct error *err)
{
	struct stat st;
	int fd, r;

	if (stat(path, &st) < 0)
		return fail_path(path, err);
	r = check_kind(path, &st, err);
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fail_path(path, err);
	r = fstat(fd, &st) < 0 ? fail_path(path, err) : check_kind(path, &st, err);
	if (r == 0)
		*ret_fd = fd;
	else
		close(fd);
	return r;
}

/* The size that a file states may be another when it is read; in /proc it is 0. */
static int read_text(int fd, const char *path, char *text, struct error *err)
{
	size_t size = 0;
	ssize_t got = 1;

	while (got != 0 && size <= SETTINGS_FILE_BYTES) {
		got = read(fd, text + size, SETTINGS_FILE_BYTES + 1 - size);
		if (got < 0 && errno != EINTR)
			return fail_path(path, err);
		size += got > 0 ? (size_t)got : 0;
	}
	if (size > SETTINGS_FILE_BYTES)
		return error_set(err, ERROR_OUT_OF_RANGE, "%.180s: more than %d bytes, allowed: as many", path,
				 SETTINGS_FILE_BYTES);
	if (memchr(text, '\0', size))
		return error_set(err, ERROR_WRONG_TYPE, "%.180s: a byte of 0, allowed: text", path);
	text[size] = '\0';
	return 0;
}

int settings_file_read(const char *path, char **ret_text, struct error *err)
{
	char *text;
	int fd = -1, r = open_regular(path, &fd, err);

	if (r < 0)
		return r;
	text = malloc(SETTINGS_FILE_BYTES + 1);
	r = text ? read_text(fd, path, text, err) : error_set(err, ERROR_NO_MEMORY, "%.180s: no memory to read it", path);
	close(fd);
	if (r == 0)
		*ret_text = text;
	else
		free(text);
	return r;
}
