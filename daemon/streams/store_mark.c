/* SPDX-License-Identifier: Apache-2.0 */
/* The mark of a state: an attribute of its folder, "1 IDENTITY COMMITS REPAIRS INODE SECONDS.NANOSECONDS". A copy of the file
 * does not include it; and if a folder is copied with its attributes, the copy has another inode and birth. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store_core.h"

enum { TEXT_ROOM = 160 };

static int fail_system(const char *what, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "state: %s: %s", what, strerror(errno));
}

/* Reads the folder's part of a mark. */
static int read_folder(int folder_fd, struct store_mark *mark, struct error *err)
{
	struct statx st;

	if (statx(folder_fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) < 0)
		return fail_system("its folder", err);
	mark->inode = st.stx_ino;
	mark->birth_s = st.stx_mask & STATX_BTIME ? st.stx_btime.tv_sec : 0;
	mark->birth_ns = st.stx_mask & STATX_BTIME ? st.stx_btime.tv_nsec : 0;
	return 0;
}

int store_read_mark(int folder_fd, struct store_mark *ret_mark, enum store_marking *ret_marking, struct error *err)
{
	struct store_mark mark = {0};
	char text[TEXT_ROOM];
	int end = 0;
	ssize_t size = fgetxattr(folder_fd, STORE_MARK, text, sizeof text - 1);

	if (size < 0 && errno != ENODATA && errno != ENOTSUP && errno != ENOSYS && errno != ERANGE)
		return fail_system("its folder's mark", err);
	if (size < 0) {
		*ret_marking = errno == ENODATA ? STORE_MARK_NONE
			       : errno == ERANGE ? STORE_MARK_UNREADABLE
						 : STORE_MARK_UNSUPPORTED;
		return 0;
	}
	text[size] = '\0';
	sscanf(text, "1 %16" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64 ".%9" SCNu32 "%n", &mark.identity,
	       &mark.commits, &mark.repairs, &mark.inode, &mark.birth_s, &mark.birth_ns, &end);
	*ret_marking = end == size && size > 0 ? STORE_MARK_READ : STORE_MARK_UNREADABLE;
	*ret_mark = mark;
	return 0;
}

int store_write_mark(const char *dir, int folder_fd, const struct store_head *head, struct error *err)
{
	struct store_mark mark = {.identity = head->identity, .commits = head->commits, .repairs = head->repairs};
	char text[TEXT_ROOM];
	int r = read_folder(folder_fd, &mark, err);

	if (r < 0)
		return r;
	int size = snprintf(text, sizeof text, "1 %016" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 ".%09" PRIu32,
			    mark.identity, mark.commits, mark.repairs, mark.inode, mark.birth_s, mark.birth_ns);

	if (fsetxattr(folder_fd, STORE_MARK, text, (size_t)size, 0) == 0 && fsync(folder_fd) == 0)
		return 0;
	return error_set(err, errno == ENOMEM ? ERROR_NO_MEMORY : ERROR_STORE, "%.110s: its mark: %s", dir,
			 errno == ENOSPC || errno == EDQUOT ? "no space left on its disk" : strerror(errno));
}

static bool is_born_apart(const struct store_mark *a, const struct store_mark *b)
{
	const bool known = (a->birth_s || a->birth_ns) && (b->birth_s || b->birth_ns);

	return a->inode != b->inode || (known && (a->birth_s != b->birth_s || a->birth_ns != b->birth_ns));
}

/* A head of version 1 has no identity: that version had no marks. */
static void compare_with_folder(const struct store_mark *mark, const struct store_mark *folder, const struct store_head *head,
		    char why[STORE_WHY_ROOM])
{
	if (!head->commits || mark->identity != head->identity)
		snprintf(why, STORE_WHY_ROOM, "the folder has the mark of another");
	else if (is_born_apart(mark, folder))
		snprintf(why, STORE_WHY_ROOM, "the folder is a copy");
	else if (head->commits < mark->commits)
		snprintf(why, STORE_WHY_ROOM, "commits missing: %" PRIu64, mark->commits - head->commits);
	else if (head->commits > mark->commits + 1)
		snprintf(why, STORE_WHY_ROOM, "commits beyond the folder's mark: %" PRIu64, head->commits - mark->commits);
}

int store_compare_mark(int folder_fd, const struct store_head *head, char why[STORE_WHY_ROOM],
		       enum store_marking *ret_marking, struct store_mark *ret_mark, struct error *err)
{
	struct store_mark folder = {0};
	int r = store_read_mark(folder_fd, ret_mark, ret_marking, err);

	*why = '\0';
	if (r == 0)
		r = read_folder(folder_fd, &folder, err);
	if (r < 0)
		return r;
	if (*ret_marking == STORE_MARK_READ)
		compare_with_folder(ret_mark, &folder, head, why);
	else if (*ret_marking == STORE_MARK_UNREADABLE)
		snprintf(why, STORE_WHY_ROOM, "the folder's mark is malformed");
	else if (head->marked)
		snprintf(why, STORE_WHY_ROOM,
			 *ret_marking == STORE_MARK_NONE ? "the folder has no mark" : "its file system keeps no marks");
	return 0;
}
