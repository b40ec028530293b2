/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of any size: large ones begin where a huge page does, also after they were resized, and keep their content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/huge_map.h"

enum { PAGE = 4096, MOST = 3 * HUGE_PAGE_BYTES + PAGE };

static const size_t sizes[] = {PAGE, HUGE_PAGE_BYTES - PAGE, HUGE_PAGE_BYTES, HUGE_PAGE_BYTES + PAGE, MOST};

enum { SIZES = sizeof sizes / sizeof *sizes };

static int new_file(void)
{
	const int fd = memfd_create("huge", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, MOST), 0);
	return fd;
}

static void assert_placed(const char *base, size_t bytes)
{
	assert_ptr_not_equal(base, MAP_FAILED);
	assert_int_equal((uintptr_t)base % (bytes < HUGE_PAGE_BYTES ? PAGE : HUGE_PAGE_BYTES), 0);
}

static void maps_aligned(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZES; i++) {
		const int fd = new_file();
		char *file = huge_map(sizes[i], MAP_SHARED, fd), *memory = huge_map(sizes[i], MAP_PRIVATE | MAP_ANONYMOUS, -1);
		char last;

		assert_placed(file, sizes[i]);
		assert_placed(memory, sizes[i]);
		file[sizes[i] - 1] = memory[sizes[i] - 1] = 'x';
		assert_int_equal(pread(fd, &last, 1, (off_t)sizes[i] - 1), 1);
		assert_int_equal(last, 'x');
		munmap(file, sizes[i]);
		munmap(memory, sizes[i]);
		close(fd);
	}
}

static void resizes_aligned(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZES * SIZES; i++) {
		const size_t from = sizes[i / SIZES], to = sizes[i % SIZES];
		const int fd = new_file();
		char *base = huge_map(from, MAP_SHARED, fd);

		base[PAGE - 1] = 'x';
		base = huge_remap(base, from, to);
		assert_placed(base, to);
		assert_int_equal(base[PAGE - 1], 'x');
		base[to - 1] = 'y';
		munmap(base, to);
		close(fd);
	}
}

static void refuses_as_mmap(void **state)
{
	(void)state;
	assert_ptr_equal(huge_map(MOST, MAP_SHARED, -1), MAP_FAILED);
	assert_ptr_equal(huge_map(SIZE_MAX - PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1), MAP_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_aligned),
		cmocka_unit_test(resizes_aligned),
		cmocka_unit_test(refuses_as_mmap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
