/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials are those at the time of connect(). */
#include "peer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int peer_read_groups(struct peer *peer, int socket)
{
	socklen_t size = 0;
	gid_t *groups;

	if (peer->groups_known)
		return 0;
	if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) < 0 && errno != ERANGE)
		return -1;
	groups = malloc(size ? size : 1);
	if (!groups)
		return -1;
	if (size && getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0) {
		free(groups);
		return -1;
	}
	peer->groups = groups;
	peer->n_groups = size / sizeof *groups;
	peer->groups_known = true;
	return 0;
}

void peer_free(struct peer *peer)
{
	free(peer->groups);
	*peer = (struct peer){0};
}

bool peer_has_group(const struct peer *peer, gid_t gid)
{
	bool has = peer->gid == gid;

	for (size_t i = 0; i < peer->n_groups && !has; i++)
		has = peer->groups[i] == gid;
	return has;
}

bool peer_is_master(const struct peer *peer)
{
	return peer->uid == 0 || peer->uid == geteuid();
}

bool peer_parse_mode(const char *text, size_t size, unsigned *ret_mode)
{
	unsigned mode = 0;

	if (size < 1 || size > 4)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '7')
			return false;
		mode = mode * 8 + (unsigned)(text[i] - '0');
	}
	*ret_mode = mode;
	return true;
}

bool peer_may(const struct peer *peer, uid_t uid, gid_t gid, unsigned mode, unsigned want)
{
	const unsigned shift = peer->uid == uid ? 6 : peer_has_group(peer, gid) ? 3 : 0;

	return peer_is_master(peer) || (mode >> shift & want) == want;
}
