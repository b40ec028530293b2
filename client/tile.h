/* SPDX-License-Identifier: Apache-2.0 */
/* What a tile is inside. */
#ifndef TRNSCI_CLIENT_TILE_H
#define TRNSCI_CLIENT_TILE_H

#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

struct trnsci_tile {
	struct trnsci_session *session;
	struct trnsci_tile *next, *previous; /* in the session's list, under its lock */
	uint64_t handle, scope;
	enum trnsci_dtype dtype;
	size_t ndim;
	uint64_t shape[TRNSCI_MAX_DIMS];
	uint64_t count;
	size_t bytes;
	void *data;
};

#endif
