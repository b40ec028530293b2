/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and file descriptors over a Unix stream socket. Never SIGPIPE, always close-on-exec. */
#ifndef TRNSCI_PROTO_FDPASS_H
#define TRNSCI_PROTO_FDPASS_H

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>

/* The most that one message carries. */
enum { FDPASS_MOST = 4 };

struct fdpass {
	int at[FDPASS_MOST];
	unsigned count;
	bool cut; /* received: some were lost, since this process can have no more */
};

/* Closes them all. */
void fdpass_close(struct fdpass *fds);

/* Adds the descriptors of *came, which is then empty, to *have. Returns false if both had some: came's are closed. */
bool fdpass_join(struct fdpass *have, struct fdpass *came);

/* Sends bytes with fds (NULL: none), which go with the first byte and stay the caller's. Returns bytes sent, or -errno. */
ssize_t fdpass_send(int socket, const void *bytes, size_t size, const struct fdpass *fds);

/* Lets the kernel refuse descriptors, with their bytes, to the peer; on a listening socket to all peers that connect later.
 * Returns whether it does, as Linux has since 6.16. */
bool fdpass_refuse(int socket);

/* Receives from a socket that refuses descriptors. Returns bytes received (0: end of input), or -errno. */
ssize_t fdpass_receive_bytes(int socket, void *bytes, size_t size);

/* recvmsg. The first FDPASS_MOST fds are kept; all others are closed, and *ret_strange says that there were others.
 * ret_fds NULL: none is taken, and any is strange. Returns bytes received (0: end of input), or -errno. */
ssize_t fdpass_receive(int socket, void *bytes, size_t size, struct fdpass *ret_fds, bool *ret_strange);

#endif
