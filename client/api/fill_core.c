/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a daemon for samples that come with its reply, and what is taken from that. */
#include "fill_core.h"

#include <string.h>

#include "call/args.h"

int fill_make_draw(const struct fill *fill, const struct drawing *drawing, uint64_t n, struct trnsci_call **ret_call,
		     struct trnsci_args **ret_args, struct error *err)
{
	int r = draw_call(fill->session, drawing, ret_call, ret_args, err);

	if (r < 0)
		return r;
	args_set_u64(*ret_args, "n", n);
	args_set_text(*ret_args, "dtype", trnsci_dtype_name(fill->dtype));
	return 0;
}

bool fill_take_elements(const struct fill *fill, const struct trnsci_value *reply, uint64_t count)
{
	struct trnsci_array array;

	if (trnsci_value_to_array(reply, &array) < 0 || array.dtype != fill->dtype || array.count != count)
		return false;
	if (array.bytes > 0)
		memcpy(fill->out, array.data, array.bytes);
	return true;
}
