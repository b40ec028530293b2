/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that sends replies for the loop while many clients wait.
 *
 * To send to a client that sleeps means to wake it, which takes longer on a virtual machine than most small requests take
 * to compute. In a crowd the loop gives whole messages to this thread and goes on with the next requests. The bytes and
 * the socket stay as they are until the loop has taken the parcel back. All calls are the loop's. */
#ifndef TRNSCI_DAEMON_SENDER_H
#define TRNSCI_DAEMON_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sender;
struct sender_parcel;

/* Starts the thread. Returns 0, -ERROR_NO_MEMORY or -ERROR_SYSTEM. */
int sender_create(struct sender **ret_sender);
/* Ends the thread, when no parcel is out. Accepts NULL. */
void sender_free(struct sender *sender);

/* Gives bytes to be sent once to a socket that does not block. Returns NULL when too many parcels are out. */
struct sender_parcel *sender_give(struct sender *sender, int socket, const void *bytes, size_t size);

/* Returns whether it has been sent. */
bool sender_is_done(const struct sender_parcel *parcel);

/* Takes a parcel back, unless it is being sent: then returns false. *ret_sent: the bytes that were sent, 0 also if none
 * were; or a negative errno. */
bool sender_take(struct sender_parcel *parcel, ssize_t *ret_sent);

#endif
