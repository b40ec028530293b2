/* SPDX-License-Identifier: Apache-2.0 */
/* Each file has a durable image, and a list of what came after its last sync. */
#include "torn_vfs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torn_mark.h"

enum { SECTOR = 512, FILES = 16, PATH = 512 };

struct change {
	struct change *next;
	bool truncates; /* to `offset` bytes */
	size_t offset, size;
	unsigned char bytes[];
};

struct image {
	char path[PATH];
	unsigned char *durable;
	size_t size;
	bool exists;  /* durably */
	bool removed; /* not yet durably */
	struct change *changes, **last;
};

struct torn_file {
	sqlite3_file base;
	struct image *image;
	sqlite3_file *real;
};

static struct {
	sqlite3_vfs vfs, *real;
	pthread_mutex_t lock;
	struct image images[FILES];
	size_t n_images;
	uint64_t random, operations, syncs, cut_at, fail_from, fail_until;
	bool cut, fail_writes, fail_syncs;
} torn = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* splitmix64 */
static uint64_t draw(uint64_t below)
{
	uint64_t z = torn.random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % below;
}

/* ---- images ---- */

static unsigned char *read_file(const char *path, size_t *ret_size)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char *bytes;

	*ret_size = 0;
	if (fd < 0)
		return NULL;
	assert(fstat(fd, &st) == 0);
	bytes = malloc((size_t)st.st_size + 1);
	assert(bytes && read(fd, bytes, (size_t)st.st_size) == st.st_size);
	close(fd);
	*ret_size = (size_t)st.st_size;
	return bytes;
}

static void drop_changes(struct image *image)
{
	while (image->changes) {
		struct change *next = image->changes->next;

		free(image->changes);
		image->changes = next;
	}
	image->last = &image->changes;
}

static struct image *image_of(const char *path)
{
	struct image *image;

	for (size_t i = 0; i < torn.n_images; i++)
		if (strcmp(torn.images[i].path, path) == 0)
			return &torn.images[i];
	assert(torn.n_images < FILES && strlen(path) < PATH);
	image = &torn.images[torn.n_images++];
	*image = (struct image){0};
	strcpy(image->path, path);
	image->durable = read_file(path, &image->size);
	image->exists = image->durable;
	image->last = &image->changes;
	return image;
}

static void note(struct image *image, bool truncates, size_t offset, const void *bytes, size_t size)
{
	struct change *change = malloc(sizeof *change + size);

	assert(change);
	*change = (struct change){.truncates = truncates, .offset = offset, .size = size};
	if (size)
		memcpy(change->bytes, bytes, size);
	*image->last = change;
	image->last = &change->next;
}

static void make_durable(struct image *image)
{
	drop_changes(image);
	free(image->durable);
	image->durable = read_file(image->path, &image->size);
	image->exists = image->durable;
}

/* ---- what the disk has after a cut ---- */

static void resize(struct image *image, size_t size)
{
	image->durable = realloc(image->durable, size + 1);
	assert(image->durable);
	if (size > image->size)
		memset(image->durable + image->size, 0, size - image->size);
	image->size = size;
}

/* Sectors that were being written hold the old, the new, or (a sector that was hit) neither. */
static void tear(struct image *image, const struct change *change)
{
	const uint64_t way = draw(4);

	if (way == 0)
		return;
	if (change->truncates) {
		if (way > 1)
			resize(image, change->offset);
		return;
	}
	if (image->size < change->offset + change->size)
		resize(image, change->offset + change->size);
	for (size_t at = 0; at < change->size;) {
		const size_t sector_end = ((change->offset + at) / SECTOR + 1) * SECTOR - change->offset;
		const size_t end = sector_end < change->size ? sector_end : change->size;

		if (way == 1 || draw(2) == 0)
			memcpy(image->durable + change->offset + at, change->bytes + at, end - at);
		else if (draw(8) == 0)
			for (size_t i = at; i < end; i++)
				image->durable[change->offset + i] = (unsigned char)draw(256);
		at = end;
	}
}

