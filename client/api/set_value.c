/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters from what a reply has said. */
#include <stdlib.h>
#include <string.h>

#include <trnsci/trnsci.h>

/* A text of a reply has no NUL. */
static void set_text(struct trnsci_args *args, const char *name, const struct trnsci_value *value)
{
	size_t size = 0;
	const char *at = trnsci_value_to_bytes(value, &size);
	char *text = strndup(at, size);

	trnsci_set(args, trnsci_param_text(name, text)); /* NULL: reported when the call is sent */
	free(text);
}

static void set_members(struct trnsci_args *args, const struct trnsci_value *value, bool is_map)
{
	for (size_t i = 0; i < trnsci_value_count(value); i++) {
		size_t size = 0;
		const char *at = is_map ? trnsci_value_name_at(value, i, &size) : NULL;
		char *name = at ? strndup(at, size) : NULL;

		trnsci_set_value(args, name, trnsci_value_at(value, i));
		free(name);
	}
}

static void set_number(struct trnsci_args *args, const char *name, const struct trnsci_value *value)
{
	uint64_t u64 = 0;
	int64_t i64 = 0;
	double f64 = 0;

	if (trnsci_value_kind(value) == TRNSCI_UINT && trnsci_value_to_u64(value, &u64) == 0)
		trnsci_set(args, trnsci_param_u64(name, u64));
	else if (trnsci_value_kind(value) == TRNSCI_INT && trnsci_value_to_i64(value, &i64) == 0)
		trnsci_set(args, trnsci_param_i64(name, i64));
	else if (trnsci_value_to_f64(value, &f64) == 0)
		trnsci_set(args, trnsci_param_f64(name, f64));
}

void trnsci_set_value(struct trnsci_args *args, const char *name, const struct trnsci_value *value)
{
	const void *bytes;
	size_t size = 0;
	bool boolean;

	switch (trnsci_value_kind(value)) {
	case TRNSCI_NIL:
		break;
	case TRNSCI_BOOL:
		if (trnsci_value_to_bool(value, &boolean) == 0)
			trnsci_set(args, trnsci_param_bool(name, boolean));
		break;
	case TRNSCI_TEXT:
		set_text(args, name, value);
		break;
	case TRNSCI_BYTES:
		bytes = trnsci_value_to_bytes(value, &size);
		trnsci_set(args, trnsci_param_bytes(name, bytes, size));
		break;
	case TRNSCI_LIST:
		set_members(trnsci_set_list(args, name), value, false);
		break;
	case TRNSCI_MAP:
		set_members(trnsci_set_map(args, name), value, true);
		break;
	default:
		set_number(args, name, value);
	}
}
