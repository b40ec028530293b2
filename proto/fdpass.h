/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and file descriptors over a Unix stream socket. Never SIGPIPE, always close-on-exec. */
#ifndef TRNSCI_PROTO_FDPASS_H
#define TRNSCI_PROTO_FDPASS_H

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>

/* sendmsg with fd (or none when fd < 0); the fd goes with the first byte. Returns bytes sent, or -errno. */
ssize_t fdpass_send(int socket, const void *bytes, size_t size, int fd);

/* recvmsg. At most one fd is kept: *ret_fd (else -1); all others are closed, and *ret_strange says that more came than
 * one, or that the kernel cut some off. ret_fd NULL: every fd is closed and strange. Returns bytes received (0: end of
 * input), or -errno. */
ssize_t fdpass_receive(int socket, void *bytes, size_t size, int *ret_fd, bool *ret_strange);

#endif
