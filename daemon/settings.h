/* SPDX-License-Identifier: Apache-2.0 */
/* The table of settings: name, kind, unit, default, range and help.
 *
 * The struct, the command line, the config file, --help, `stats` and the test of the manual page expand it. A limit's error
 * names its setting. */
#ifndef TRNSCI_DAEMON_SETTINGS_H
#define TRNSCI_DAEMON_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"

enum setting_kind {
	SETTING_TEXT,
	SETTING_WEIGHTS, /* text that weights_check accepts */
	SETTING_CHOICE,  /* one of `choices` */
	SETTING_NUMBER,
	SETTING_BYTES, /* a number; K, M, G or T after it stands for a power of 1024 */
	SETTING_MODE,  /* octal */
};

/* What a running daemon does with a changed setting when it reads its config files again. */
enum setting_change {
	SETTING_NOW,     /* uses it at once */
	SETTING_SESSION, /* uses it for new sessions; the others keep what they began with */
	SETTING_START,   /* refuses it: only a restart changes it */
};

enum { SETTING_TEXT_ROOM = 256 };

#define SETTING_FIELD_TEXT(name)    char name[SETTING_TEXT_ROOM];
#define SETTING_FIELD_WEIGHTS(name) char name[SETTING_TEXT_ROOM];
#define SETTING_FIELD_CHOICE(name)  char name[SETTING_TEXT_ROOM];
#define SETTING_FIELD_NUMBER(name)  uint64_t name;
#define SETTING_FIELD_BYTES(name)   uint64_t name;
#define SETTING_FIELD_MODE(name)    uint64_t name;

