/* SPDX-License-Identifier: Apache-2.0 */
/* top: what the daemon does now: lanes, times of requests, sessions. Refreshes every second until q.
 *
 * Rates are differences of two replies of `stats` and `clients`. */
#include <curses.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "figures.h"
#include "options/options.h"

enum { LANES = 128, LANE_COLUMNS = 64, CLIENTS_MAX = 4096 };

struct client {
	uint64_t id, pid, uid, weight, requests, jobs, tiles, bytes;
	double rate; /* requests a second */
};

/* What clients can be sorted by; the key s goes on to the next. */
enum order { BY_RATE, BY_REQUESTS, BY_BYTES, BY_PID, N_ORDERS };

static const char *const order_names[N_ORDERS] = {"requests a second", "requests", "arena bytes", "pid"};

struct top {
	struct trnsci_session *session;
	struct trnsci_call *stats, *clients; /* run again for each refresh; the screen shows their last replies */
	double now, before; /* seconds, of this refresh and the one before; 0: there was none */
	uint64_t busy_ns[LANES], requests, received, sent; /* counters of the last reply */
	double lane_share[LANES], request_rate, received_rate, sent_rate; /* lanes: 0 to 1; rates: a second */
	struct client list[CLIENTS_MAX], last[CLIENTS_MAX];
	size_t n_clients, n_last;
	enum order order;
	size_t selected;
	char message[160]; /* of the last key */
	struct trnsci_error err;
};

/* ---- what is shown ---- */

static void read_lanes(struct top *top, const struct trnsci_value *lanes, double elapsed)
{
	for (size_t i = 0; i < LANES; i++) {
		const uint64_t busy = figure_u64(trnsci_value_at(lanes, i), "busy_ns");

		top->lane_share[i] = elapsed > 0 ? (double)(busy - top->busy_ns[i]) * 1e-9 / elapsed : 0;
		top->busy_ns[i] = busy;
	}
}

/* The change of a counter a second. A counter that went back is of a daemon that was restarted: 0. */
static double rate_of(uint64_t *last, uint64_t now, double elapsed)
{
	const double rate = elapsed > 0 && now >= *last ? (double)(now - *last) / elapsed : 0;

	*last = now;
	return rate;
}

static void read_stats(struct top *top, const struct trnsci_value *stats, double elapsed)
{
	const struct trnsci_value *daemon = trnsci_value_get(stats, "daemon");

	read_lanes(top, trnsci_value_get(trnsci_value_get(stats, "engine"), "lanes"), elapsed);
	top->request_rate = rate_of(&top->requests, figure_u64(daemon, "requests"), elapsed);
	top->received_rate = rate_of(&top->received, figure_u64(daemon, "bytes_received"), elapsed);
	top->sent_rate = rate_of(&top->sent, figure_u64(daemon, "bytes_sent"), elapsed);
}

/* The client's requests at the last refresh; a new client's rate begins at 0. */
static uint64_t last_requests(const struct top *top, const struct client *client)
{
	for (size_t i = 0; i < top->n_last; i++)
		if (top->last[i].id == client->id)
			return top->last[i].requests;
	return client->requests;
}

static void read_clients(struct top *top, const struct trnsci_value *clients, double elapsed)
{
	memcpy(top->last, top->list, top->n_clients * sizeof *top->list);
	top->n_last = top->n_clients;
	top->n_clients = trnsci_value_count(clients) < CLIENTS_MAX ? trnsci_value_count(clients) : CLIENTS_MAX;
	for (size_t i = 0; i < top->n_clients; i++) {
		const struct trnsci_value *one = trnsci_value_at(clients, i);
		struct client *client = &top->list[i];

		*client = (struct client){figure_u64(one, "id"),	   figure_u64(one, "pid"),	figure_u64(one, "uid"),  figure_u64(one, "weight"),
					  figure_u64(one, "requests"), figure_u64(one, "jobs"), figure_u64(one, "tiles"), figure_u64(one, "bytes"), 0};
		if (elapsed > 0)
			client->rate = (double)(client->requests - last_requests(top, client)) / elapsed;
	}
}

static enum order sorted_by;

/* The largest first, but for process ids. */
static int compare_clients(const void *a, const void *b)
{
	const struct client *x = a, *y = b;

	switch (sorted_by) {
	case BY_REQUESTS:
		return (x->requests < y->requests) - (x->requests > y->requests);
	case BY_BYTES:
		return (x->bytes < y->bytes) - (x->bytes > y->bytes);
	case BY_PID:
		return (x->pid > y->pid) - (x->pid < y->pid);
	default:
		return (x->rate < y->rate) - (x->rate > y->rate);
	}
}

