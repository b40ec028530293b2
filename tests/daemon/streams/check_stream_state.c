/* SPDX-License-Identifier: Apache-2.0 */
/* The state of named streams on its disk: one daemon a folder, a disk that is full, damage and its repair. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "named.h"

#include "base/error.h"

/* ---- the disk ---- */

/* Where the state of such a daemon lies. */
static void path_of(const struct daemon *daemon, const char *name, char ret_path[160])
{
	snprintf(ret_path, 160, "%s/state%s", daemon->dir, name);
}

/* A disk of 96 KiB for the state; false where this process may not mount one. */
static bool mount_disk(const struct daemon *daemon)
{
	char path[160];

	path_of(daemon, "", path);
	mkdir(path, 0700);
	return geteuid() == 0 && unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("disk", path, "tmpfs", 0, "size=96k") == 0;
}

static void unmount_disk(const struct daemon *daemon)
{
	char path[160];

	path_of(daemon, "", path);
	assert_int_equal(umount(path), 0);
}

/* Takes all the room that there is; the file that has it. */
static int fill_disk(const struct daemon *daemon)
{
	static char zeros[4096];
	char path[160];

	path_of(daemon, "/ballast", path);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	while (write(fd, zeros, sizeof zeros) > 0)
		;
	return fd;
}

/* Draws that need blocks: each has the next positions, or is refused by the store. How many were refused. */
static int draw_on_a_full_disk(struct client *client, uint64_t *end)
{
	int refused = 0;

	/* The journal of the first commit has room in its file: it is taken away. */
	for (int i = 0; i < 40; i++) {
		struct value params = draw_of(client, "noise", "bits", 3000);
		struct message message = client_call(client, "stream_draw", &params);

		if (message.error.code == 0) {
			assert_true(client_number(&message.result, "position") >= *end);
			*end = client_number(&message.result, "next");
			continue;
		}
		assert_int_equal(message.error.code, ERROR_STORE);
		refused++;
	}
	return refused;
}

/* A new stream needs pages; what fits into the old ones may go on. How many were refused. */
static int create_on_a_full_disk(struct client *client)
{
	int refused = 0;

	for (int i = 0; i < 200; i++) {
		char name[32];

		snprintf(name, sizeof name, "a_stream_with_a_long_name_%03d", i);
		struct value params =
			client_map(client, "name", value_string(name), "seed", value_uint((uint64_t)i), NULL);
		struct message message = client_call(client, "stream_create", &params);

		if (message.error.code == 0)
			continue;
		if (message.error.code != ERROR_STORE || !strstr(message.error.text, "no space left"))
			fail_msg("expected store: no space left, got %s", message.error.text);
		refused++;
	}
	return refused;
}

/* On a disk of its own that is filled up: draws that need a block fail with `store`, and go on once there is room. */
static void full_disk(void **test)
{
	char state[128];
	struct daemon daemon;
	struct client client;
	uint64_t end = 0;

	(void)test;
	begin(&daemon, state);
	if (!mount_disk(&daemon)) {
		daemon_remove_dir(&daemon);
		puts("# no disk of its own can be made");
		skip();
	}
	spawn_with(&daemon, state, &client);
	create(&client, "noise");
	int ballast = fill_disk(&daemon), refused = draw_on_a_full_disk(&client, &end);

	refused += create_on_a_full_disk(&client);
	assert_true(refused > 0);
	assert_int_equal(ftruncate(ballast, 0), 0);
	close(ballast);
	for (int i = 0; i < 20; i++) {
		struct value reply = draw(&client, "noise", "bits", 3000);

		assert_true(client_number(&reply, "position") >= end);
		end = client_number(&reply, "next");
	}
	create(&client, "another");
	end_with(&daemon, &client);
	unmount_disk(&daemon);
	daemon_remove_dir(&daemon);
}

static void one_daemon_a_folder(void **test)
{
	char state[128], other[128];
	struct daemon daemon, second;

	(void)test;
	begin(&daemon, state);
	spawn(&daemon, state, NULL);
	begin(&second, other);
	daemon_spawn(&second, (const char *const[]){state, NULL}, NULL);
	assert_int_equal(daemon_wait(&second), 75);
	daemon_remove_dir(&second);
	daemon_stop(&daemon);
}

/* ---- damage ---- */

