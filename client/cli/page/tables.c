/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, slow requests and named streams as tables. */
#include <inttypes.h>
#include <string.h>

#include "figures.h"
#include "html.h"
#include "sections.h"

static void begin_table(FILE *out, const char *title, const char *note, const char *head)
{
	fprintf(out, "<section class=\"card\"><h2>%s</h2><p class=\"note\">%s</p>\n<div class=\"scroll\"><table><thead><tr>%s</tr></thead>"
		     "<tbody>\n", title, note, head);
}

/* shown: of n rows. */
static void end_table(FILE *out, size_t shown, size_t n)
{
	fputs("</tbody></table></div>", out);
	if (n > shown)
		fprintf(out, "<p class=\"soft\">and %zu more</p>", n - shown);
	fputs("</section>\n", out);
}

static size_t rows_of(size_t n)
{
	return n < PAGE_ROWS ? n : PAGE_ROWS;
}

/* Numbers of a map, by their names with blanks between; identifiers have no separators. */
static void write_numbers(FILE *out, const struct trnsci_value *map, bool are_ids, const char *names)
{
	char name[32];

	for (size_t size; *names; names += size + (names[size] == ' ')) {
		size = strcspn(names, " ");
		snprintf(name, sizeof name, "%.*s", (int)size, names);
		fputs("<td class=\"n\">", out);
		if (are_ids)
			fprintf(out, "%" PRIu64, figure_u64(map, name));
		else
			html_count(out, figure_u64(map, name));
		fputs("</td>", out);
	}
}

/* A process may have ended, or belong to another user. */
static void write_command(FILE *out, const struct trnsci_value *map)
{
	char name[17];

	fputs("<td><code>", out);
	html_string(out, command_name(figure_u64(map, "pid"), name));
	fputs("</code></td>", out);
}

/* ---- sessions ---- */

static double most_bytes(const struct trnsci_value *clients)
{
	double most = 1;

	for (size_t i = 0; i < trnsci_value_count(clients); i++) {
		const double bytes = figure_f64(trnsci_value_at(clients, i), "bytes");

		most = bytes > most ? bytes : most;
	}
	return most;
}

static void write_client(FILE *out, const struct trnsci_value *one, double most)
{
	const double bytes = figure_f64(one, "bytes"), used = figure_f64(one, "bytes_used");

	fputs("<tr>", out);
	write_numbers(out, one, true, "id");
	write_command(out, one);
	write_numbers(out, one, true, "pid uid");
	write_numbers(out, one, false, "weight requests jobs tiles");
	fputs("<td class=\"n\">", out);
	html_bytes(out, bytes);
	fprintf(out, "</td><td class=\"bar\"><svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\"><rect class=\"rest\" width=\"%.0f\" "
		     "height=\"10\"/><rect class=\"run\" width=\"%.0f\" height=\"10\"/></svg></td></tr>\n", bytes / most * 1000,
		used / most * 1000);
}

void page_write_clients(FILE *out, const struct trnsci_value *clients)
{
	const size_t n = trnsci_value_count(clients), shown = rows_of(n);
	const double most = most_bytes(clients);

	begin_table(out, "Sessions", "<span class=\"key\" style=\"background:var(--blue)\"></span>in tiles<span class=\"key\" "
				     "style=\"background:var(--pale)\"></span>the arena",
		    "<th class=\"n\">id<th>command<th class=\"n\">pid<th class=\"n\">uid<th class=\"n\">weight<th class=\"n\">requests<th "
		    "class=\"n\">jobs<th class=\"n\">tiles<th class=\"n\">arena<th>");
	for (size_t i = 0; i < shown; i++)
		write_client(out, trnsci_value_at(clients, i), most);
	end_table(out, shown, n);
}

/* ---- slow requests ---- */

