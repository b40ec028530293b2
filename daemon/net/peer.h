/* SPDX-License-Identifier: Apache-2.0 */
/* The user at the other end of a connection, as the kernel reports it. */
#ifndef TRNSCI_DAEMON_PEER_H
#define TRNSCI_DAEMON_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct peer {
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* supplementary ones */
	size_t n_groups;
	bool groups_known;
};

/* Reads the supplementary groups, once. Returns 0; or -1 with errno, and there are none. */
int peer_read_groups(struct peer *peer, int socket);
void peer_free(struct peer *peer);

bool peer_has_group(const struct peer *peer, gid_t gid);

/* Returns true for root and the user that the daemon runs as. */
bool peer_is_master(const struct peer *peer);

/* Reads a mode of at most 4 octal digits, as chmod takes it. False if the text is none. */
bool peer_parse_mode(const char *text, size_t size, unsigned *ret_mode);

/* Returns true if the peer could access a file of that owner, group and mode; want: 4 (read) or 2 (write). */
bool peer_may(const struct peer *peer, uid_t uid, gid_t gid, unsigned mode, unsigned want);

#endif