/* X(name, kind, change, unit, default, min, max, choices, help). (half): no uid may hold more than half of it. */
/* clang-format off */
#define SETTING_TABLE(X) \
	X(socket, TEXT, START, "path", "", 0, 0, "", \
	  "path of the socket; empty: $XDG_RUNTIME_DIR/trnsci/trnsci.sock or /run/trnsci/trnsci.sock") \
	X(socket_mode, MODE, START, "octal", "0660", 0, 0777, "", "permissions of a socket that the daemon makes") \
	X(threads, NUMBER, START, "threads", "0", 0, 128, "", "threads that run the lanes; 0: the CPUs this process may use") \
	X(pin, CHOICE, START, "", "on", 0, 0, "off|on", \
	  "pin each of these threads to a CPU of its own while no other program wants that, if this process may use as many " \
	  "CPUs as threads") \
	X(spin_us, NUMBER, NOW, "microseconds", "100", 0, 10000, "", \
	  "time to poll for requests before sleeping, while requests keep coming, and half of the time that a lane's thread " \
	  "looks for more work; 0, or with one CPU: none") \
	X(weights, WEIGHTS, SESSION, "weights", "", 0, 0, "", \
	  "shares of the threads' time for each session of a user or group while others have work, as uid:1000=4,gid:50=2; " \
	  "others: 1") \
	X(log_level, CHOICE, NOW, "", "info", 0, 0, "error|warning|info|debug", "least severe level that is logged") \
	X(slow_us, NUMBER, NOW, "microseconds", "100000", 0, 3600000000, "", \
	  "time from reading to reply beyond which a request is kept among the last slow ones; 0: none is") \
	X(connections, NUMBER, NOW, "connections", "4096", 2, 16384, "", "connections at once (half)") \
	X(connections_per_second, NUMBER, NOW, "connections", "4096", 2, 1000000, "", \
	  "new connections in a second (half)") \
	X(arenas, NUMBER, NOW, "arenas", "64", 1, 4096, "", "arenas of a session at once") \
	X(arenas_total, NUMBER, NOW, "arenas", "16384", 2, 65536, "", "arenas of all sessions at once (half)") \
	X(arena_bytes, BYTES, NOW, "bytes", "4G", 4096, 1ull << 46, "", "all arenas of a session together") \
	X(arena_total_bytes, BYTES, NOW, "bytes", "0", 0, 1ull << 50, "", \
	  "all arenas together (half); 0: the smaller of 25 % of memory and 50 % of memory.max") \
	X(rings, NUMBER, NOW, "rings", "16", 0, 1024, "", "noise rings of a session at once") \
	X(broadcasts, NUMBER, NOW, "broadcasts", "16", 0, 1024, "", "broadcasts of a session at once") \
	X(ring_bytes, BYTES, NOW, "bytes", "64M", 65536, 1ull << 32, "", \
	  "size of one ring or broadcast, which counts as arena bytes") \
	X(arena_ahead_bytes, BYTES, START, "bytes", "16M", 0, 1ull << 34, "", \
	  "bytes of an arena that are pre-faulted ahead of use; 0: none") \
	X(tiles, NUMBER, SESSION, "tiles", "65536", 1, 1u << 20, "", "tiles of a session at once") \
	X(prepared, NUMBER, SESSION, "calls", "256", 1, 65536, "", "prepared calls of a session at once") \
	X(queue_entries, NUMBER, NOW, "entries", "1024", 0, 4096, "", \
	  "most entries of a session's queue, whose memory counts as arena bytes; 0: no queues") \
	X(jobs, NUMBER, SESSION, "requests", "1024", 1, 65536, "", "unanswered requests of a session") \
	X(jobs_total, NUMBER, NOW, "requests", "8192", 2, 1u << 20, "", "unanswered requests of all sessions together (half)") \
	X(inline_bytes, BYTES, SESSION, "bytes", "16M", 4096, 1u << 30, "", \
	  "inline results of one reply, and inline inputs of one request") \
	X(work_bytes, BYTES, SESSION, "bytes", "0", 0, 1ull << 46, "", \
	  "results and temporaries of a session's requests until they are replied to, and memory of its " \
	  "prepared calls; 0: no limit but the user's half of work_total_bytes") \
	X(work_total_bytes, BYTES, NOW, "bytes", "0", 0, 1ull << 50, "", \
	  "results and temporaries of all requests together (half); 0: the smaller of 25 % of memory and 50 % of memory.max") \
	X(frame_bytes, BYTES, SESSION, "bytes", "32M", 4096, 1u << 30, "", "size of one message of a client") \
	X(frame_elements, NUMBER, SESSION, "elements", "16384", 16, 1u << 24, "", \
	  "elements of arrays and maps in one message, all levels together") \
	X(buffer_bytes, BYTES, SESSION, "bytes", "128M", 65536, 1ull << 34, "", \
	  "messages of a session: requests until answered, replies until read") \
	X(buffer_total_bytes, BYTES, NOW, "bytes", "1G", 1u << 20, 1ull << 40, "", "messages of all sessions together (half)") \
	X(reply_bytes, BYTES, SESSION, "bytes", "32M", 4096, 1ull << 40, "", \
	  "inline results of a session that its client has not read; while one more might not fit, the next " \
	  "request waits") \
	X(reply_total_bytes, BYTES, NOW, "bytes", "1G", 1u << 20, 1ull << 46, "", "inline results of all sessions together (half)") \
	X(send_timeout, NUMBER, NOW, "seconds", "30", 1, 3600, "", \
	  "time after which a client that reads none of its replies is disconnected") \
	X(stop_timeout, NUMBER, NOW, "seconds", "2", 0, 3600, "", \
	  "time that a daemon which stops gives accepted requests; those that take longer are cancelled at their next chunk") \
	X(state_dir, TEXT, START, "path", "", 0, 0, "", \
	  "folder of the state of named streams; empty: $STATE_DIRECTORY, or $XDG_STATE_HOME/trnsci, or " \
	  "~/.local/state/trnsci") \
	X(stream_block, NUMBER, START, "words", "67108864", 1024, 1ull << 40, "", \
	  "most words of a named stream that are reserved ahead; a crash skips at most as many") \
	X(streams, NUMBER, NOW, "streams", "1024", 1, 1u << 20, "", "named streams of a user at once") \
	X(streams_total, NUMBER, NOW, "streams", "16384", 1, 1u << 20, "", "named streams of all users together") \
	X(stream_seeds, NUMBER, START, "seeds", "65536", 1, 1u << 24, "", \
	  "pairs of generator and seed, and chosen stream ids, that a user may give to named streams, deleted " \
	  "ones included") \
	X(frame_timeout, NUMBER, NOW, "seconds", "60", 1, 3600, "", \
	  "time in which a message must arrive, from its first byte to its last") \
	X(fds, NUMBER, SESSION, "file descriptors", "64", 4, 1024, "", \
	  "descriptors (of arenas, rings and broadcasts) that were sent to a session and are unread") \
	X(fds_total, NUMBER, NOW, "file descriptors", "512", 8, 1u << 20, "", \
	  "the same for all sessions together (half)") \
	X(plan_cache_bytes, BYTES, START, "bytes", "256M", 1u << 20, 1ull << 40, "", "plans of transforms kept for all clients; filters of " \
	  "coloured noise have a quarter of it besides")
