/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon and its clients, for tests. */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fdpass.h"
#include "frame.h"

enum { PATIENCE_MS = 30000 };

/* ------- the daemon ------- */

/* Resolved before main: within a chroot, /proc/self/exe is wrong once a test has made a mount namespace. */
static char binary[PATH_MAX + sizeof "/bin/trnscid"];

__attribute__((constructor)) static void find_binary(void)
{
	char self[PATH_MAX], *slash;

	if (!realpath((const char *)getauxval(AT_EXECFN), self))
		return;
	for (int up = 0; up < 3; up++) /* BUILD/tests/daemon/check_x */
		if ((slash = strrchr(self, '/')))
			*slash = '\0';
	snprintf(binary, sizeof binary, "%s/bin/trnscid", self);
}

const char *daemon_binary(void)
{
	assert_true(*binary);
	return binary;
}

static int bind_datagram(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

void daemon_prepare(struct daemon *daemon)
{
	*daemon = (struct daemon){.pid = -1};
	strcpy(daemon->dir, "/tmp/trnscid-test-XXXXXX");
	assert_non_null(mkdtemp(daemon->dir));
	snprintf(daemon->socket, sizeof daemon->socket, "%s/socket", daemon->dir);
	snprintf(daemon->notify, sizeof daemon->notify, "%s/notify", daemon->dir);
	daemon->notify_fd = bind_datagram(daemon->notify);
}

void daemon_spawn(struct daemon *daemon, const char *const *arguments, const char *const *environment)
{
	const char *argv[40] = {daemon_binary(), "--log-level=warning", "--socket", daemon->socket};
	pid_t parent = getpid();
	int count = *daemon->socket ? 4 : 2;

	argv[count] = NULL;
	for (; arguments && *arguments; arguments++)
		argv[count++] = *arguments;
	daemon->pid = fork();
	assert_true(daemon->pid >= 0);
	if (daemon->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (daemon->most_files)
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){daemon->most_files, daemon->most_files});
	setenv("NOTIFY_SOCKET", daemon->notify, 1);
	setenv("XDG_STATE_HOME", daemon->dir, 1);
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO); /* ours is TAP */
	for (; environment && *environment; environment++)
		putenv((char *)*environment);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

void daemon_await(struct daemon *daemon, const char *prefix)
{
	struct pollfd wait = {daemon->notify_fd, POLLIN, 0};
	char text[512];

	while (poll(&wait, 1, PATIENCE_MS) == 1) {
		ssize_t size = recv(daemon->notify_fd, text, sizeof text - 1, 0);

		assert_true(size >= 0);
		text[size] = '\0';
		if (strncmp(text, prefix, strlen(prefix)) == 0)
			return;
	}
	fail_msg("expected %s from the daemon within %d ms", prefix, PATIENCE_MS);
}

void daemon_start(struct daemon *daemon, const char *const *arguments)
{
	daemon_prepare(daemon);
	daemon_spawn(daemon, arguments, NULL);
	daemon_await(daemon, "READY=1");
}

static void pause_ms(long ms)
{
	struct timespec time = {0, ms * 1000000};

	nanosleep(&time, NULL);
}