static void flip(const struct daemon *daemon, off_t at)
{
	char path[160], byte;

	path_of(daemon, "/streams.db", path);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static int repair(const char *state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
		execl(daemon_binary(), daemon_binary(), "--repair-state", state, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static off_t size_of(const struct daemon *daemon)
{
	char path[160];
	struct stat st;

	path_of(daemon, "/streams.db", path);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* The place of a text in the state. */
static off_t place_of(const struct daemon *daemon, const char *text)
{
	static char bytes[1 << 20];
	char path[160];

	path_of(daemon, "/streams.db", path);
	FILE *file = fopen(path, "rb");
	size_t size = fread(bytes, 1, sizeof bytes, file);

	fclose(file);
	const char *at = memmem(bytes, size, text, strlen(text));

	assert_non_null(at);
	return at - bytes;
}

/* Two streams, drawn from and stopped cleanly, after which nothing is to be repaired. */
static void prepare(struct daemon *daemon, const char *state)
{
	struct client client;

	assert_int_equal(repair(state), 71 + 3); /* no folder: an I/O error */
	spawn_with(daemon, state, &client);
	create(&client, "kept");
	create(&client, "lost");
	draw(&client, "kept", "bits", 1000);
	draw(&client, "lost", "bits", 2000);
	end_with(daemon, &client);
	assert_int_equal(repair(state), 0);
}

/* What needs the state fails and says what to do about it. */
static void refuses_what_is_damaged(struct daemon *daemon, const char *state)
{
	char why[160];
	struct client client;
	struct value params, none = value_map();

	spawn_with(daemon, state, &client);
	snprintf(why, sizeof why, "trnscid --repair-state --state-dir %s/state", daemon->dir);
	client_fails(&client, "stream_list", &none, ERROR_STORE, why);
	params = draw_of(&client, "kept", "bits", 1);
	client_fails(&client, "stream_draw", &params, ERROR_STORE, why);
	params = named(&client, "new");
	client_fails(&client, "stream_create", &params, ERROR_STORE, why);
	client_result(&client, "ping", &none); /* all else is served */
	assert_int_equal(repair(state), 75);   /* not beside a daemon */
	end_with(daemon, &client);
}

/* What could be read goes on behind all that may have been issued; the ids of what is lost are not given again. */
static void goes_on_repaired(struct daemon *daemon, const char *state)
{
	struct client client;
	struct value params, reply;

	assert_int_equal(repair(state), 0);
	spawn_with(daemon, state, &client);
	reply = draw(&client, "kept", "bits", 1);
	assert_int_equal(client_number(&reply, "position"), 1000 + (1ull << 48));
	params = draw_of(&client, "lost", "bits", 1);
	client_fails(&client, "stream_draw", &params, ERROR_NOT_FOUND, "no stream \"lost\"");
	reply = create(&client, "lost");
	assert_true(client_number(&reply, "stream") > 1ull << 40);
	reply = create_seeded(&client, "other", 8);
	assert_int_equal(client_number(&reply, "stream"), (1ull << 40) + 1);
	end_with(daemon, &client);
}

enum damage { CUT_SHORT, EMPTIED, GONE, DAMAGES };

static void damage(const struct daemon *daemon, enum damage how)
{
	char path[160];

	path_of(daemon, "/streams.db", path);
	if (how == GONE)
		assert_int_equal(unlink(path), 0);
	else
		assert_int_equal(truncate(path, how == EMPTIED ? 0 : size_of(daemon) / 2), 0);
}

static void damage_and_repair(void **test)
{
	char state[128], name[16];
	struct daemon daemon;
	struct client client;

	(void)test;
	begin(&daemon, state);
	prepare(&daemon, state);
	flip(&daemon, place_of(&daemon, "lost") + 4); /* "threefry" behind it */
	refuses_what_is_damaged(&daemon, state);
	goes_on_repaired(&daemon, state);
	/* Never a new beginning. */
	for (enum damage how = 0; how < DAMAGES; how++) {
		damage(&daemon, how);
		spawn_with(&daemon, state, &client);
		struct value params = named(&client, "new"), reply;

		client_fails(&client, "stream_create", &params, ERROR_STORE, "--repair-state");
		end_with(&daemon, &client);
		assert_int_equal(repair(state), 0);
		spawn_with(&daemon, state, &client);
		snprintf(name, sizeof name, "after%d", (int)how);
		reply = create(&client, name);
		assert_true(client_number(&reply, "stream") > (uint64_t)(how + 2) << 40);
		end_with(&daemon, &client);
	}
	daemon_remove_dir(&daemon);
}

/* ---- owners and modes ---- */

static const struct stat *status_of(const struct daemon *daemon)
{
	static struct stat st;
	char path[160];

	path_of(daemon, "/streams.db", path);
	assert_int_equal(stat(path, &st), 0);
	return &st;
}

/* A FIFO, a device or a folder in the place of a file of the state: the daemon starts without named streams, and the repair
 * ends with an error. Neither waits. */
static void other_kinds_of_files(void **test)
{
	static const char *const names[] = {"/streams.db", "/streams.db-journal", "/streams.db-wal"};
	char state[128], path[160];
	struct daemon daemon;
	struct client client;

	(void)test;
	begin(&daemon, state);
	path_of(&daemon, "", path);
	assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 0; i < 3 * sizeof names / sizeof *names; i++) {
		path_of(&daemon, names[i / 3], path);
		assert_int_equal(i % 3 == 0 ? mkfifo(path, 0600) : i % 3 == 1 ? symlink("/dev/zero", path) : mkdir(path, 0700), 0);
		spawn(&daemon, state, NULL);
		client_open(&client, daemon.socket);
		struct value params = client_map(&client, "name", value_string("a"), NULL);
		client_fails(&client, "stream_create", &params, ERROR_STORE, "state");
		client_result(&client, "ping", NULL);
		client_close(&client);
		assert_int_equal(daemon_strike(&daemon, SIGTERM), 0);
		assert_int_equal(repair(state), 74);
		assert_int_equal(remove(path), 0);
	}
	spawn(&daemon, state, NULL);
	daemon_stop(&daemon);
}

/* As root, of a state that is another user's: who could open it before can open it afterwards. */
static void repair_keeps_the_owner(void **test)
{
	static const char *const commands[] = {"--repair-state", "--restored-state"};
	enum { OWNER = 12345, GROUP = 54321 };
	char state[128], path[160], folder[160], command[4400];
	struct daemon daemon;

	(void)test;
	if (geteuid() != 0) {
		puts("# only root can give files away");
		skip();
	}
	for (size_t i = 0; i < 2; i++) {
		begin(&daemon, state);
		prepare(&daemon, state);
		path_of(&daemon, "/streams.db", path);
		path_of(&daemon, "", folder);
		assert_int_equal(chown(path, OWNER, GROUP), 0);
		assert_int_equal(chmod(path, 0640), 0);
		assert_int_equal(chown(folder, OWNER, GROUP), 0);
		if (i == 0)
			flip(&daemon, place_of(&daemon, "lost") + 4);
		snprintf(command, sizeof command, "%s %s %s >/dev/null", daemon_binary(), commands[i], state);
		assert_int_equal(system(command), 0);
		assert_int_equal(status_of(&daemon)->st_uid, OWNER);
		assert_int_equal(status_of(&daemon)->st_gid, GROUP);
		assert_int_equal(status_of(&daemon)->st_mode & 07777, 0640);
		/* A state that is gone: its folder's owner. */
		assert_int_equal(unlink(path), 0);
		assert_int_equal(repair(state), 0);
		assert_int_equal(status_of(&daemon)->st_uid, OWNER);
		assert_int_equal(status_of(&daemon)->st_mode & 07777, 0600);
		daemon_remove_dir(&daemon);
	}
}

/* What the daemon writes to standard error at its start on that state. */
static void start_and_read(struct daemon *daemon, const char *state, char *ret_text, size_t room)
{
	int loud = dup(STDERR_FILENO), pipe_fds[2];
	struct client client;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	dup2(pipe_fds[1], STDERR_FILENO);
	daemon_spawn(daemon, (const char *const[]){state, NULL}, NULL);
	dup2(loud, STDERR_FILENO);
	close(loud);
	close(pipe_fds[1]);
	daemon_await(daemon, "READY=1");
	client_open(&client, daemon->socket);
	end_with(daemon, &client);
	ssize_t size = read(pipe_fds[0], ret_text, room - 1);

	close(pipe_fds[0]);
	ret_text[size > 0 ? size : 0] = '\0';
}

static void others_can_write(void **test)
{
	static const struct {
		const char *name;
		mode_t mode;
		bool warns;
	} rows[] = {{"", 0700, false},	     {"", 0755, false},		   {"", 0770, true},
		    {"", 0707, true},	     {"/streams.db", 0644, false}, {"/streams.db", 0620, true},
		    {"/streams.db", 0602, true}};
	char state[128], path[160], text[4096], why[240];
	struct daemon daemon;

	(void)test;
	begin(&daemon, state);
	prepare(&daemon, state);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct stat st;

		path_of(&daemon, rows[i].name, path);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(chmod(path, rows[i].mode), 0);
		start_and_read(&daemon, state, text, sizeof text);
		snprintf(why, sizeof why, "%s (owner %u, mode %04o) can be written by other users", path, (unsigned)st.st_uid,
			 (unsigned)rows[i].mode);
		if (!strstr(text, why) == rows[i].warns)
			fail_msg("%s %04o: expected %s, got \"%s\"", path, (unsigned)rows[i].mode,
				 rows[i].warns ? why : "no warning", text);
		assert_int_equal(chmod(path, st.st_mode & 07777), 0);
	}
	daemon_remove_dir(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_daemon_a_folder),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(damage_and_repair),
		cmocka_unit_test(other_kinds_of_files),
		cmocka_unit_test(repair_keeps_the_owner),
		cmocka_unit_test(others_can_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
