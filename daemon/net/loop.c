/* SPDX-License-Identifier: Apache-2.0 */
/* Posted events wake the loop through an eventfd, signals through a signalfd. */
#include "loop.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <event2/event.h>

#include "base/wait.h"
#include "notify.h"

enum {
	POLL_ALL_EVERY = 4,     /* polls of one client, after which all are polled */
	SEVERAL_POLLS = 64,     /* of all clients, after two were lively in turn: polling one would starve the others */
	LOOKS = 1024, /* at shared memory, some 20 us: to sleep and be woken takes as long on both sides */
	FEW_LOOKS = 8,
	POLL_SOCKETS_EVERY = 16, /* polls of shared memory that found nothing, each a hundredth of a look at the sockets, or clients
				    served there: those at sockets have their turn beside many */
	SHARERS_MOST = 64, /* with more, a round takes longer than a sleep */
	PERIOD_BITS = 25, /* 2^25 ns: a crowd serves each of its clients many times */
};

struct loop {
	struct event_base *base;
	struct event *woken, *signalled, *watchdog;
	int wake_fd, signal_fd;
	void (*stop)(void *arg), (*reload)(void *arg);
	void *arg, *reload_arg;
	pthread_mutex_t lock; /* protects first and last; all else is the loop's thread's */
	struct loop_event *first, **last;
	struct wait_history waits; /* its looks: with idle lanes, and with busy ones. A lone client that waits for its job leaves entries
				      only between jobs */
	bool (*busy)(void *arg);
	void *busy_arg;
	bool (*collect)(void *arg); /* NULL: none */
	void *collect_arg;
	bool outstanding; /* as collect returned last */
	void (*try)(void *arg); /* polls the client of the last request; may be NULL */
	void *try_arg;
	unsigned polls;
	unsigned several; /* polls that look at all clients */
	struct loop_poller *pollers, *next_poller; /* the next one of a round */
	uint64_t period;  /* of time */
	unsigned counted; /* clients with something to do in it */
	int waiting;      /* turns of those that waited, less those of others */
	bool shares;      /* its CPU with those of the last period */
	bool active; /* something has happened since the loop began to wait */
	bool ended;
};

