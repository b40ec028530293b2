/* SPDX-License-Identifier: Apache-2.0 */
/* SIGHUP: the config files are read again. What can change at once or for new sessions does, what cannot is reported, and a
 * wrong file changes nothing. */
#include "harness/daemon.h"
#include "harness/wire_client.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { ARENA = 1 << 20 };

static char config[128];

static void write_config(const struct daemon *daemon, const char *content)
{
	snprintf(config, sizeof config, "%s/trnscid.conf", daemon->dir);
	FILE *file = fopen(config, "w");

	assert_non_null(file);
	fputs(content, file);
	fclose(file);
}

static void start(struct daemon *daemon, const char *content)
{
	char option[160];

	daemon_prepare(daemon);
	write_config(daemon, content);
	snprintf(option, sizeof option, "--config=%s", config);
	daemon_spawn(daemon, ARGUMENTS("--threads=2", option), NULL);
	daemon_await(daemon, "READY=1");
}

/* Both notifications, in this order. */
static void reload(struct daemon *daemon, const char *content, const char *status)
{
	write_config(daemon, content);
	kill(daemon->pid, SIGHUP);
	daemon_await(daemon, "RELOADING=1\nMONOTONIC_USEC=");
	daemon_await(daemon, status);
	daemon_await(daemon, "READY=1");
}

static void end(struct daemon *daemon)
{
	unlink(config);
	daemon_stop(daemon);
}

static struct value one_tile(struct client *client)
{
	return client_map(client, "dtype", value_string("f32"), "shape", value_uint(1), NULL);
}

/* arena_bytes holds at once, tiles for new sessions only, threads not at all; the command line overrides the file. */
static void what_changes(void **state)
{
	struct daemon daemon;
	struct client old, new;
	struct value params;
	void *base;

	(void)state;
	start(&daemon, "tiles = 2\narena_bytes = 1M\nplan_cache_bytes = 2M\n");
	client_open(&old, daemon.socket);
	close(client_arena(&old, ARENA, &base));
	reload(&daemon, "tiles = 1\narena_bytes = 2M\nplan_cache_bytes = 3M\nthreads = 7\n", "STATUS=serves with ");
	assert_int_equal(client_stat(&old, "settings.tiles"), 1);
	assert_int_equal(client_stat(&old, "settings.arena_bytes"), 2 << 20);
	assert_int_equal(client_stat(&old, "settings.plan_cache_bytes"), 2 << 20);
	assert_int_equal(client_stat(&old, "settings.threads"), 2);
	params = one_tile(&old);
	client_result(&old, "tile", &params);
	client_result(&old, "tile", &params);
	client_fails(&old, "tile", &params, ERROR_LIMIT, "allowed are 2 (tiles)");
	munmap(base, ARENA);

	client_open(&new, daemon.socket);
	close(client_arena(&new, 2 * ARENA, &base));
	params = one_tile(&new);
	client_result(&new, "tile", &params);
	client_fails(&new, "tile", &params, ERROR_LIMIT, "allowed are 1 (tiles)");
	munmap(base, 2 * ARENA);
	client_close(&new);
	client_close(&old);
	end(&daemon);
}

/* The error names file, line, setting and what is allowed; the good lines before it change nothing either. */
static void wrong_file(void **state)
{
	struct daemon daemon;
	struct client client;
	char status[256];

	(void)state;
	start(&daemon, "rings = 3\n");
	client_open(&client, daemon.socket);
	snprintf(status, sizeof status,
		 "STATUS=reload failed, serves with the old settings: out_of_range: %s:2: tiles: \"0\", allowed: 1 to ", config);
	reload(&daemon, "rings = 4\ntiles = 0\n", status);
	assert_int_equal(client_stat(&client, "settings.rings"), 3);
	unlink(config);
	kill(daemon.pid, SIGHUP);
	daemon_await(&daemon, "STATUS=reload failed, serves with the old settings: system: ");
	daemon_await(&daemon, "READY=1");
	assert_int_equal(client_stat(&client, "settings.rings"), 3);
	reload(&daemon, "rings = 5\n", "STATUS=serves with ");
	assert_int_equal(client_stat(&client, "settings.rings"), 5);
	client_close(&client);
	end(&daemon);
}

/* A reload does not wait at a FIFO and reads no device: the daemon serves on with the settings that it had. */
static void other_files(void **state)
{
	struct daemon daemon;
	struct client client;

	(void)state;
	start(&daemon, "rings = 3\n");
	client_open(&client, daemon.socket);
	for (int i = 0; i < 3; i++) {
		unlink(config);
		assert_int_equal(i == 0 ? mkfifo(config, 0600) : symlink(i == 1 ? "/dev/zero" : "/dev/tty", config), 0);
		kill(daemon.pid, SIGHUP);
		daemon_await(&daemon, "STATUS=reload failed, serves with the old settings: wrong_type: ");
		daemon_await(&daemon, "READY=1");
		assert_int_equal(client_stat(&client, "settings.rings"), 3);
	}
	unlink(config);
	reload(&daemon, "rings = 5\n", "STATUS=serves with ");
	assert_int_equal(client_stat(&client, "settings.rings"), 5);
	client_close(&client);
	end(&daemon);
}

/* Totals below what is in use refuse more, and end nobody. */
static void lowered_totals(void **state)
{
	struct daemon daemon;
	struct client clients[3], late;
	struct value params;
	void *base;

	(void)state;
	start(&daemon, "connections = 16\narena_total_bytes = 64M\narena_ahead_bytes = 0\n");
	for (int i = 0; i < 3; i++)
		client_open(&clients[i], daemon.socket);
	close(client_arena(&clients[0], 16 * ARENA, &base));
	reload(&daemon, "connections = 4\narena_total_bytes = 4M\narena_ahead_bytes = 0\n", "STATUS=serves with ");
	client_open(&late, daemon.socket);
	client_is_refused(&late, "half of the setting connections = 4");
	client_close(&late);
	params = client_map(&clients[1], "bytes", value_uint(4096), NULL);
	client_fails(&clients[1], "arena", &params, ERROR_LIMIT, "half of the setting arena_total_bytes = 4194304");
	for (int i = 0; i < 3; i++)
		client_result(&clients[i], "ping", NULL);
	client_close(&clients[2]);
	client_await_stat(&clients[1], "daemon.sessions", 2);
	client_open(&late, daemon.socket);
	client_is_refused(&late, "half of the setting connections = 4");
	client_close(&late);
	reload(&daemon, "connections = 16\narena_total_bytes = 64M\narena_ahead_bytes = 0\n", "STATUS=serves with ");
	client_open(&late, daemon.socket);
	client_result(&late, "ping", NULL);
	client_close(&late);
	munmap(base, 16 * ARENA);
	client_close(&clients[0]);
	client_close(&clients[1]);
	end(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_changes), cmocka_unit_test(wrong_file), cmocka_unit_test(other_files),
					   cmocka_unit_test(lowered_totals)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
