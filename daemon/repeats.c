/* SPDX-License-Identifier: Apache-2.0 */
/* Draws that come again. */
#include "repeats.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "inbox.h"

static_assert((int)PATTERN_FIELDS == (int)REPEAT_FIELDS, "the fields of a pattern are what a run states anew");

struct repeat_entry {
	struct pattern pattern;
	struct repeat *repeat; /* NULL: it came but once, or cannot be kept */
	bool tried;
};

static void entry_free(struct repeat_entry *entry)
{
	if (entry)
		repeat_free(entry->repeat);
	free(entry);
}

const struct value *repeats_answer(struct repeats *repeats, struct inbox *inbox, uint32_t *ret_msgid)
{
	size_t size;
	const void *bytes = inbox_peek(inbox, &size);

	for (unsigned i = 0; i < REPEATS_KEPT && bytes; i++) {
		const struct repeat_entry *entry = repeats->entries[i];
		uint64_t values[REPEAT_FIELDS];
		const struct value *reply;

		if (!entry || !entry->repeat)
			continue;
		repeat_values(entry->repeat, values);
		if (!pattern_match(&entry->pattern, bytes, size, ret_msgid, values))
			continue;
		reply = repeat_run(entry->repeat, values);
		if (reply)
			inbox_skip(inbox, entry->pattern.size);
		return reply;
	}
	return NULL;
}

static struct repeat_entry *find(const struct repeats *repeats, const void *frame, size_t size)
{
	uint64_t values[REPEAT_FIELDS];
	uint32_t msgid;

	for (unsigned i = 0; i < REPEATS_KEPT; i++) {
		struct repeat_entry *entry = repeats->entries[i];

		if (entry && entry->pattern.size == size && pattern_match(&entry->pattern, frame, size, &msgid, values))
			return entry;
	}
	return NULL;
}

/* In the place of the oldest. */
static void add(struct repeats *repeats, const void *frame, size_t size)
{
	struct repeat_entry **place = &repeats->entries[repeats->oldest];
	struct repeat_entry *entry;
	struct pattern pattern;

	if (!pattern_make(frame, size, repeat_names, &pattern))
		return;
	entry = malloc(sizeof *entry);
	if (!entry)
		return;
	*entry = (struct repeat_entry){.pattern = pattern};
	entry_free(*place);
	*place = entry;
	repeats->oldest = (repeats->oldest + 1) % REPEATS_KEPT;
}

void repeats_note(struct repeats *repeats, struct space *space, const struct operation *operation,
		  const struct value *params, const void *frame, size_t size)
{
	struct repeat_entry *entry;

	if (size > PATTERN_BYTES)
		return;
	entry = find(repeats, frame, size);
	if (!entry) {
		add(repeats, frame, size);
	} else if (!entry->tried) {
		entry->tried = true;
		repeat_make(space, operation, params, &entry->repeat);
	}
}

void repeats_free(struct repeats *repeats)
{
	for (unsigned i = 0; i < REPEATS_KEPT; i++)
		entry_free(repeats->entries[i]);
	*repeats = (struct repeats){.oldest = 0};
}
