/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of ours, in a program that may have plans of its own for signals. */
#ifndef TRNSCI_BASE_THREAD_H
#define TRNSCI_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that no signal is delivered to; its name is cut to 15 characters. -ERROR_SYSTEM when it cannot be had.
 * Any thread. */
int thread_start(const char *name, void *(*run)(void *arg), void *arg, pthread_t *ret_thread);

#endif