int daemon_wait(struct daemon *daemon)
{
	int status;

	for (int waited = 0; waited < 20000; waited += 5) {
		pid_t pid = waitpid(daemon->pid, &status, WNOHANG);

		assert_true(pid >= 0);
		if (pid > 0) {
			daemon->pid = -1;
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
		pause_ms(5);
	}
	kill(daemon->pid, SIGABRT);
	fail_msg("the daemon did not end within 20 s");
	return -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

void daemon_remove_dir(struct daemon *daemon)
{
	close(daemon->notify_fd);
	assert_int_equal(nftw(daemon->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void daemon_stop(struct daemon *daemon)
{
	assert_int_equal(kill(daemon->pid, SIGTERM), 0);
	assert_int_equal(daemon_wait(daemon), 0);
	assert_int_equal(access(daemon->socket, F_OK), -1);
	daemon_remove_dir(daemon);
}

unsigned daemon_fds(const struct daemon *daemon)
{
	char path[64];
	unsigned count = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/fd", daemon->pid);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

uint64_t daemon_kib(const struct daemon *daemon, const char *line)
{
	char path[64], text[256];
	uint64_t kib = UINT64_MAX;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/status", daemon->pid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(text, sizeof text, file))
		if (strncmp(text, line, strlen(line)) == 0 && text[strlen(line)] == ':')
			kib = strtoull(text + strlen(line) + 1, NULL, 10);
	fclose(file);
	assert_true(kib != UINT64_MAX);
	return kib;
}

/* ------- clients ------- */

void client_open(struct client *client, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*client = (struct client){.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), .zone = zone_new()};
	strcpy(address.sun_path, path);
	if (connect(client->fd, (struct sockaddr *)&address, sizeof address) < 0)
		fail_msg("connect %s: %s", path, strerror(errno));
}

void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	free(client->at);
	zone_free(client->zone);
	*client = (struct client){.fd = -1};
}

struct value client_map(struct client *client, ...)
{
	struct value map = value_map();
	va_list args;

	va_start(args, client);
	for (const char *name; (name = va_arg(args, const char *));)
		assert_int_equal(value_put(client->zone, &map, name, va_arg(args, struct value)), 0);
	va_end(args);
	return map;
}

void client_send_bytes(struct client *client, const void *bytes, size_t size)
{
	for (size_t sent = 0; sent < size;) {
		ssize_t r = fdpass_send(client->fd, (const char *)bytes + sent, size - sent, NULL);

		if (r < 0)
			fail_msg("send: %s", strerror((int)-r));
		sent += (size_t)r;
	}
}

uint32_t client_send(struct client *client, const char *method, const struct value *params)
{
	struct codec_buffer buffer = {0};

	assert_int_equal(codec_request(&buffer, ++client->last_msgid, method, params), 0);
	client_send_bytes(client, buffer.at, buffer.size);
	codec_buffer_free(&buffer);
	return client->last_msgid;
}

/* One message from what has been received, if a whole one is there. */
static bool take(struct client *client, struct message *ret)
{
	struct frame_limits limits = {.bytes = (size_t)1 << 30, .elements = 1 << 20};
	struct frame_scan scan;
	struct error err;
	size_t size;
	int r;

	frame_scan_init(&scan, &limits);
	r = frame_scan_more(&scan, client->at, client->size, &size);
	assert_true(r >= 0);
	if (r == 0)
		return false;
	char *frame = zone_copy(client->zone, client->at, size);
	memmove(client->at, client->at + size, client->size - size);
	client->size -= size;
	r = codec_decode(frame, size, client->zone, ret, &err);
	if (r < 0)
		fail_msg("the daemon sent what is no message: %s", err.text);
	return true;
}

bool client_receive_fds(struct client *client, struct message *ret, struct fdpass *ret_fds)
{
	struct pollfd wait = {client->fd, POLLIN, 0};
	bool strange;

	ret_fds->count = 0;
	while (!take(client, ret)) {
		struct fdpass fds;

		if (client->room - client->size < 65536)
			client->at = realloc(client->at, client->room = client->room * 2 + 65536);
		if (poll(&wait, 1, PATIENCE_MS) != 1)
			fail_msg("nothing came from the daemon for %d ms", PATIENCE_MS);
		ssize_t got = fdpass_receive(client->fd, client->at + client->size, client->room - client->size, &fds,
					     &strange);
		if (got == 0 || got == -ECONNRESET)
			return false;
		assert_true(got > 0 && !strange);
		if (fds.count)
			*ret_fds = fds;
		client->size += (size_t)got;
	}
	return true;
}

bool client_receive_fd(struct client *client, struct message *ret, int *ret_fd)
{
	struct fdpass fds;
	bool more = client_receive_fds(client, ret, &fds);

	assert_true(fds.count <= 1);
	*ret_fd = fds.count ? fds.at[0] : -1;
	return more;
}

bool client_receive(struct client *client, struct message *ret)
{
	int fd;
	bool more = client_receive_fd(client, ret, &fd);

	assert_int_equal(fd, -1);
	return more;
}

struct message client_call(struct client *client, const char *method, const struct value *params)
{
	struct message message;
	uint32_t msgid = client_send(client, method, params);

	if (!client_receive(client, &message))
		fail_msg("%s: expected an answer, got the end of input", method);
	assert_int_equal(message.type, MESSAGE_RESPONSE);
	assert_int_equal(message.msgid, msgid);
	return message;
}

struct value client_result(struct client *client, const char *method, const struct value *params)
{
	struct message message = client_call(client, method, params);

	if (message.error.code)
		fail_msg("%s: %s", method, message.error.text);
	return message.result;
}

void client_fails(struct client *client, const char *method, const struct value *params, int code, const char *words)
{
	struct message message = client_call(client, method, params);

	if (message.error.code != code || !strstr(message.error.text, words))
		fail_msg("%s: expected error %s with \"%s\", got %s", method, error_name(code), words,
			 message.error.code ? message.error.text : "no error");
}

static void expect_refusal(struct client *client, const struct message *message, const char *words)
{
	const struct value *text = value_get(&message->params, "text");
	struct message beyond;

	assert_int_equal(message->type, MESSAGE_NOTIFICATION);
	assert_true(message->method_size == 5 && memcmp(message->method, "error", 5) == 0);
	assert_int_equal(client_number(&message->params, "kind"), error_kind(ERROR_LIMIT));
	assert_true(text && text->bytes.size > 7 && memcmp(text->bytes.at, "limit: ", 7) == 0);
	if (!memmem(text->bytes.at, text->bytes.size, words, strlen(words)))
		fail_msg("expected a limit with \"%s\", got \"%.*s\"", words, (int)text->bytes.size, text->bytes.at);
	assert_false(client_receive(client, &beyond));
}

void client_is_refused(struct client *client, const char *words)
{
	struct message message;

	if (!client_receive(client, &message))
		fail_msg("expected why the connection is refused, got the end of input");
	expect_refusal(client, &message, words);
}

bool client_is_let_in(struct client *client, const char *words)
{
	static const char ping[] = "\x94\x00\x07\xa4ping\x91\x80";
	struct message message;

	/* A connection that was refused may be closed already. */
	ssize_t sent = fdpass_send(client->fd, ping, sizeof ping - 1, NULL);

	assert_true(sent == sizeof ping - 1 || sent == -EPIPE);
	if (!client_receive(client, &message))
		fail_msg("expected a reply, or why the connection is refused, got the end of input");
	if (message.type == MESSAGE_RESPONSE) {
		assert_int_equal(message.error.code, 0);
		return true;
	}
	expect_refusal(client, &message, words);
	return false;
}

uint64_t client_number(const struct value *map, const char *name)
{
	const struct value *value = value_get(map, name);
	uint64_t number = 0;

	if (!value || !value_to_u64(value, &number))
		fail_msg("no number called %s", name);
	return number;
}

uint64_t client_stat(struct client *client, const char *path)
{
	struct value at = client_result(client, "stats", NULL);
	char copy[128], *rest = copy;

	snprintf(copy, sizeof copy, "%s", path);
	for (char *name; (name = strsep(&rest, ".")) && rest;) {
		const struct value *inner = value_get(&at, name);

		if (!inner)
			fail_msg("stats: no %s of %s", name, path);
		at = *inner;
	}
	return client_number(&at, strrchr(path, '.') + 1);
}

void client_await_stat(struct client *client, const char *path, uint64_t value)
{
	uint64_t got = 0;

	for (int waited = 0; waited < PATIENCE_MS; waited += 2) {
		got = client_stat(client, path);
		if (got == value)
			return;
		pause_ms(2);
	}
	fail_msg("stats: expected %s to become %" PRIu64 ", got %" PRIu64, path, value, got);
}

int client_arena(struct client *client, uint64_t bytes, void **ret_base)
{
	struct value params = client_map(client, "bytes", value_uint(bytes), NULL);
	struct message message;
	int fd;

	client_send(client, "arena", &params);
	assert_true(client_receive_fd(client, &message, &fd));
	if (message.error.code)
		fail_msg("arena: %s", message.error.text);
	assert_true(fd >= 0);
	*ret_base = mmap(NULL, client_number(&message.result, "bytes"), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(*ret_base != MAP_FAILED);
	return fd;
}

struct value client_program(struct client *client, uint64_t n, int count)
{
	struct value params = client_map(client, "dtype", value_string("f32"), "shape", value_uint(n), NULL);
	struct value steps = value_array(), tile = client_result(client, "tile", &params);

	/* The thread sanitizer makes a draw a hundred times slower. */
	for (count = THREAD_SANITIZED ? (count + 19) / 20 : count; count; count--) {
		struct value step = client_map(client, "op", value_string("normal"), "out",
					       value_uint(client_number(&tile, "tile")), NULL);

		assert_int_equal(value_push(client->zone, &steps, step), 0);
	}
	return client_map(client, "steps", steps, NULL);
}

uint32_t client_send_long(struct client *client, int count)
{
	struct value params = client_program(client, 1 << 22, count);

	return client_send(client, "run", &params);
}