/* Asks for both replies. 0, or an error in top->err. */
static int refresh_figures(struct top *top)
{
	double elapsed;

	if (trnsci_run(top->stats, NULL) < 0 || trnsci_run(top->clients, NULL) < 0) {
		top->err = *trnsci_call_error(trnsci_call_error(top->stats)->code ? top->stats : top->clients);
		return -1;
	}
	top->now = seconds_now();
	elapsed = top->before > 0 ? top->now - top->before : 0;
	top->before = top->now;
	read_stats(top, trnsci_call_reply(top->stats), elapsed);
	read_clients(top, trnsci_value_get(trnsci_call_reply(top->clients), "clients"), elapsed);
	sorted_by = top->order;
	qsort(top->list, top->n_clients, sizeof *top->list, compare_clients);
	if (top->selected >= top->n_clients)
		top->selected = top->n_clients ? top->n_clients - 1 : 0;
	return 0;
}

/* ---- the screen ---- */

static void draw_heading(const struct top *top)
{
	const struct trnsci_value *daemon = trnsci_value_get(trnsci_call_reply(top->stats), "daemon");
	size_t size = 0;
	const char *version = trnsci_value_to_bytes(trnsci_value_get(daemon, "version"), &size);
	double uptime = 0;

	trnsci_value_to_f64(trnsci_value_get(daemon, "uptime_s"), &uptime);
	mvprintw(0, 0, "trnscid %.*s  %s  up %.0f s", (int)size, version ? version : "", session_address(top->session), uptime);
	mvprintw(1, 0,
		 "%.0f requests/s  in %.3g MB/s  out %.3g MB/s  %" PRIu64 " sessions  %" PRIu64 " streams  %" PRIu64
		 " rings  %" PRIu64 " broadcasts",
		 top->request_rate, top->received_rate * 1e-6, top->sent_rate * 1e-6, figure_u64(daemon, "sessions"),
		 figure_u64(trnsci_value_get(daemon, "named_streams"), "streams"), figure_u64(daemon, "rings"),
		 figure_u64(daemon, "broadcasts"));
}

/* A cell for each lane, darker the more of the last second it computed. */
static int draw_lanes(const struct top *top, int line)
{
	static const char *const shades[] = {"\u00B7", "\u2591", "\u2592", "\u2593", "\u2588"};
	double total = 0;

	for (size_t i = 0; i < LANES; i++)
		total += top->lane_share[i];
	mvprintw(line++, 0, "lanes 0 to 127, %.2f CPUs busy", total);
	for (size_t i = 0; i < LANES; i++) {
		const double share = top->lane_share[i] * LANES / 16; /* a full cell: what 8 busy CPUs give each lane */
		const size_t shade = share <= 0 ? 0 : share >= 1 ? 4 : 1 + (size_t)(share * 3);

		mvaddstr(line + (int)(i / LANE_COLUMNS), (int)(i % LANE_COLUMNS), shades[shade]);
	}
	return line + LANES / LANE_COLUMNS;
}

static int draw_latencies(const struct top *top, int line)
{
	const struct trnsci_value *latency =
		trnsci_value_get(trnsci_value_get(trnsci_call_reply(top->stats), "daemon"), "latency");
	struct latency_row row;
	char p50[16], p99[16], p999[16], most[16];

	attron(A_BOLD);
	mvprintw(line++, 0, "%-12s %12s %10s %10s %10s %10s", "class", "requests", "p50", "p99", "p999", "longest");
	attroff(A_BOLD);
	for (size_t i = 0; i < trnsci_value_count(latency); i++)
		if (latency_row(latency, i, &row))
			mvprintw(line++, 0, "%-12.*s %12" PRIu64 " %10s %10s %10s %10s", row.name_size, row.name, row.n_requests,
				 time_text(row.p50_us, p50), time_text(row.p99_us, p99), time_text(row.p999_us, p999),
				 time_text(row.max_us, most));
	return line;
}

