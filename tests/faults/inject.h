/* SPDX-License-Identifier: Apache-2.0 */
/* The page in which a test sets what shall fail in a process that loaded inject.so. */
#ifndef TRNSCI_TESTS_FAULTS_INJECT_H
#define TRNSCI_TESTS_FAULTS_INJECT_H

#include <stdatomic.h>
#include <stdint.h>

/* The page's file, in the environment of that process. */
#define FAULT_PAGE "TRNSCI_FAULT_PAGE"

struct fault_page {
	_Atomic int armed;      /* calls are counted, and the nth fails */
	_Atomic int error;      /* with this errno; calls that never give it are not counted; ENOMEM: allocations too */
	_Atomic int lasting;    /* and all such calls after it */
	_Atomic int kill;       /* instead, the process is killed at its nth system call */
	_Atomic long nth, seen; /* from 1 */
	_Atomic long hits;
	_Atomic long clock_jump_s; /* added to every clock but the monotonic ones, armed or not */
	_Atomic int close_ms;      /* that each closing of a socket takes, armed or not */
	_Atomic int old_kernel;    /* options of sockets that only Linux 6.16 has are unknown, armed or not */
	char what[32];             /* the call that failed last */
};

#endif
