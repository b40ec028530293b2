/* SPDX-License-Identifier: Apache-2.0 */
/* How a signal is cut. */
#include "frames.h"

/* No product of lengths overflows. */
static const uint64_t MOST = UINT64_C(1) << 30;

/* Reads a number, or takes the default. False for one that is out of range. */
static bool read_u64(const struct options *options, const char *name, uint64_t fallback, uint64_t least, uint64_t *ret)
{
	const char *text = options_value(options, name);

	*ret = fallback;
	return (!text || !*text || parse_u64(text, ret)) && *ret >= least && *ret <= MOST;
}

bool frames_of_segments(const struct options *options, uint64_t length, struct frames *ret)
{
	uint64_t shared;

	if (!read_u64(options, "nperseg", 256, 1, &ret->n))
		return false;
	ret->n = ret->n < length ? ret->n : length;
	if (!read_u64(options, "noverlap", ret->n / 2, 0, &shared) || shared >= ret->n ||
	    !read_u64(options, "nfft", ret->n, 1, &ret->nfft))
		return false;
	ret->hop = ret->n - shared;
	ret->count = (length - ret->n) / ret->hop + 1;
	return true;
}

bool frames_of_transforms(const struct options *options, struct frames *ret)
{
	ret->center = options_is(options, "center", "true");
	if (!read_u64(options, "n_fft", 0, 1, &ret->n))
		return false;
	ret->nfft = ret->n;
	return read_u64(options, "hop_length", ret->n < 4 ? 1 : ret->n / 4, 1, &ret->hop);
}