static void write_file(const struct image *image)
{
	int fd = open(image->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert(fd >= 0 && write(fd, image->durable, image->size) == (ssize_t)image->size);
	close(fd);
}

static void settle(struct image *image)
{
	const bool there = image->exists || (image->changes && draw(2));

	for (const struct change *change = image->changes; change; change = change->next)
		tear(image, change);
	drop_changes(image);
	if (there && !(image->removed && draw(2)))
		write_file(image);
	else
		unlink(image->path);
}

/* ---- the file's methods ---- */

/* Counts; what it returns is not 0 when the operation must not happen. */
static int count(bool write, bool sync)
{
	torn.operations++;
	torn.syncs += sync;
	if (torn.cut_at && torn.operations >= torn.cut_at)
		torn.cut = true;
	if (torn.cut)
		return SQLITE_IOERR;
	if (torn.operations < torn.fail_from || torn.operations >= torn.fail_until)
		return SQLITE_OK;
	return write && torn.fail_writes ? SQLITE_FULL : sync && torn.fail_syncs ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

int torn_operation(bool write, bool sync)
{
	pthread_mutex_lock(&torn.lock);
	const int rc = count(write, sync);
	pthread_mutex_unlock(&torn.lock);
	return rc == SQLITE_OK ? 0 : rc == SQLITE_FULL ? ENOSPC : EIO;
}

static int torn_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
	struct torn_file *torn_file = (struct torn_file *)file;
	bool was_cut;
	int rc;

	pthread_mutex_lock(&torn.lock);
	was_cut = torn.cut;
	rc = count(true, false);
	/* The very write in which the power goes was under way. */
	if (rc == SQLITE_OK || (torn.cut && !was_cut))
		note(torn_file->image, false, (size_t)offset, bytes, (size_t)size);
	if (rc == SQLITE_OK)
		rc = torn_file->real->pMethods->xWrite(torn_file->real, bytes, size, offset);
	pthread_mutex_unlock(&torn.lock);
	return rc;
}

static int torn_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct torn_file *torn_file = (struct torn_file *)file;
	int rc;

	pthread_mutex_lock(&torn.lock);
	rc = count(false, false);
	if (rc == SQLITE_OK) {
		note(torn_file->image, true, (size_t)size, NULL, 0);
		rc = torn_file->real->pMethods->xTruncate(torn_file->real, size);
	}
	pthread_mutex_unlock(&torn.lock);
	return rc;
}

static int torn_sync(sqlite3_file *file, int flags)
{
	struct torn_file *torn_file = (struct torn_file *)file;
	int rc;

	(void)flags; /* the real one's sync would only take time */
	pthread_mutex_lock(&torn.lock);
	rc = count(false, true);
	if (rc == SQLITE_OK)
		make_durable(torn_file->image);
	pthread_mutex_unlock(&torn.lock);
	return rc;
}

static int torn_close(sqlite3_file *file)
{
	struct torn_file *torn_file = (struct torn_file *)file;

	return torn_file->real->pMethods->xClose(torn_file->real);
}

#define REAL(file) (((struct torn_file *)(file))->real)

static int torn_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
	return REAL(file)->pMethods->xRead(REAL(file), bytes, size, offset);
}

static int torn_size(sqlite3_file *file, sqlite3_int64 *ret)
{
	return REAL(file)->pMethods->xFileSize(REAL(file), ret);
}

static int torn_lock_file(sqlite3_file *file, int level)
{
	return REAL(file)->pMethods->xLock(REAL(file), level);
}

static int torn_unlock_file(sqlite3_file *file, int level)
{
	return REAL(file)->pMethods->xUnlock(REAL(file), level);
}

static int torn_check_lock(sqlite3_file *file, int *ret)
{
	return REAL(file)->pMethods->xCheckReservedLock(REAL(file), ret);
}

static int torn_control(sqlite3_file *file, int operation, void *arg)
{
	return REAL(file)->pMethods->xFileControl(REAL(file), operation, arg);
}

static int torn_sector(sqlite3_file *file)
{
	(void)file;
	return 4096;
}

