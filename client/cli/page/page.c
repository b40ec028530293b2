/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include "figures.h"
#include "html.h"

static void write_heading(FILE *out, const struct page *page)
{
	const struct trnsci_value *daemon = trnsci_value_get(page->stats, "daemon");
	char when[32];

	fputs("<header><h1>trnscid</h1><p class=\"soft\"><code>", out);
	html_string(out, page->address);
	fputs("</code> &middot; version ", out);
	html_value(out, trnsci_value_get(daemon, "version"));
	fputs(" &middot; ", out);
	html_value(out, trnsci_value_get(trnsci_value_get(daemon, "cpu"), "level"));
	fprintf(out, " kernels &middot; %s</p></header>\n", local_time((double)page->now, when));
}

static void begin_tile(FILE *out)
{
	fputs("<div class=\"card tile\"><b>", out);
}

static void end_tile(FILE *out, const char *label)
{
	fprintf(out, "</b><span>%s</span></div>\n", label);
}

static void write_uptime(FILE *out, double seconds)
{
	const double units[] = {86400, 3600, 60, 1};
	static const char *const names[] = {"d", "h", "min", "s"};
	size_t unit = 0;

	while (unit < 3 && seconds < 2 * units[unit])
		unit++;
	fprintf(out, "%.0f %s", seconds / units[unit], names[unit]);
}

static double words_of(const struct trnsci_value *lanes)
{
	double words = 0;

	for (size_t i = 0; i < trnsci_value_count(lanes); i++)
		words += figure_f64(trnsci_value_at(lanes, i), "words");
	return words;
}

static void write_tiles(FILE *out, const struct page *page)
{
	const struct trnsci_value *daemon = trnsci_value_get(page->stats, "daemon"),
				  *engine = trnsci_value_get(page->stats, "engine");
	const struct trnsci_value *arenas = trnsci_value_get(trnsci_value_get(daemon, "quota"), "arena_total_bytes");

	begin_tile(out);
	write_uptime(out, figure_f64(daemon, "uptime_s"));
	end_tile(out, "up");
	begin_tile(out);
	html_count(out, figure_u64(daemon, "requests"));
	end_tile(out, "requests");
	begin_tile(out);
	fprintf(out, "%.3g G", words_of(trnsci_value_get(engine, "lanes")) * 1e-9);
	end_tile(out, "random words");
	begin_tile(out);
	html_count(out, figure_u64(daemon, "sessions"));
	end_tile(out, "sessions");
	begin_tile(out);
	html_bytes(out, figure_f64(arenas, "used"));
	end_tile(out, "in arenas");
	begin_tile(out);
	html_count(out, figure_u64(engine, "threads"));
	end_tile(out, "threads");
}

void page_write(FILE *out, const struct page *page)
{
	const struct trnsci_value *daemon = trnsci_value_get(page->stats, "daemon");

	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
		     "content=\"width=device-width,initial-scale=1\"><title>trnscid</title>\n<style>\n%s</style></head><body><main>\n",
		page_style);
	write_heading(out, page);
	fputs("<div class=\"grid\">\n", out);
	write_tiles(out, page);
	page_write_lanes(out, trnsci_value_get(trnsci_value_get(page->stats, "engine"), "lanes"));
	if (page->spectrum)
		page_write_spectrum(out, page->spectrum);
	page_write_latencies(out, trnsci_value_get(daemon, "latency"));
	if (page->slow)
		page_write_slow(out, page->slow);
	page_write_clients(out, page->clients);
	page_write_streams(out, page->streams, page->streams_error);
	fputs("</div><footer>Made by trnsci-cli status --html. Nothing in this page is loaded from elsewhere.</footer></main></body></html>\n",
	      out);
}
