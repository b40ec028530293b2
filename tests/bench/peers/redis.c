/* SPDX-License-Identifier: Apache-2.0 */
/* Redis over its Unix socket by hiredis, at=SOCKET size=: a GET of so many bytes; op=session: a connection for each. */
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "bench/worker.h"

static redisContext *context;
static size_t size;
static void (*run)(void);

static void connect_again(void)
{
	if (context)
		redisFree(context);
	context = redisConnectUnix(case_text("at", ""));
	if (!context || context->err)
		work_fail("Redis does not answer");
}

static void run_get(void)
{
	redisReply *reply = redisCommand(context, "GET bench:%lu", (unsigned long)size);

	if (!reply || reply->type != REDIS_REPLY_STRING || reply->len != size)
		work_fail("GET");
	freeReplyObject(reply);
}

static void run_session(void)
{
	connect_again();
	run_get();
}

void work_open(void)
{
	char *bytes;
	redisReply *reply;

	connect_again();
	size = (size_t)case_number("size", 64);
	bytes = malloc(size);
	if (!bytes)
		work_fail("memory");
	memset(bytes, 'x', size);
	reply = redisCommand(context, "SET bench:%lu %b", (unsigned long)size, bytes, size);
	free(bytes);
	if (!reply)
		work_fail("SET");
	freeReplyObject(reply);
	run = case_is("op", "session") ? run_session : run_get;
}

void work_run(void)
{
	run();
}

void work_close(void)
{
	redisFree(context);
	context = NULL;
}
