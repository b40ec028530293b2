/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the descriptor of a session, for tests that end its connection. */
#ifndef TESTS_CLIENT_REMOTE_SESSION_SOCKET_H
#define TESTS_CLIENT_REMOTE_SESSION_SOCKET_H

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Returns this process's connection to the daemon's socket at that path, or -1. The daemon has bound it under another name, which begins
 * with this one. */
static inline int session_socket(const char *path)
{
	for (int fd = 3; fd < 256; fd++) { /* another may be on its way in its place */
		struct sockaddr_un peer;
		socklen_t size = sizeof peer;

		if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 && size > sizeof(sa_family_t) &&
		    peer.sun_family == AF_UNIX && strncmp(peer.sun_path, path, strlen(path)) == 0)
			return fd;
	}
	return -1;
}

#endif
