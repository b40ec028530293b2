/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the library, in programs that handle signals in threads of their own. */
#ifndef TRNSCI_BASE_THREAD_H
#define TRNSCI_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread to which no signal is delivered. Its name is cut to 15 characters. Returns 0, or -ERROR_SYSTEM if the
 * system has no thread to give. Any thread may call it. */
int thread_start(const char *name, void *(*run)(void *arg), void *arg, pthread_t *ret_thread);

#endif
