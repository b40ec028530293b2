/* SPDX-License-Identifier: Apache-2.0 */
/* The state file: a changed bit anywhere is found or harmless, ids come to an end, and users have a limit of seeds. */
#include "daemon/harness.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/streams/store_core.h"

struct fixture {
	char dir[64];
	struct store_folder folder;
	struct store *store;
	struct error err;
};

static void fixture_open(struct fixture *fixture)
{
	*fixture = (struct fixture){0};
	strcpy(fixture->dir,
	       access("/dev/shm", W_OK) == 0 ? "/dev/shm/trnsci-store-XXXXXX" : "/tmp/trnsci-store-XXXXXX");
	assert_non_null(mkdtemp(fixture->dir));
	fixture->folder.path = fixture->dir;
	assert_int_equal(store_lock(fixture->dir, false, &fixture->folder.fd, &fixture->err), 0);
	assert_int_equal(store_open(&fixture->folder, true, &fixture->store, NULL, &fixture->err), 0);
}

static void fixture_open_again(struct fixture *fixture)
{
	assert_int_equal(store_open(&fixture->folder, false, &fixture->store, NULL, &fixture->err), 0);
}

static void fixture_close(struct fixture *fixture)
{
	char command[128];

	store_close(fixture->store);
	close(fixture->folder.fd);
	snprintf(command, sizeof command, "rm -r %s", fixture->dir);
	assert_int_equal(system(command), 0);
}

static struct store_stream row_of(unsigned i)
{
	struct store_stream row = {.stream = {GENERATOR_PHILOX4X32, UINT64_MAX - i, i + 1}, .mode = 0640, .uid = i};

	snprintf(row.name, sizeof row.name, "stream%u", i);
	row.issued = 1000 * (i + 1);
	row.reserved = row.issued + 512;
	if (i == 3) { /* one signal */
		row.noise = "what it is";
		row.noise_size = strlen(row.noise);
	}
	return row;
}

enum { STREAMS = 5 };

static void fill(struct fixture *fixture)
{
	assert_int_equal(store_begin(fixture->store, &fixture->err), 0);
	for (unsigned i = 0; i < STREAMS; i++) {
		struct store_stream row = row_of(i);
		struct stream assigned = row.stream;

		assert_int_equal(store_assign(fixture->store, &assigned, i % 2, i, 100, &fixture->err), 0);
		assert_int_equal(store_put(fixture->store, &row, &fixture->err), 0);
	}
	assert_int_equal(store_commit(fixture->store, &fixture->err), 0);
}

/* The file of a store that was filled and closed. */
static int filled_file(struct fixture *fixture)
{
	char path[128];

	fill(fixture);
	store_close(fixture->store);
	snprintf(path, sizeof path, "%s/" STORE_FILE, fixture->dir);
	return open(path, O_RDWR | O_CLOEXEC);
}

static int same_row(void *arg, const struct store_stream *row)
{
	unsigned *count = arg;
	const struct store_stream expected = row_of((*count)++);
	struct store_stream got = *row;

	if (!got.noise != !expected.noise || got.noise_size != expected.noise_size ||
	    (got.noise && memcmp(got.noise, expected.noise, got.noise_size) != 0))
		return -ERROR_BAD_REPLY;
	got.noise = expected.noise;
	return memcmp(&got, &expected, sizeof expected) == 0 ? 0 : -ERROR_BAD_REPLY;
}

static bool is_same(struct store *store)
{
	struct error err;
	unsigned count = 0;

	return store_load(store, same_row, &count, &err) == 0 && count == STREAMS;
}

/* Bits that mean nothing (free space, SQLite's own counters) may change; nothing else does without being found. */
static void every_bit_counts(void **state)
{
	const char *full = getenv("TRNSCI_FULL");
	const off_t step = full && *full ? 1 : 23;
	unsigned found = 0, harmless = 0;
	struct fixture fixture;
	struct stat st;

	(void)state;
	fixture_open(&fixture);
	int fd = filled_file(&fixture);

	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += step) {
		char was, byte;

		assert_int_equal(pread(fd, &was, 1, at), 1);
		byte = (char)(was ^ 1 << at % 8);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		if (store_open(&fixture.folder, true, &fixture.store, NULL, &fixture.err) == 0) {
			if (!is_same(fixture.store))
				fail_msg("byte %jd changed: expected an error or the same rows, got others", (intmax_t)at);
			store_close(fixture.store);
			harmless++;
		} else if (!strstr(fixture.err.text, "--repair-state") && !strstr(fixture.err.text, "newer release")) {
			fail_msg("byte %jd changed: expected the repair command, got %s", (intmax_t)at,
				 fixture.err.text);
		} else {
			found++;
		}
		assert_int_equal(pwrite(fd, &was, 1, at), 1);
	}
	close(fd);
	printf("# of %u changed bytes %u were found, %u mean nothing\n", found + harmless, found, harmless);
	assert_true(found > 10);
	fixture_open_again(&fixture);
	assert_true(is_same(fixture.store));
	fixture_close(&fixture);
}

