/* SPDX-License-Identifier: Apache-2.0 */
/* Several calls in flight, and an event loop that is one poll. Any loop will do: the descriptor is readable when an
 * answer is there. What is to be done with it comes with the call.
 *
 *   cc event_loop.c $(pkg-config --cflags --libs trnsci) -o event_loop */
#include <poll.h>
#include <stdio.h>

#include <trnsci/trnsci.h>

enum { CALLS = 4 };

/* What is done with the answer of a call: the `arg` of trnsci_submit. */
struct task {
	int (*answered)(struct task *task, struct trnsci_call *call);
	unsigned stream;
};

static int print_span(struct task *task, struct trnsci_call *call)
{
	struct trnsci_span span;

	if (trnsci_call_span(call, &span) < 0) {
		fprintf(stderr, "%s\n", trnsci_call_error(call)->text);
		return -1;
	}
	printf("stream %u answered, up to word %u\n", task->stream, (unsigned)span.next);
	return 0;
}

static int send_draw(struct trnsci_session *session, struct task *task)
{
	struct trnsci_param params[] = {trnsci_param_u64("n", 10000), trnsci_param_u64("stream", task->stream), trnsci_param_end()};
	struct trnsci_call *call;

	if (trnsci_call_new(session, "exponential", &call) < 0)
		return -1;
	trnsci_set_params(trnsci_call_args(call), params);
	return trnsci_submit(call, NULL, task);
}

/* Takes the answers that are there, and does what was kept with each. Returns how many; negative: one has failed. */
static int take_answers(struct trnsci_session *session)
{
	struct trnsci_call *call;
	int answers = 0, r;
	void *arg;

	while ((r = trnsci_next(session, 0, &call, &arg)) == 0) {
		struct task *task = (struct task *)arg;

		if (task->answered(task, call) < 0)
			return -1;
		trnsci_call_free(call);
		answers++;
	}
	return r == -TRNSCI_CLOSED ? -1 : answers;
}

int main(int argc, char **argv)
{
	struct task tasks[CALLS];
	struct trnsci_session *session;
	struct trnsci_error err;
	struct pollfd poll_fd;

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	poll_fd.fd = trnsci_session_fd(session);
	poll_fd.events = POLLIN;
	for (unsigned i = 0; i < CALLS; i++) {
		tasks[i].answered = print_span;
		tasks[i].stream = i;
		if (send_draw(session, &tasks[i]) < 0)
			return 1;
	}
	for (int answered = 0, taken; answered < CALLS; answered += taken)
		if (poll(&poll_fd, 1, 10000) <= 0 || (taken = take_answers(session)) < 0)
			return 1;
	trnsci_close(session);
	return 0;
}
