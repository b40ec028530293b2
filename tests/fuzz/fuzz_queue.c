/* SPDX-License-Identifier: Apache-2.0 */
/* A queue whose client writes what it likes into the shared memory, and when it likes. While the client keeps the rules,
 * each of its runs completes exactly once, in memory that is there for completions; a client that breaks them loses its session
 * at the most. Whatever it did, its session ends with its connection and gives back all that it took.
 *
 * Input: a byte says what to do (enum deed), and the bytes that the deed takes follow. */
#include "service.h"

#include <string.h>
#include <sys/mman.h>

#include "daemon/requests/queue_core.h"

enum { ENTRIES = 16, SHORT = 512, LONG = 1 << 16, PREPARED = 6, STEPS_MOST = 400 };

/* What the client does. From POKE on it breaks the rules. */
enum deed { SUBMIT, KICK, CONSUME, TURN, SLEEP_FUTEX, SLEEP_NOTIFY, AWAKE, QUEUE_SLEEPS, READ, POKE, SEND, SHUTDOWN, DEEDS };

struct client {
	int fd;
	const uint8_t *data;
	size_t left;
	struct queue_page *page;
	uint32_t submitted, consumed, sleeps, kicked;
	uint32_t prepared[PREPARED], tiles[3];
	bool keeps_rules;
	unsigned completions[STEPS_MOST]; /* of each run, whose `user` is its number */
	uint8_t written[QUEUE_PAGE_BYTES + ENTRIES * QUEUE_ENTRY_BYTES]; /* submissions at their place, as this client wrote them */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ------- the service's turns ------- */

static struct queue *own_queue(void)
{
	return service.sessions ? service.sessions->queue : NULL;
}

/* What loop_run does between two waits. */
static void take_turns(unsigned n)
{
	while (n-- > 0) {
		struct queue *queue = own_queue();

		if (queue && queue->poller.polled)
			queue_poll(&queue->poller);
		loop_once(EVLOOP_NONBLOCK);
	}
}

static void let_queue_sleep(void)
{
	struct queue *queue = own_queue();

	if (queue && queue->poller.polled && queue_sleep(&queue->poller) && own_queue() == queue)
		loop_stop_polling(service.loop, &queue->poller);
}

/* ------- requests ------- */

static const struct value *put(struct bump *bump, struct value *map, const char *name, struct value value)
{
	must(value_put(bump, map, name, value) == 0);
	return map;
}

static void receive_reply(int fd, char *bytes, size_t room, struct bump *bump, struct message *ret_message, struct fdpass *fds)
{
	struct frame_scan scan;
	size_t have = 0, size;
	bool strange;

	frame_scan_init(&scan, NULL);
	do {
		ssize_t n;

		AWAIT((take_turns(1), (n = fdpass_receive(fd, bytes + have, room - have, have ? NULL : fds, &strange)) > 0));
		have += (size_t)n;
	} while (frame_scan_more(&scan, bytes, have, &size) == 0);
	must(size == have && codec_decode(bytes, size, bump, ret_message, NULL) == 0);
	must(ret_message->type == MESSAGE_RESPONSE && ret_message->error.code == 0);
}

/* Returns a number of the reply; a descriptor that came with it becomes *ret_fd. */
static uint32_t call(struct client *client, struct bump *bump, const char *method, const struct value *params, const char *number,
		     int *ret_fd)
{
	struct codec_buffer buffer = {0};
	struct fdpass fds = {.count = 0};
	struct message message;
	uint64_t value = 0;
	char bytes[4096];

	must(codec_request(&buffer, 1, method, params) == 0);
	must(send(client->fd, buffer.at, buffer.size, MSG_NOSIGNAL) == (ssize_t)buffer.size);
	codec_buffer_free(&buffer);
	receive_reply(client->fd, bytes, sizeof bytes, bump, &message, &fds);
	must(!number || value_to_u64(value_get(&message.result, number), &value));
	if (ret_fd && fds.count == 1) {
		*ret_fd = fds.at[0];
		fds.count = 0;
	}
	fdpass_close(&fds);
	return (uint32_t)value;
}

static uint32_t make_tile(struct client *client, struct bump *bump, uint64_t n)
{
	struct value map = value_map();

	put(bump, &map, "dtype", value_string("f32"));
	return call(client, bump, "tile", put(bump, &map, "shape", value_uint(n)), "tile", NULL);
}

static uint32_t prepare(struct client *client, struct bump *bump, const char *method, const char *name, uint64_t value)
{
	struct value params = value_map(), map = value_map();

	put(bump, &params, name, value_uint(value));
	put(bump, &map, "method", value_string(method));
	return call(client, bump, "prepare", put(bump, &map, "params", params), "prepared", NULL);
}

/* Draws that the loop runs itself, one for the threads, one whose result needs a tile, and an operation that reads one. */
static void open_queue(struct client *client)
{
	struct bump *bump = bump_new();
	struct value arena = value_map(), queue = value_map();
	int fd = -1;

	client->fd = service_connect();
	call(client, bump, "arena", put(bump, &arena, "bytes", value_uint(1 << 20)), NULL, NULL);
	client->tiles[0] = make_tile(client, bump, SHORT);
	client->tiles[1] = make_tile(client, bump, SHORT);
	client->tiles[2] = make_tile(client, bump, LONG);
	client->prepared[0] = prepare(client, bump, "normal", "out", client->tiles[0]);
	client->prepared[1] = prepare(client, bump, "uniform", "out", client->tiles[1]);
	client->prepared[2] = prepare(client, bump, "exponential", "out", client->tiles[2]);
	client->prepared[3] = prepare(client, bump, "normal", "n", SHORT);
	client->prepared[4] = prepare(client, bump, "sum", "in", client->tiles[0]);
	client->prepared[5] = UINT32_MAX; /* of no call */
	call(client, bump, "queue", put(bump, &queue, "entries", value_uint(ENTRIES)), NULL, &fd);
	client->page = mmap(NULL, queue_bytes(ENTRIES), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(client->page != MAP_FAILED && client->page->entries == ENTRIES);
	close(fd);
	bump_free(bump);
}

/* ------- deeds ------- */

/* 0 at the end of the input. */
static uint64_t next_number(struct client *client, unsigned bytes)
{
	uint64_t number = 0;

	for (; bytes > 0 && client->left > 0; bytes--, client->left--)
		number = number << 8 | *client->data++;
	return number;
}

static void send_bytes(struct client *client, const void *bytes, size_t size)
{
	if (send(client->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) < (ssize_t)size)
		client->keeps_rules = false; /* the session has ended, or reads no more */
}

static void kick(struct client *client)
{
	static const char bytes[] = "\x93\x02\xa4kick\x90";

	send_bytes(client, bytes, sizeof bytes - 1);
}

static void kick_if_asleep(struct client *client)
{
	const uint32_t sleeps = atomic_load(&client->page->daemon_sleeps);

	if (sleeps % 2 == 0 || sleeps == client->kicked)
		return;
	client->kicked = sleeps;
	kick(client);
}

/* Mostly what the rules of an entry allow; also unknown bits of `given` and tiles that are not there. */
static void submit(struct client *client)
{
	struct run_prepared run = {.user = client->submitted};

	if (client->submitted == STEPS_MOST || client->submitted - atomic_load(&client->page->taken) >= ENTRIES)
		return;
	run.prepared = client->prepared[next_number(client, 1) % PREPARED];
	run.given = (uint32_t)next_number(client, 1);
	run.given = run.given < 128 ? run.given % 8 : run.given;
	if (run.given & RUN_PREPARED_SEED)
		run.seed = next_number(client, 8);
	if (run.given & RUN_PREPARED_STREAM)
		run.stream = next_number(client, 8);
	if (run.given & RUN_PREPARED_OFFSET)
		run.offset = next_number(client, 8);
	const uint64_t tile = next_number(client, 1);
	if (tile > 0)
		run.tiles[tile % RUN_PREPARED_TILES] = tile < 128 ? client->tiles[tile % 3] : (uint32_t)next_number(client, 4);
	memcpy(queue_submission(client->page, ENTRIES, client->submitted), &run, sizeof run);
	memcpy(queue_submission(client->written, ENTRIES, client->submitted), &run, sizeof run);
	atomic_store(&client->page->submitted, ++client->submitted);
}

static void consume(struct client *client)
{
	struct queue_completion completion;

	if (client->consumed == atomic_load(&client->page->completed))
		return;
	memcpy(&completion, queue_completion(client->page, ENTRIES, client->consumed), sizeof completion);
	atomic_store(&client->page->consumed, ++client->consumed);
	if (!client->keeps_rules)
		return;
	must(completion.user < client->submitted && ++client->completions[completion.user] == 1);
	must(completion.reserved == 0 && !(completion.error && completion.given));
}

static void sleep_as(struct client *client, uint32_t how)
{
	client->sleeps += how == QUEUE_AWAKE ? 0 : QUEUE_SLEEP_STEP;
	atomic_store(&client->page->client_sleeps, how == QUEUE_AWAKE ? QUEUE_AWAKE : client->sleeps | how);
}

static void poke(struct client *client)
{
	const uint64_t at = next_number(client, 2) % (queue_bytes(ENTRIES) / 4);

	atomic_store((_Atomic uint32_t *)client->page + at, (uint32_t)next_number(client, 4));
	client->keeps_rules = false;
}

static void send_some(struct client *client)
{
	const size_t wanted = next_number(client, 1), count = wanted < client->left ? wanted : client->left;

	client->keeps_rules = false;
	send_bytes(client, client->data, count);
	client->data += count;
	client->left -= count;
}

static void act(struct client *client)
{
	switch ((enum deed)(next_number(client, 1) % DEEDS)) {
	case SUBMIT:
		submit(client);
		break;
	case KICK:
		kick(client);
		break;
	case CONSUME:
		consume(client);
		break;
	case TURN:
		take_turns(1);
		break;
	case SLEEP_FUTEX:
		sleep_as(client, QUEUE_WAKE_FUTEX);
		break;
	case SLEEP_NOTIFY:
		sleep_as(client, QUEUE_WAKE_NOTIFY);
		break;
	case AWAKE:
		sleep_as(client, QUEUE_AWAKE);
		break;
	case QUEUE_SLEEPS:
		let_queue_sleep();
		break;
	case READ:
		read_all(client->fd);
		break;
	case POKE:
		poke(client);
		break;
	case SEND:
		send_some(client);
		break;
	case SHUTDOWN:
		client->keeps_rules = false;
		shutdown(client->fd, SHUT_WR);
		break;
	case DEEDS:
		break;
	}
}

/* ------- what must hold in the end ------- */

static bool all_complete(struct client *client)
{
	read_all(client->fd);
	kick_if_asleep(client);
	take_turns(1);
	consume(client);
	return client->consumed == client->submitted || !client->keeps_rules;
}

static void check_runs(struct client *client)
{
	AWAIT(all_complete(client));
	must(own_queue() || !client->keeps_rules);
	if (!client->keeps_rules)
		return;
	for (uint32_t i = 0; i < client->submitted; i++)
		must(client->completions[i] == 1);
	must(memcmp(queue_submission(client->written, ENTRIES, 0), queue_submission(client->page, ENTRIES, 0),
		    ENTRIES * QUEUE_ENTRY_BYTES) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct client client = {.data = data, .left = size, .keeps_rules = true};

	open_queue(&client);
	while (client.left > 0)
		act(&client);
	if (client.keeps_rules)
		check_runs(&client);
	close(client.fd);
	munmap(client.page, queue_bytes(ENTRIES));
	wait_for_end();
	return 0;
}
