/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of the state: its lock, its files, and whether they still lie at their paths.
 *
 * With its lock and its journal held open, SQLite never looks at a path again, and goes on writing to files that were
 * replaced, deleted or moved. So the folder, the database and the journal are compared with what lies at their paths. The
 * journal counts, too: without it a torn commit cannot be undone. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store_core.h"

/* ---- files and lock ---- */

void store_path(const char *dir, const char *suffix, char path[STORE_PATH_ROOM])
{
	snprintf(path, STORE_PATH_ROOM, "%.460s/" STORE_FILE "%s", dir, suffix);
}

void store_unlink(const char *dir, const char *suffix)
{
	char path[STORE_PATH_ROOM], journal[32];

	store_path(dir, suffix, path);
	unlink(path);
	snprintf(journal, sizeof journal, "%s-journal", suffix);
	store_path(dir, journal, path);
	unlink(path);
}

int store_fail_path(const char *path, int number, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "state: %.180s: %s", path, strerror(number));
}

static int make_folders(const char *dir)
{
	char path[STORE_PATH_ROOM];

	snprintf(path, sizeof path, "%s", dir);
	for (char *at = path + 1; *at; at++)
		if (*at == '/') {
			*at = '\0';
			if (mkdir(path, 0755) < 0 && errno != EEXIST)
				return -1;
			*at = '/';
		}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

int store_lock(const char *dir, bool make, int *ret_fd, struct error *err)
{
	if (make && make_folders(dir) < 0)
		return store_fail_path(dir, errno, err);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return store_fail_path(dir, errno, err);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		bool held = errno == EWOULDBLOCK;
		int r = held ? error_set(err, ERROR_LIMIT, "state_dir: another daemon uses %.120s, allowed: one", dir)
			     : store_fail_path(dir, errno, err);

		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

static bool is_marked(const char *dir)
{
	return getxattr(dir, STORE_MARK, NULL, 0) >= 0;
}

bool store_exists(const char *dir)
{
	char path[STORE_PATH_ROOM], journal[STORE_PATH_ROOM];
	struct stat st;

	store_path(dir, "", path);
	store_path(dir, "-journal", journal);
	/* A file that cannot be examined may exist. */
	return stat(path, &st) == 0 || errno != ENOENT || stat(journal, &st) == 0 || is_marked(dir);
}

int store_flush_dir(const char *dir, struct error *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 || fsync(fd) < 0 ? store_fail_path(dir, errno, err) : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

int store_check_kinds(const char *dir, const char *suffix, struct error *err)
{
	static const char *const beside[] = {"", "-journal", "-wal", "-shm"};

	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		char path[STORE_PATH_ROOM], name[STORE_PATH_ROOM + 16];
		struct stat st;

		store_path(dir, suffix, path);
		snprintf(name, sizeof name, "%s%s", path, beside[i]);
		if (stat(name, &st) == 0 && !S_ISREG(st.st_mode))
			return error_set(err, ERROR_STORE, "%.180s: no regular file, allowed: a regular file or none", name);
	}
	return 0;
}

/* ---- placement ---- */

static struct store_inode inode_of(const struct stat *st)
{
	return (struct store_inode){st->st_dev, st->st_ino};
}

/* Returns 1 if the file is at the path; 0 if another or none is; or a negative errno. */
static int lies_at(const char *path, const struct store_inode *file)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	return st.st_dev == file->device && st.st_ino == file->number;
}

static int fail_misplaced(struct store *store, const char *what, struct error *err)
{
	store->misplaced = true;
	return error_set(err, ERROR_STORE,
			 "%.90s%s was replaced, moved or deleted under the daemon: put it back, or stop the daemon and "
			 "run trnscid --restored-state",
			 store->dir, what);
}

int store_remember_placement(struct store *store, int folder_fd, struct error *err)
{
	char path[STORE_PATH_ROOM];
	struct stat folder, database;
	int moved = 0;

	store_path(store->dir, "", path);
	if (fstat(folder_fd, &folder) < 0 || stat(path, &database) < 0)
		return store_fail_path(path, errno, err);
	store->folder = inode_of(&folder);
	store->database = inode_of(&database);
	store->placed = true;
	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved ? fail_misplaced(store, "/" STORE_FILE, err) : store_check_placement(store, err);
}

int store_remember_journal(struct store *store, struct error *err)
{
	char path[STORE_PATH_ROOM];
	struct stat st;

	if (!store->placed || store->journal.number)
		return 0;
	store_path(store->dir, "-journal", path);
	if (stat(path, &st) < 0)
		return errno == ENOENT ? fail_misplaced(store, "/" STORE_FILE "-journal", err) : store_fail_path(path, errno, err);
	store->journal = inode_of(&st);
	return 0;
}

bool store_find_writable(const struct store_folder *folder, char ret_text[STORE_NOTE_ROOM])
{
	static const char *const names[] = {"", "/" STORE_FILE, "/" STORE_FILE "-journal"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[STORE_PATH_ROOM];
		struct stat st;

		snprintf(path, sizeof path, "%.480s%s", folder->path, names[i]);
		if (stat(path, &st) < 0 || (!(st.st_mode & 022) && (st.st_uid == geteuid() || st.st_uid == 0)))
			continue;
		snprintf(ret_text, STORE_NOTE_ROOM, "%s (owner %" PRIu32 ", mode %04o)", path, (uint32_t)st.st_uid,
			 (unsigned)st.st_mode & 07777);
		return true;
	}
	return false;
}

int store_check_placement(struct store *store, struct error *err)
{
	static const char *const names[] = {"", "/" STORE_FILE, "/" STORE_FILE "-journal"};
	const struct store_inode *files[] = {&store->folder, &store->database, &store->journal};
	int r;

	if (!store->placed)
		return 0;
	store->misplaced = false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[STORE_PATH_ROOM];

		snprintf(path, sizeof path, "%.480s%s", store->dir, names[i]);
		if (files[i]->number == 0)
			continue;
		r = lies_at(path, files[i]);
		if (r < 0)
			return store_fail_path(path, -r, err);
		if (r == 0)
			return fail_misplaced(store, names[i], err);
	}
	return 0;
}

bool store_is_misplaced(const struct store *store)
{
	return store->misplaced;
}