/* A page that went back to what it held before is found by the sum, though each row's hash is right. */
static void pages_that_went_back(void **state)
{
	enum { PAGE = 4096 };
	static char before[16 * PAGE], after[16 * PAGE];
	struct store_stream row;
	unsigned found = 0;
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture);
	int fd = filled_file(&fixture);
	ssize_t size = pread(fd, before, sizeof before, 0);

	fixture_open_again(&fixture);
	row = row_of(0);
	row.reserved += 4096;
	assert_int_equal(store_begin(fixture.store, &fixture.err), 0);
	assert_int_equal(store_put(fixture.store, &row, &fixture.err), 0);
	assert_int_equal(store_commit(fixture.store, &fixture.err), 0);
	store_close(fixture.store);
	assert_int_equal(pread(fd, after, sizeof after, 0), size);
	for (ssize_t at = PAGE; at < size; at += PAGE) {
		if (memcmp(before + at, after + at, PAGE) == 0)
			continue;
		assert_int_equal(pwrite(fd, before + at, PAGE, at), PAGE);
		assert_int_equal(store_open(&fixture.folder, false, &fixture.store, NULL, &fixture.err), -ERROR_STORE);
		assert_non_null(strstr(fixture.err.text, "a wrong sum"));
		assert_int_equal(pwrite(fd, after + at, PAGE, at), PAGE);
		found++;
	}
	assert_int_equal(found, 2); /* the stream's, and the sum's */
	close(fd);
	fixture_open_again(&fixture);
	fixture_close(&fixture);
}

static void ids_end(void **state)
{
	struct store_seed seed = {.stream = {GENERATOR_PHILOX4X32, 5, UINT32_MAX - 1}};
	struct stream next = {GENERATOR_PHILOX4X32, 5, 0}, wanted = {GENERATOR_PHILOX4X32, 5, UINT32_MAX};
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture);
	assert_int_equal(store_begin(fixture.store, &fixture.err), 0);
	assert_int_equal(store_put_seed(fixture.store, &seed, NULL, &fixture.err), 0);
	assert_int_equal(store_assign(fixture.store, &next, false, 0, 100, &fixture.err), 0);
	assert_int_equal(next.stream, UINT32_MAX - 1);
	assert_int_equal(store_assign(fixture.store, &wanted, true, 0, 100, &fixture.err), 0);
	assert_int_equal(store_assign(fixture.store, &next, false, 0, 100, &fixture.err), -ERROR_OUT_OF_RANGE);
	store_rollback(fixture.store);

	assert_int_equal(store_begin(fixture.store, &fixture.err), 0);
	assert_int_equal(store_put_seed(fixture.store, &seed, NULL, &fixture.err), 0);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(store_assign(fixture.store, &next, false, 0, 100, &fixture.err), 0);
		assert_int_equal(next.stream, UINT32_MAX - 1 + i);
	}
	assert_int_equal(store_assign(fixture.store, &next, false, 0, 100, &fixture.err), -ERROR_OUT_OF_RANGE);
	assert_int_equal(store_assign(fixture.store, &wanted, true, 0, 100, &fixture.err), -ERROR_EXISTS);
	assert_int_equal(store_commit(fixture.store, &fixture.err), 0);
	store_close(fixture.store);
	fixture_open_again(&fixture);
	assert_int_equal(store_begin(fixture.store, &fixture.err), 0);
	assert_int_equal(store_assign(fixture.store, &next, false, 0, 100, &fixture.err), -ERROR_OUT_OF_RANGE);
	store_rollback(fixture.store);
	fixture_close(&fixture);
}

static void seeds_of_a_user(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture);
	assert_int_equal(store_begin(fixture.store, &fixture.err), 0);
	for (uint64_t i = 0; i < 6; i++) {
		struct stream stream = {GENERATOR_THREEFRY4X32, i / 2, 0}; /* a seed counts once */
		int r = store_assign(fixture.store, &stream, false, 1000, 2, &fixture.err);

		assert_int_equal(r, i < 4 ? 0 : -ERROR_LIMIT);
	}
	assert_non_null(strstr(fixture.err.text, "the setting stream_seeds = 2"));
	assert_int_equal(store_assign(fixture.store, &(struct stream){GENERATOR_THREEFRY4X32, 9, 0}, false, 1001, 2,
				      &fixture.err),
			 0);
	store_rollback(fixture.store);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bit_counts),
		cmocka_unit_test(pages_that_went_back),
		cmocka_unit_test(ids_end),
		cmocka_unit_test(seeds_of_a_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
