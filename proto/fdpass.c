/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and file descriptors over a Unix stream socket.
 *
 * Where no fd is wanted none is ever installed: without a control buffer the kernel drops what was sent. Closing a
 * stranger's fd ourselves could block (the flush of a file system that the sender runs). */
#include "fdpass.h"

#include <errno.h>
#include <stdalign.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_FDS = 253 }; /* the kernel's SCM_MAX_FD: so that none is cut off for want of room here */

union control_one {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

union control_many {
	char bytes[CMSG_SPACE(MOST_FDS * sizeof(int))];
	struct cmsghdr align;
};

ssize_t fdpass_send(int socket, const void *bytes, size_t size, int fd)
{
	struct iovec iov = {(void *)bytes, size};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	union control_one control = {{0}};
	ssize_t sent;

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof control.bytes;

		struct cmsghdr *head = CMSG_FIRSTHDR(&message);
		*head = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
		memcpy(CMSG_DATA(head), &fd, sizeof fd);
	}
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

/* Keeps the first fd of the message in *fd and closes the others; true when there were others. */
static bool collect(struct msghdr *message, int *fd)
{
	bool more = false;

	for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int one;

			memcpy(&one, CMSG_DATA(head) + i * sizeof one, sizeof one);
			if (*fd < 0) {
				*fd = one;
				continue;
			}
			more = true;
			close(one);
		}
	}
	return more;
}

ssize_t fdpass_receive(int socket, void *bytes, size_t size, int *ret_fd, bool *ret_strange)
{
	struct iovec iov = {bytes, size};
	union control_many control;
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t received;
	int fd = -1;

	if (ret_fd) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof control.bytes;
	}
	do
		received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (received < 0 && errno == EINTR);
	if (received < 0)
		return -errno;

	bool more = ret_fd && collect(&message, &fd);
	*ret_strange = more || (message.msg_flags & MSG_CTRUNC);
	if (ret_fd)
		*ret_fd = fd;
	return received;
}
