/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts: the session's limit, the user's half and the total hold, errors name them, and all is given back. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/limits/quota.h"

static struct settings settings;
static struct quota *quota;

static int setup(void **state)
{
	(void)state;
	settings_default(&settings);
	settings.jobs_total = 100;
	settings.arena_total_bytes = 0;
	return quota_create(&settings, &quota);
}

static int teardown(void **state)
{
	(void)state;
	quota_free(quota); /* asserts that nobody is left */
	return 0;
}

static void halves(void **state)
{
	struct quota_user *a = quota_user_open(quota, 0), *b = quota_user_open(quota, 1000),
			  *c = quota_user_open(quota, 1001);
	struct error err;

	(void)state;
	assert_int_equal(quota_take(a, QUOTA_JOBS, 50, &err), 0);
	assert_int_equal(quota_take(a, QUOTA_JOBS, 1, &err), -ERROR_LIMIT);
	assert_non_null(strstr(err.text, "for uid 0, which has 50, allowed: 50, half of the setting jobs_total = 100"));
	assert_int_equal(quota_take(b, QUOTA_JOBS, 51, &err), -ERROR_LIMIT);
	assert_int_equal(quota_take(b, QUOTA_JOBS, UINT64_MAX, &err), -ERROR_LIMIT);
	assert_int_equal(quota_take(b, QUOTA_JOBS, 40, &err), 0);
	assert_int_equal(quota_take(c, QUOTA_JOBS, 11, &err), -ERROR_LIMIT);
	assert_non_null(strstr(err.text, "all users have 90, allowed: the setting jobs_total = 100"));
	assert_int_equal(quota_take(c, QUOTA_JOBS, 10, &err), 0);
	/* another resource is another account */
	assert_int_equal(quota_take(a, QUOTA_CONNECTIONS, 1, &err), 0);
	quota_give(a, QUOTA_CONNECTIONS, 1);
	quota_give(a, QUOTA_JOBS, 50);
	assert_int_equal(quota_take(b, QUOTA_JOBS, 10, &err), 0);
	quota_give(b, QUOTA_JOBS, 50);
	quota_give(c, QUOTA_JOBS, 10);
	quota_user_close(a);
	quota_user_close(b);
	quota_user_close(c);
}

/* Sessions of one user share its account, which lives as long as one of them. */
static void one_account_a_user(void **state)
{
	struct quota_user *first = quota_user_open(quota, 7), *second = quota_user_open(quota, 7);

	(void)state;
	assert_ptr_equal(first, second);
	assert_int_equal(quota_user_uid(first), 7);
	assert_int_equal(quota_take(first, QUOTA_JOBS, 30, NULL), 0);
	quota_user_close(first);
	assert_int_equal(quota_take(second, QUOTA_JOBS, 21, NULL), -ERROR_LIMIT);
	quota_give(second, QUOTA_JOBS, 30);
	quota_user_close(second);
}

static void shares(void **state)
{
	struct quota_user *user = quota_user_open(quota, 7);
	struct quota_share share = {user, QUOTA_JOBS, "jobs", 30, 0, 0}, other = {user, QUOTA_JOBS, "jobs", 30, 0, 0};
	struct error err;

	(void)state;
	assert_int_equal(quota_share_take(&share, 31, &err), -ERROR_LIMIT);
	assert_non_null(strstr(err.text, "allowed: the setting jobs = 30"));
	assert_int_equal(quota_share_take(&share, 30, &err), 0);
	assert_int_equal(quota_share_take(&share, 1, &err), -ERROR_LIMIT);
	assert_int_equal(quota_share_take(&other, 21, &err), -ERROR_LIMIT);
	assert_non_null(strstr(err.text, "jobs_total"));
	assert_int_equal(other.used, 0);
	quota_share_give(&share, 30);
	assert_int_equal(share.used, 0);
	quota_user_close(user);
}

static void default_total(void **state)
{
	uint64_t total = quota_default_total();
	struct bump *bump = bump_new();
	struct value map = value_map();

	(void)state;
	assert_true(total > 0);
	assert_true(total <= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4);
	assert_int_equal(quota_show(quota, NULL, bump, &map), 0);
	assert_int_equal(value_get(value_get(&map, "arena_total_bytes"), "total")->u, total);
	assert_int_equal(value_get(value_get(&map, "work_total_bytes"), "total")->u, total);
	bump_free(bump);
}

static void *take_and_give(void *arg)
{
	struct quota_user *user = quota_user_open(quota, *(uid_t *)arg);

	for (int i = 0; i < 20000; i++)
		if (quota_take(user, QUOTA_WORK_BYTES, 20, NULL) == 0)
			quota_give(user, QUOTA_WORK_BYTES, 20);
	quota_user_close(user);
	return NULL;
}

static void threads(void **state)
{
	pthread_t thread[4];
	uid_t uids[4] = {1, 1, 2, 3};

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, &uids[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves),  cmocka_unit_test(one_account_a_user),
		cmocka_unit_test(shares),  cmocka_unit_test(default_total),
		cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