static void draw_clients(const struct top *top, int line)
{
	attron(A_BOLD);
	mvprintw(line++, 0, "%6s %8s %6s %-16s %3s %10s %12s %5s %6s %10s", "id", "pid", "uid", "command", "wt", "req/s", "requests",
		 "jobs", "tiles", "arena MiB");
	attroff(A_BOLD);
	for (size_t i = 0; i < top->n_clients && line < LINES - 1; i++) {
		const struct client *client = &top->list[i];
		char name[17];

		if (i == top->selected)
			attron(A_REVERSE);
		mvprintw(line++, 0, "%6" PRIu64 " %8" PRIu64 " %6" PRIu64 " %-16s %3" PRIu64 " %10.0f %12" PRIu64 " %5" PRIu64 " %6" PRIu64
				    " %10.1f", client->id, client->pid, client->uid, command_name(client->pid, name), client->weight,
			 client->rate, client->requests, client->jobs, client->tiles, (double)client->bytes / 0x1p20);
		attroff(A_REVERSE);
	}
}

static void draw(const struct top *top)
{
	erase();
	draw_heading(top);
	draw_clients(top, draw_latencies(top, draw_lanes(top, 3) + 1) + 1);
	mvprintw(LINES - 1, 0, "q quit  s sort by %s  up/down select  d disconnect  %s", order_names[(top->order + 1) % N_ORDERS],
		 top->message);
	refresh();
}

/* ---- keys ---- */

static void disconnect(struct top *top)
{
	struct trnsci_call *call = NULL;
	const uint64_t id = top->n_clients ? top->list[top->selected].id : 0;

	if (top->n_clients == 0 || trnsci_call_new(top->session, "disconnect", &call) < 0)
		return;
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("id", id));
	if (trnsci_run(call, NULL) < 0)
		snprintf(top->message, sizeof top->message, "%.150s", trnsci_call_error(call)->text);
	else
		snprintf(top->message, sizeof top->message, "session %" PRIu64 " disconnected", id);
	trnsci_call_free(call);
}

/* A session is ended by d only when y follows. False: quit. */
static bool take_key(struct top *top, int key)
{
	top->message[0] = '\0';
	switch (key) {
	case 'q':
		return false;
	case 's':
		top->order = (top->order + 1) % N_ORDERS;
		break;
	case KEY_UP:
		top->selected -= top->selected > 0;
		break;
	case KEY_DOWN:
		top->selected += top->selected + 1 < top->n_clients;
		break;
	case 'd':
		snprintf(top->message, sizeof top->message, "disconnect session %" PRIu64 "? y",
			 top->n_clients ? top->list[top->selected].id : 0);
		draw(top);
		timeout(-1);
		if (getch() == 'y')
			disconnect(top);
		else
			top->message[0] = '\0';
		break;
	default:
		break;
	}
	return true;
}

static int run(struct top *top)
{
	enum { REFRESH_MS = 1000 };
	int code = EXIT_OK;

	for (bool goes_on = true; goes_on && code == EXIT_OK;) {
		if (refresh_figures(top) < 0) {
			code = EXIT_NO_DAEMON;
			break;
		}
		draw(top);
		timeout(REFRESH_MS);
		goes_on = take_key(top, getch());
	}
	return code;
}

/* ---- the command ---- */

/* stdout must be a terminal that curses knows. */
static int run_on_screen(struct top *top)
{
	setlocale(LC_CTYPE, "");
	SCREEN *screen = getenv("TERM") && isatty(STDOUT_FILENO) ? newterm(NULL, stdout, stdin) : NULL;

	if (!screen)
		return complain(EXIT_USAGE, "top: no terminal that can be drawn on (TERM); status prints the same figures once");
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	int code = run(top);

	endwin();
	delscreen(screen);
	return code == EXIT_OK ? code : complain_error(&top->err, EXIT_USAGE);
}

static int show_top(struct cli *cli, const struct options *options)
{
	static struct top top;
	int code;

	(void)options;
	top.session = cli->session;
	if (trnsci_call_new(top.session, "stats", &top.stats) < 0 || trnsci_call_new(top.session, "clients", &top.clients) < 0)
		code = complain(EXIT_TRY_AGAIN, "top: no memory for requests");
	else
		code = run_on_screen(&top);
	trnsci_call_free(top.stats);
	trnsci_call_free(top.clients);
	return code;
}

const struct command command_top = {
	.name = "top", .summary = "show what the daemon does now: lanes, times, sessions", .usage = "[option ...]",
	.help = "Show what the daemon does now, every second, until q.", .example = "top", .needs = NEEDS_DAEMON,
	.run = show_top,
};
