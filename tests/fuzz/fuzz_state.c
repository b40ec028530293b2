/* SPDX-License-Identifier: Apache-2.0 */
/* The state of named streams (daemon/store.h), opened and repaired. The first byte of an input says what the rest is: 0, a
 * whole file; 1, changes of three bytes each (place, high byte first, and what is there xor-ed with) to a sound one;
 * 2, a journal beside a sound one. What opens must hold what the sound one did: positions never go back in silence. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "daemon/streams/store.h"

enum { ROOM = 1 << 17, STREAMS = 3 };

static char dir[64];
static struct store_folder folder = {.path = dir};
static unsigned char sound[ROOM];
static size_t sound_size;
static char mark[256]; /* of the sound one; empty where the file system keeps none */
static size_t mark_size;

static const char *path(const char *suffix)
{
	static char text[128];

	snprintf(text, sizeof text, "%s/" STORE_FILE "%s", dir, suffix);
	return text;
}

static void write_file(const char *suffix, const void *bytes, size_t size)
{
	FILE *file = fopen(path(suffix), "wb");

	assert(file && fwrite(bytes, 1, size, file) == size);
	fclose(file);
}

static void remove_all(void)
{
	static const char *const suffixes[] = {"", "-journal", ".new", ".new-journal", ".damaged-1",
					       ".damaged-1-journal", ".restored-1", ".restored-1-journal",
					       ".read", ".read-journal"};

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		unlink(path(suffixes[i]));
	removexattr(dir, STORE_MARK);
}

static void remove_dir(void)
{
	remove_all();
	rmdir(dir);
}

static struct store_stream row_of(unsigned i)
{
	struct store_stream row = {.stream = {GENERATOR_THREEFRY4X32, 7, i + 1}, .mode = 0640, .created_s = 1};

	snprintf(row.name, sizeof row.name, "stream%u", i);
	row.issued = 1000 * (i + 1);
	row.reserved = row.issued + 512;
	return row;
}

static void make_sound(void)
{
	struct store *store;
	struct error err;

	strcpy(dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/trnsci-fuzz-XXXXXX" : "/tmp/trnsci-fuzz-XXXXXX");
	assert(mkdtemp(dir));
	atexit(remove_dir);
	assert(store_lock(dir, false, &folder.fd, &err) == 0);
	assert(store_open(&folder, true, &store, NULL, &err) == 0 && store_begin(store, &err) == 0);
	for (unsigned i = 0; i < STREAMS; i++) {
		struct store_stream row = row_of(i);
		struct stream assigned = {GENERATOR_THREEFRY4X32, 7, 0};

		assert(store_assign(store, &assigned, false, 0, 100, &err) == 0 && assigned.stream == i + 1);
		assert(store_put(store, &row, &err) == 0);
	}
	assert(store_commit(store, &err) == 0);
	store_close(store);
	FILE *file = fopen(path(""), "rb");

	sound_size = fread(sound, 1, sizeof sound, file);
	fclose(file);
	ssize_t size = getxattr(dir, STORE_MARK, mark, sizeof mark);

	mark_size = size > 0 ? (size_t)size : 0;
	remove_all();
}

static int same_row(void *arg, const struct store_stream *row)
{
	unsigned *count = arg;
	const struct store_stream expected = row_of(*count);

	assert(*count < STREAMS && memcmp(row, &expected, sizeof expected) == 0);
	++*count;
	return 0;
}

static int any_row(void *arg, const struct store_stream *row)
{
	(void)arg;
	assert(row->issued <= row->reserved && store_name_is_good(row->name, strlen(row->name)));
	return 0;
}

/* Either damage or another state, and then a repair or a restore; or what the sound one had (known), or any rows that are possible. */
static void open_it(bool known)
{
	struct store *store;
	struct error err = {0};
	unsigned count = 0;
	enum store_fault fault;
	FILE *nowhere;

	if (store_open(&folder, true, &store, &fault, &err) == 0) {
		assert(store_load(store, known ? same_row : any_row, &count, &err) == 0);
		assert(!known || count == STREAMS);
		store_close(store);
		return;
	}
	assert(err.code == ERROR_STORE || err.code == ERROR_NO_MEMORY || err.code == ERROR_SYSTEM);
	nowhere = fopen("/dev/null", "w");
	assert(nowhere);
	if ((fault == STORE_DAMAGED && store_repair(&folder, nowhere, &err) == 0) ||
	    (fault == STORE_RESTORED && store_restore(&folder, nowhere, &err) == 0)) {
		assert(store_open(&folder, false, &store, &fault, &err) == 0);
		assert(store_load(store, any_row, &count, &err) == 0);
		store_close(store);
	}
	fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char changed[ROOM];

	if (!*dir)
		make_sound();
	if (size == 0)
		return 0;
	memcpy(changed, sound, sound_size);
	for (size_t i = 1; data[0] == 1 && i + 2 < size; i += 3)
		changed[(data[i] * 256u + data[i + 1]) % sound_size] ^= data[i + 2];
	if (data[0] == 0)
		write_file("", data + 1, size - 1);
	else
		write_file("", changed, sound_size);
	if (data[0] == 2)
		write_file("-journal", data + 1, size - 1);
	if (data[0] != 0 && mark_size)
		assert(setxattr(dir, STORE_MARK, mark, mark_size, 0) == 0);
	open_it(data[0] == 1);
	remove_all();
	return 0;
}
