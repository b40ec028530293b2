/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this program is built with a sanitizer: it is slower then, and needs more memory. */
#ifndef TESTS_HARNESS_SANITIZED_H
#define TESTS_HARNESS_SANITIZED_H

/* gcc defines macros, clang has features. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#else
#define THREAD_SANITIZED 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || THREAD_SANITIZED
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#endif
