/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers what the page of status --html shows, and writes it. */
#include "status_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "files/target.h"
#include "page/page.h"

enum asked { ASKED_STATS, ASKED_CLIENTS, ASKED_SLOW, ASKED_STREAMS, N_ASKED };

static const char *const methods[N_ASKED] = {"stats", "clients", "slow", "stream_list"};

/* Normal numbers of seed 1, and their spectrum by Welch's method. Returns false if the daemon refuses it: the page then
 * goes without. */
static bool draw_spectrum(struct trnsci_session *session, float spectrum[static PAGE_BINS])
{
	const struct trnsci_source seed = trnsci_source_seed(1);
	const struct trnsci_param how[] = {trnsci_param_u64("nperseg", PAGE_SEGMENT), trnsci_param_end()};
	float *samples = malloc(PAGE_SPECTRUM_SAMPLES * sizeof *samples);
	bool drawn = samples && trnsci_draw_array(session, "normal", NULL, &seed, TRNSCI_F32, PAGE_SPECTRUM_SAMPLES, samples, NULL,
						  NULL) == 0;

	drawn = drawn && trnsci_apply_array(session, "welch", how, trnsci_array_vector(TRNSCI_F32, PAGE_SPECTRUM_SAMPLES, samples),
					    trnsci_array_vector(TRNSCI_F32, PAGE_BINS, spectrum), NULL) == 0;
	free(samples);
	return drawn;
}

static int write_file(const struct page *page, const char *name)
{
	struct target target;
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	int code;

	if (!memory)
		return complain(EXIT_TRY_AGAIN, "status: no memory for the page");
	page_write(memory, page);
	if (fclose(memory) != 0) {
		free(text);
		return complain(EXIT_TRY_AGAIN, "status: no memory for the page");
	}
	code = target_open(name, &target);
	if (code == EXIT_OK)
		code = target_close(&target, target_write(&target, text, size));
	free(text);
	return code;
}

/* A daemon may have no named streams, or be older than `slow`: only the first two must succeed. */
static int ask_all(struct trnsci_session *session, struct trnsci_call *calls[static N_ASKED])
{
	for (int i = 0; i < N_ASKED; i++) {
		if (trnsci_call_new(session, methods[i], &calls[i]) < 0)
			return complain(EXIT_TRY_AGAIN, "status: no memory for requests");
		if (trnsci_run(calls[i], NULL) < 0 && i <= ASKED_CLIENTS)
			return complain_error(trnsci_call_error(calls[i]), EXIT_USAGE);
	}
	return EXIT_OK;
}

int status_write_page(struct trnsci_session *session, const char *file)
{
	struct trnsci_call *calls[N_ASKED] = {NULL};
	float spectrum[PAGE_BINS];
	int code = ask_all(session, calls);

	if (code == EXIT_OK) {
		const struct page page = {
			.address = session_address(session),
			.now = time(NULL),
			.stats = trnsci_call_reply(calls[ASKED_STATS]),
			.clients = trnsci_value_get(trnsci_call_reply(calls[ASKED_CLIENTS]), "clients"),
			.slow = trnsci_call_reply(calls[ASKED_SLOW]),
			.streams = trnsci_value_get(trnsci_call_reply(calls[ASKED_STREAMS]), "streams"),
			.streams_error = trnsci_call_error(calls[ASKED_STREAMS])->text,
			.spectrum = draw_spectrum(session, spectrum) ? spectrum : NULL,
		};

		code = write_file(&page, file);
	}
	for (int i = 0; i < N_ASKED; i++)
		trnsci_call_free(calls[i]);
	return code;
}
