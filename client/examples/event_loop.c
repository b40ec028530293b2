/* SPDX-License-Identifier: Apache-2.0 */
/* Several calls in flight, and an event loop that is one poll. Any loop will do: the descriptor is readable when an
 * answer is there.
 *
 *   cc event_loop.c $(pkg-config --cflags --libs trnsci) -o event_loop */
#include <poll.h>
#include <stdio.h>

#include <trnsci/trnsci.h>

enum { CALLS = 4 };

struct loop {
	int answered, failed;
};

static void on_answer(struct trnsci_call *call, void *arg)
{
	struct loop *loop = (struct loop *)arg;
	struct trnsci_span span;

	if (trnsci_call_span(call, &span) == 0) {
		printf("stream %u answered, up to word %u\n", (unsigned)span.stream, (unsigned)span.next);
	} else {
		fprintf(stderr, "%s\n", trnsci_call_error(call)->text);
		loop->failed++;
	}
	loop->answered++;
	trnsci_call_free(call);
}

static int send_draw(struct trnsci_session *session, uint64_t stream, struct loop *loop)
{
	struct trnsci_param params[] = {trnsci_param_u64("n", 10000), trnsci_param_u64("stream", stream), trnsci_param_end()};
	struct trnsci_call *call;

	if (trnsci_call_new(session, "exponential", &call) < 0)
		return -1;
	trnsci_set_params(trnsci_call_args(call), params);
	return trnsci_submit(call, NULL, on_answer, loop);
}

int main(int argc, char **argv)
{
	struct trnsci_session *session;
	struct trnsci_error err;
	struct loop loop = {0, 0};
	struct pollfd poll_fd;

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	poll_fd.fd = trnsci_session_fd(session);
	poll_fd.events = POLLIN;
	for (uint64_t stream = 0; stream < CALLS; stream++)
		if (send_draw(session, stream, &loop) < 0)
			return 1;
	while (loop.answered < CALLS)
		if (poll(&poll_fd, 1, 10000) <= 0 || trnsci_dispatch(session, 0) == -TRNSCI_CLOSED)
			return 1;
	trnsci_close(session);
	return loop.failed;
}