/* A full eventfd is no failure: the loop wakes then, too. */
static void wake_loop(struct loop *loop)
{
	uint64_t one = 1;

	while (write(loop->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

/* Those that stop the daemon. SIGXCPU comes at the soft limit of its CPU time: the hard one would kill it. */
static void stopping_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGXCPU);
}

/* Takes the whole list first, so that an event may post others, or be freed. */
static void deliver_events(struct loop *loop)
{
	struct loop_event *event;

	pthread_mutex_lock(&loop->lock);
	event = loop->first;
	loop->first = NULL;
	loop->last = &loop->first;
	pthread_mutex_unlock(&loop->lock);
	while (event) {
		struct loop_event *next = event->next;

		event->deliver(event);
		event = next;
	}
}

static void on_wake(evutil_socket_t fd, short what, void *arg)
{
	struct loop *loop = arg;
	uint64_t count;
	ssize_t got = read(fd, &count, sizeof count);

	(void)got;
	(void)what;
	loop->active = true;
	deliver_events(loop);
}

/* SIGHUP reloads. The first of the others stops; they are unblocked then, so that a second one ends the process. */
static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	struct loop *loop = arg;
	struct signalfd_siginfo info;
	sigset_t set;

	(void)what;
	if (read(fd, &info, sizeof info) != sizeof info)
		return;
	loop->active = true;
	if (info.ssi_signo == SIGHUP) {
		if (loop->reload)
			loop->reload(loop->reload_arg);
		return;
	}
	event_del(loop->signalled);
	loop->stop(loop->arg);
	stopping_signals(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void on_watchdog(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	notify_watchdog();
}

void loop_ignore_signals(void)
{
	static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGIO,
				      SIGVTALRM, SIGPROF, SIGPWR, SIGSTKFLT};

	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signal(number, SIG_IGN);
}

/* Blocks the signals in this thread and in those that it starts from now on. */
static int block_signals(struct loop *loop)
{
	sigset_t set;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	stopping_signals(&set);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	loop->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return loop->signal_fd < 0 ? -ERROR_SYSTEM : 0;
}

static int add_loop_events(struct loop *loop)
{
	uint64_t interval = notify_watchdog_interval_us();
	struct timeval every = {(time_t)(interval / 1000000), (suseconds_t)(interval % 1000000)};

	loop->woken = event_new(loop->base, loop->wake_fd, EV_READ | EV_PERSIST, on_wake, loop);
	if (!loop->woken || event_add(loop->woken, NULL) < 0)
		return -ERROR_NO_MEMORY;
	loop->signalled = event_new(loop->base, loop->signal_fd, EV_READ | EV_PERSIST, on_signal, loop);
	if (!loop->signalled || event_add(loop->signalled, NULL) < 0)
		return -ERROR_NO_MEMORY;
	if (interval == 0)
		return 0;
	loop->watchdog = event_new(loop->base, -1, EV_PERSIST, on_watchdog, NULL);
	return !loop->watchdog || event_add(loop->watchdog, &every) < 0 ? -ERROR_NO_MEMORY : 0;
}

int loop_create(void (*stop)(void *arg), void *arg, struct loop **ret_loop)
{
	struct loop *loop = calloc(1, sizeof *loop);
	int r;

	if (!loop)
		return -ERROR_NO_MEMORY;
	loop->stop = stop;
	loop->arg = arg;
	loop->last = &loop->first;
	pthread_mutex_init(&loop->lock, NULL);
	loop->signal_fd = -1;
	loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	loop->base = event_base_new();
	r = loop->wake_fd < 0 ? -ERROR_SYSTEM : !loop->base ? -ERROR_NO_MEMORY : block_signals(loop);
	if (r == 0)
		r = add_loop_events(loop);
	if (r < 0) {
		loop_free(loop);
		return r;
	}
	*ret_loop = loop;
	return 0;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	if (loop->woken)
		event_free(loop->woken);
	if (loop->signalled)
		event_free(loop->signalled);
	if (loop->watchdog)
		event_free(loop->watchdog);
	if (loop->base)
		event_base_free(loop->base);
	pthread_mutex_destroy(&loop->lock);
	if (loop->wake_fd >= 0)
		close(loop->wake_fd);
	if (loop->signal_fd >= 0)
		close(loop->signal_fd);
	free(loop);
}

struct event_base *loop_base(struct loop *loop)
{
	return loop->base;
}

void loop_set_reload(struct loop *loop, void (*reload)(void *arg), void *arg)
{
	loop->reload = reload;
	loop->reload_arg = arg;
}

void loop_set_spin(struct loop *loop, uint64_t most_ns, bool (*busy)(void *arg), void *arg)
{
	wait_init(&loop->waits, most_ns, most_ns);
	loop->busy = busy;
	loop->busy_arg = arg;
}

void loop_note_traffic(struct loop *loop, void (*try)(void *arg), void *arg)
{
	loop->active = true;
	if (loop->try && loop->try_arg != arg)
		loop->several = SEVERAL_POLLS;
	loop->try = try;
	loop->try_arg = arg;
}

void loop_forget_traffic(struct loop *loop, const void *arg)
{
	if (loop->try_arg == arg)
		loop->try = NULL;
}

void loop_set_collect(struct loop *loop, bool (*collect)(void *arg), void *arg)
{
	loop->collect = collect;
	loop->collect_arg = arg;
}

unsigned loop_count_waiting(const struct loop *loop)
{
	return (unsigned)event_base_get_num_events(loop->base, EVENT_BASE_COUNT_ACTIVE);
}

void loop_poll(struct loop *loop, struct loop_poller *poller)
{
	loop->active = true;
	if (poller->polled)
		return;
	poller->polled = true;
	poller->prev = NULL;
	poller->next = loop->pollers;
	if (poller->next)
		poller->next->prev = poller;
	loop->pollers = poller;
}

void loop_stop_polling(struct loop *loop, struct loop_poller *poller)
{
	if (!poller->polled)
		return;
	poller->polled = false;
	if (loop->next_poller == poller)
		loop->next_poller = poller->next;
	if (poller->prev)
		poller->prev->next = poller->next;
	else
		loop->pollers = poller->next;
	if (poller->next)
		poller->next->prev = poller->prev;
}

bool loop_count_client(struct loop *loop, struct loop_poller *poller, bool waits, uint64_t now_ns)
{
	const uint64_t period = now_ns >> PERIOD_BITS;

	if (period != loop->period) {
		loop->period = period;
		loop->shares = loop->counted > 1 && loop->counted <= SHARERS_MOST && loop->waiting > 0;
		loop->counted = 0;
		loop->waiting = 0;
	}
	loop->waiting += waits ? 1 : -1;
	loop->counted += poller->period != period;
	poller->period = period;
	return loop->shares;
}

/* Gives the CPU away before it looks again at what another thread holds, which may need this CPU. */
static void run_events(struct loop *loop, int flags)
{
	if (loop->outstanding)
		sched_yield();
	event_base_loop(loop->base, EVLOOP_ONCE | flags);
	loop->outstanding = loop->collect && loop->collect(loop->collect_arg);
}

/* A round over the pollers: what is stopped meanwhile is skipped. Returns how many had something to do. */
static unsigned poll_memory(struct loop *loop)
{
	struct loop_poller *poller;
	unsigned n = 0;

	for (loop->next_poller = loop->pollers; (poller = loop->next_poller);) {
		loop->next_poller = poller->next;
		n += poller->poll(poller);
	}
	return n;
}

/* Looks at the sockets, too, when it is their turn after a round that served n clients. */
static void poll_sockets(struct loop *loop, unsigned n)
{
	loop->polls += n ? n : 1;
	if (loop->polls < POLL_SOCKETS_EVERY)
		return;
	loop->polls = 0;
	run_events(loop, EVLOOP_NONBLOCK);
}

/* Returns whether all pollers sleep. */
static bool stop_polling_memory(struct loop *loop)
{
	struct loop_poller *poller;
	bool all = true;

	for (loop->next_poller = loop->pollers; (poller = loop->next_poller);) {
		loop->next_poller = poller->next;
		if (poller->sleep(poller))
			loop_stop_polling(loop, poller);
		else
			all = false;
	}
	return all;
}

static void poll_clients(struct loop *loop)
{
	if (loop->pollers) {
		const unsigned n = poll_memory(loop);

		loop->active |= n > 0;
		poll_sockets(loop, n);
	} else if (++loop->polls % POLL_ALL_EVERY == 0 || loop->several || !loop->try) {
		loop->several -= loop->several > 0;
		run_events(loop, EVLOOP_NONBLOCK);
	} else {
		loop->try(loop->try_arg);
	}
}

static bool is_busy(const struct loop *loop)
{
	return loop->busy && loop->busy(loop->busy_arg);
}

/* Looks at shared memory alone. Clients that wait take turns: those on this CPU would have none for a time slice otherwise, in which
 * others have thousands. */
static void look_at_memory(struct loop *loop)
{
	const unsigned n = poll_memory(loop);

	if (n == 0)
		return;
	loop->active = true;
	if (loop->shares)
		wait_give_turn(&loop->waits);
	poll_sockets(loop, n);
}

/* Looks for events until there are some or it is time to sleep: then returns false. While lanes are busy it looks at memory alone. */
static bool look_for_events(struct loop *loop, struct wait *wait)
{
	bool brief;

	while (!loop->active && !loop->ended && ((brief = wait_is_brief(wait)) || !is_busy(loop)) && wait_again(wait)) {
		if (brief)
			look_at_memory(loop);
		else
			poll_clients(loop);
	}
	return loop->active || loop->ended;
}

/* Waits until something has happened: looks for a while, then sleeps. */
static void wait_for_events(struct loop *loop)
{
	struct wait wait;
	bool found;

	wait_begin(&wait, &loop->waits, WAIT_FOR_ONE);
	if (loop->pollers)
		wait_look_first(&wait, &loop->waits, is_busy(loop), LOOKS, FEW_LOOKS);
	loop->active = false;
	found = look_for_events(loop, &wait);
	if (!found)
		run_events(loop, stop_polling_memory(loop) && !loop->outstanding ? 0 : EVLOOP_NONBLOCK);
	wait_end(&wait, &loop->waits, found);
}

void loop_run(struct loop *loop)
{
	while (!loop->ended)
		wait_for_events(loop);
}

void loop_end(struct loop *loop)
{
	loop->ended = true;
	event_base_loopbreak(loop->base);
}

/* Only the first event of a list wakes the loop, which empties the eventfd before it takes the list: whoever posts to an empty
 * list writes again. */
void loop_post(struct loop *loop, struct loop_event *event)
{
	bool first;

	event->next = NULL;
	pthread_mutex_lock(&loop->lock);
	first = !loop->first;
	*loop->last = event;
	loop->last = &event->next;
	pthread_mutex_unlock(&loop->lock);
	if (first)
		wake_loop(loop);
}

struct watch {
	struct event *event;
	void (*changed)(void *arg);
	void *arg;
};

static void on_change(evutil_socket_t fd, short what, void *arg)
{
	const struct watch *watch = arg;

	(void)fd;
	(void)what;
	watch->changed(watch->arg);
}

static int add_watch(struct loop *loop, int fd, short what, const struct timeval *every, const struct watch *wanted,
		     struct watch **ret_watch)
{
	struct watch *watch = malloc(sizeof *watch);

	if (!watch)
		return -ERROR_NO_MEMORY;
	*watch = *wanted;
	watch->event = event_new(loop->base, fd, what | EV_PERSIST, on_change, watch);
	if (!watch->event || event_add(watch->event, every) < 0) {
		loop_unwatch(watch);
		return -ERROR_NO_MEMORY;
	}
	*ret_watch = watch;
	return 0;
}

int loop_watch(struct loop *loop, int fd, void (*changed)(void *arg), void *arg, struct watch **ret_watch)
{
	return add_watch(loop, fd, EV_READ | EV_ET, NULL, &(struct watch){NULL, changed, arg}, ret_watch);
}

int loop_repeat(struct loop *loop, uint64_t interval_us, void (*changed)(void *arg), void *arg,
		struct watch **ret_watch)
{
	const struct timeval every = {(time_t)(interval_us / 1000000), (suseconds_t)(interval_us % 1000000)};

	return add_watch(loop, -1, 0, &every, &(struct watch){NULL, changed, arg}, ret_watch);
}

void loop_unwatch(struct watch *watch)
{
	if (!watch)
		return;
	if (watch->event)
		event_free(watch->event);
	free(watch);
}