/* clang-format on */

struct settings {
#define X(name, kind, change, unit, fallback, min, max, choices, help) SETTING_FIELD_##kind(name)
	SETTING_TABLE(X)
#undef X
};

struct setting {
	const char *name;
	enum setting_kind kind;
	enum setting_change change;
	const char *unit, *fallback;
	uint64_t min, max;
	const char *choices, *help;
	size_t offset; /* in struct settings */
};

const struct setting *settings_table(size_t *ret_count);

/* Returns the setting of a name ('-' and '_' are the same), or NULL. */
const struct setting *settings_find(const char *name);

/* Takes the names of all settings into account. */
void settings_suggest(struct suggestion *suggestion);

void settings_default(struct settings *settings);

/* Sets one by name, as settings_find, from text. Returns 0; or -ERROR_UNKNOWN_PARAMETER or -ERROR_OUT_OF_RANGE, and
 * *settings is untouched. */
int settings_set(struct settings *settings, const char *name, const char *text, struct error *err);

/* Reads a file of lines "name = value", empty lines and lines that begin with '#'. Returns as settings_set, as settings_file_read,
 * or -ERROR_WRONG_TYPE (any other line), and *settings is untouched. The error names file and line. */
int settings_load(struct settings *settings, const char *path, struct error *err);

/* Reads a file, or of a folder all files *.conf in the order of their names. With a '-' before it the path may be missing.
 * Returns as settings_load. */
int settings_load_path(struct settings *settings, const char *path, struct error *err);

/* Copies every setting from *wanted that a running daemon can change. Calls changed(setting, arg) for each that differs; one
 * of SETTING_START keeps its value. */
void settings_change(struct settings *settings, const struct settings *wanted,
		     void (*changed)(const struct setting *setting, void *arg), void *arg);

/* "at once", "for new sessions", "at a restart". */
const char *setting_change_text(enum setting_change change);

/* Returns whether it is text in struct settings; otherwise it is a uint64_t. */
bool setting_is_text(const struct setting *setting);

/* Prints "name = value" for every setting that is not at its default, as a config file has it. */
void settings_print_changed(const struct settings *settings, FILE *file);

/* Prints the range of a number, "0 to 128"; sizes as "4K to 64T". */
void setting_print_range(const struct setting *setting, FILE *file);

/* Prints each setting with its unit, help, default and range, and when a change takes effect. */
void settings_print(FILE *file);

/* Adds every setting's value to map; without `paths`, nil for the folder of the state. Returns 0 or -ERROR_NO_MEMORY. */
int settings_show(const struct settings *settings, bool paths, struct bump *bump, struct value *map);

#endif