static void write_slow_request(FILE *out, const struct trnsci_value *one, double most)
{
	const double total = figure_f64(one, "total_us"), wait = figure_f64(one, "wait_us"), run = figure_f64(one, "run_us");
	const double scale = 1000 / most;
	char when[32];

	fprintf(out, "<tr><td>%s</td><td><code>", local_time(figure_f64(one, "time_s"), when));
	html_value(out, trnsci_value_get(one, "method"));
	fputs("</code> <span class=\"bad\">", out);
	html_value(out, trnsci_value_get(one, "error"));
	fputs("</span></td><td class=\"n\">", out);
	html_time(out, total);
	fprintf(out, "</td><td class=\"bar\"><svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\"><rect class=\"rest\" width=\"%.1f\" "
		     "height=\"10\"/><rect class=\"wait\" width=\"%.1f\" height=\"10\"/><rect class=\"run\" x=\"%.1f\" width=\"%.1f\" "
		     "height=\"10\"/></svg></td><td class=\"n\">", total * scale, wait * scale, wait * scale, run * scale);
	if (trnsci_value_get(one, "bytes"))
		html_bytes(out, figure_f64(one, "bytes"));
	fputs("</td>", out);
	write_numbers(out, one, true, "session pid");
	write_command(out, one);
	write_numbers(out, one, true, "uid");
	fputs("</tr>\n", out);
}

void page_write_slow(FILE *out, const struct trnsci_value *reply)
{
	const struct trnsci_value *slow = trnsci_value_get(reply, "slow");
	const size_t n = trnsci_value_count(slow), shown = rows_of(n);
	double most = 1;

	for (size_t i = 0; i < shown; i++) {
		const double total = figure_f64(trnsci_value_at(slow, i), "total_us");

		most = total > most ? total : most;
	}
	begin_table(out, "Slow requests",
		    "<span class=\"key\" style=\"background:var(--amber)\"></span>waited<span class=\"key\" "
		    "style=\"background:var(--blue)\"></span>computed<span class=\"key\" style=\"background:var(--pale)\"></span>the rest",
		    "<th>time<th>method<th class=\"n\">took<th><th class=\"n\">bytes<th class=\"n\">session<th class=\"n\">pid<th>command<th class=\"n\">uid");
	for (size_t i = 0; i < shown; i++)
		write_slow_request(out, trnsci_value_at(slow, i), most);
	if (n == 0) {
		fputs("<tr><td colspan=\"9\" class=\"soft\">None took longer than ", out);
		html_time(out, figure_f64(reply, "slow_us"));
		fputs(".</td></tr>\n", out);
	}
	end_table(out, shown, n);
}

/* ---- named streams ---- */

static void write_stream(FILE *out, const struct trnsci_value *one)
{
	fputs("<tr><td><code>", out);
	html_value(out, trnsci_value_get(one, "name"));
	fputs("</code></td><td>", out);
	html_value(out, trnsci_value_get(one, "generator"));
	fprintf(out, "</td><td class=\"n\"><code>%" PRIu64 "</code></td>", figure_u64(one, "seed"));
	write_numbers(out, one, true, "stream");
	write_numbers(out, one, false, "position");
	write_numbers(out, one, true, "uid");
	write_numbers(out, one, false, "skipped");
	fputs("</tr>\n", out);
}

void page_write_streams(FILE *out, const struct trnsci_value *streams, const char *error)
{
	const size_t n = trnsci_value_count(streams), shown = rows_of(n);

	begin_table(out, "Named streams", "The position is the next word; no word is issued twice.",
		    "<th>name<th>generator<th class=\"n\">seed<th class=\"n\">stream<th class=\"n\">position<th class=\"n\">uid<th "
		    "class=\"n\">skipped");
	for (size_t i = 0; i < shown; i++)
		write_stream(out, trnsci_value_at(streams, i));
	if (n == 0) {
		fprintf(out, "<tr><td colspan=\"7\" class=\"%s\">", streams ? "soft" : "bad");
		html_string(out, streams ? "There are none." : error);
		fputs("</td></tr>\n", out);
	}
	end_table(out, shown, n);
}