/* None is promised. */
static int torn_characteristics(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = torn_close,
	.xRead = torn_read,
	.xWrite = torn_write,
	.xTruncate = torn_truncate,
	.xSync = torn_sync,
	.xFileSize = torn_size,
	.xLock = torn_lock_file,
	.xUnlock = torn_unlock_file,
	.xCheckReservedLock = torn_check_lock,
	.xFileControl = torn_control,
	.xSectorSize = torn_sector,
	.xDeviceCharacteristics = torn_characteristics,
};

/* ---- the VFS's methods ---- */

static int torn_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *ret_flags)
{
	struct torn_file *torn_file = (struct torn_file *)file;
	int rc = SQLITE_OK;

	(void)vfs;
	torn_file->base.pMethods = NULL;
	torn_file->real = (sqlite3_file *)(torn_file + 1);
	pthread_mutex_lock(&torn.lock);
	if (torn.cut && (flags & SQLITE_OPEN_CREATE) && access(path, F_OK) < 0)
		rc = SQLITE_CANTOPEN;
	if (rc == SQLITE_OK)
		torn_file->image = image_of(path);
	if (rc == SQLITE_OK)
		rc = torn.real->xOpen(torn.real, path, torn_file->real, flags, ret_flags);
	if (rc == SQLITE_OK) {
		torn_file->base.pMethods = &methods;
		torn_file->image->removed = false;
	}
	pthread_mutex_unlock(&torn.lock);
	return rc;
}

static int torn_delete(sqlite3_vfs *vfs, const char *path, int sync_folder)
{
	struct image *image;
	int rc;

	(void)vfs;
	pthread_mutex_lock(&torn.lock);
	rc = count(false, false);
	if (rc == SQLITE_OK) {
		image = image_of(path);
		rc = torn.real->xDelete(torn.real, path, 0);
		image->removed = true;
		if (sync_folder)
			make_durable(image);
	}
	pthread_mutex_unlock(&torn.lock);
	return rc;
}

void torn_install(void)
{
	torn.real = sqlite3_vfs_find(NULL);
	torn.vfs = *torn.real;
	torn.vfs.zName = "torn";
	torn.vfs.szOsFile = (int)sizeof(struct torn_file) + torn.real->szOsFile;
	torn.vfs.xOpen = torn_open;
	torn.vfs.xDelete = torn_delete;
	assert(sqlite3_vfs_register(&torn.vfs, 1) == SQLITE_OK);
}

void torn_begin(uint64_t seed)
{
	pthread_mutex_lock(&torn.lock);
	for (size_t i = 0; i < torn.n_images; i++) {
		drop_changes(&torn.images[i]);
		free(torn.images[i].durable);
	}
	torn.n_images = 0;
	torn.random = seed;
	torn.cut = torn.fail_writes = torn.fail_syncs = false;
	torn.cut_at = torn.operations = torn.syncs = torn.fail_from = torn.fail_until = 0;
	pthread_mutex_unlock(&torn.lock);
}

void torn_cut_at(uint64_t operation)
{
	pthread_mutex_lock(&torn.lock);
	torn.cut_at = operation ? torn.operations + operation : 0;
	pthread_mutex_unlock(&torn.lock);
}

bool torn_is_cut(void)
{
	pthread_mutex_lock(&torn.lock);
	bool cut = torn.cut;

	pthread_mutex_unlock(&torn.lock);
	return cut;
}

void torn_fail(uint64_t from, uint64_t until, bool writes, bool syncs)
{
	pthread_mutex_lock(&torn.lock);
	torn.fail_from = torn.operations + from;
	torn.fail_until = torn.operations + until;
	torn.fail_writes = writes;
	torn.fail_syncs = syncs;
	pthread_mutex_unlock(&torn.lock);
}

uint64_t torn_operations(void)
{
	return torn.operations;
}

uint64_t torn_syncs(void)
{
	return torn.syncs;
}

/* A file that was renamed into place is no longer at its old path. */
void torn_settle(void)
{
	for (size_t i = 0; i < torn.n_images; i++) {
		struct image *image = &torn.images[i];
		const bool moved = image->exists && !image->removed && access(image->path, F_OK) < 0;

		if (!moved)
			settle(image);
	}
	torn_mark_settle(draw(2));
}
