/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of settings: name, kind, unit, default, range and help.
 *
 * It makes the struct, the command line, the config file, --help, `stats` and what the manual page is tested against.
 * A limit's error names the setting that holds it. */
#ifndef TRNSCI_DAEMON_SETTINGS_H
#define TRNSCI_DAEMON_SETTINGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/value.h"

enum setting_kind {
	SETTING_TEXT,
	SETTING_CHOICE, /* one of `choices` */
	SETTING_NUMBER,
	SETTING_BYTES, /* a number; K, M, G or T behind it multiplies by 1024 and its powers */
	SETTING_MODE,  /* octal */
};

enum { SETTING_TEXT_ROOM = 256 };

#define SETTING_FIELD_TEXT(name)   char name[SETTING_TEXT_ROOM];
#define SETTING_FIELD_CHOICE(name) char name[SETTING_TEXT_ROOM];
#define SETTING_FIELD_NUMBER(name) uint64_t name;
#define SETTING_FIELD_BYTES(name)  uint64_t name;
#define SETTING_FIELD_MODE(name)   uint64_t name;

/* X(name, kind, unit, default, min, max, choices, help). No uid may hold more than half of what is marked (half). */
/* clang-format off */
#define SETTING_TABLE(X) \
	X(socket, TEXT, "path", "", 0, 0, "", \
	  "where to listen; empty: $XDG_RUNTIME_DIR/trnsci/trnsci.sock or /run/trnsci/trnsci.sock") \
	X(socket_mode, MODE, "octal", "0660", 0, 0777, "", "permissions of a socket made by the daemon") \
	X(threads, NUMBER, "threads", "0", 0, 128, "", "threads that run the lanes; 0: the CPUs this process may use") \
	X(pin, CHOICE, "", "on", 0, 0, "off|on", \
	  "whether these stay on CPUs of their own, where this process may use as many CPUs as there are threads") \
	X(spin_us, NUMBER, "microseconds", "100", 0, 10000, "", \
	  "how long to look for requests before sleeping, while traffic is lively; 0, or one CPU: not at all") \
	X(weights, TEXT, "weights", "", 0, 0, "", \
	  "shares of the threads' time for each session of a user or group while others have work, as uid:1000=4,gid:50=2; " \
	  "others: 1") \
	X(log_level, CHOICE, "", "info", 0, 0, "error|warning|info|debug", "what is logged: this level and above") \
	X(connections, NUMBER, "connections", "1024", 2, 16384, "", "connections at once (half)") \
	X(connections_per_second, NUMBER, "connections", "4096", 2, 1000000, "", \
	  "connections let in within a second (half)") \
	X(arena_bytes, BYTES, "bytes", "4G", 4096, 1ull << 46, "", "largest arena of a session") \
	X(arena_total_bytes, BYTES, "bytes", "0", 0, 1ull << 50, "", \
	  "all arenas together (half); 0: the smaller of 25 % of memory and 50 % of memory.max") \
	X(rings, NUMBER, "rings", "16", 0, 1024, "", "noise rings of a session at once") \
	X(broadcasts, NUMBER, "broadcasts", "16", 0, 1024, "", "broadcasts of a session at once") \
	X(ring_bytes, BYTES, "bytes", "64M", 65536, 1ull << 32, "", "samples of one ring or broadcast; they count as arena bytes") \
	X(arena_ahead_bytes, BYTES, "bytes", "16M", 0, 1ull << 34, "", \
	  "touched before they are needed: of a spare arena, and of the tiles of each other; 0: none") \
	X(tiles, NUMBER, "tiles", "65536", 1, 1u << 20, "", "tiles of a session at once") \
	X(prepared, NUMBER, "calls", "256", 1, 65536, "", "prepared calls of a session at once") \
	X(jobs, NUMBER, "requests", "1024", 1, 65536, "", "unanswered requests of a session") \
	X(jobs_total, NUMBER, "requests", "8192", 2, 1u << 20, "", "unanswered requests of all sessions together (half)") \
	X(inline_bytes, BYTES, "bytes", "16M", 4096, 1u << 30, "", \
	  "inline results of one reply, and inline inputs of one request") \
	X(work_bytes, BYTES, "bytes", "0", 0, 1ull << 46, "", \
	  "results and temporaries of a session's requests, until the replies are on their way, and what its prepared calls " \
	  "hold; 0: only the user's share limits them") \
	X(work_total_bytes, BYTES, "bytes", "0", 0, 1ull << 50, "", \
	  "results and temporaries of all requests together (half); 0: the smaller of 25 % of memory and 50 % of memory.max") \
	X(frame_bytes, BYTES, "bytes", "32M", 4096, 1u << 30, "", "one message of a client") \
	X(frame_elements, NUMBER, "elements", "16384", 16, 1u << 24, "", \
	  "elements of arrays and maps in one message, all levels together") \
	X(buffer_bytes, BYTES, "bytes", "128M", 65536, 1ull << 34, "", \
	  "messages of a session: requests until answered, replies until read") \
	X(buffer_total_bytes, BYTES, "bytes", "1G", 1u << 20, 1ull << 40, "", "messages of all sessions together (half)") \
	X(reply_bytes, BYTES, "bytes", "32M", 4096, 1ull << 40, "", \
	  "inline results of a session's requests until they are read: while those of one request more might not fit, its next " \
	  "request waits unread") \
	X(reply_total_bytes, BYTES, "bytes", "1G", 1u << 20, 1ull << 46, "", "inline results of all sessions together (half)") \
	X(send_timeout, NUMBER, "seconds", "30", 1, 3600, "", "how long a client may leave replies unread before it is dropped") \
	X(state_dir, TEXT, "path", "", 0, 0, "", \
	  "where named streams are kept; empty: $STATE_DIRECTORY, or $XDG_STATE_HOME/trnsci, or ~/.local/state/trnsci") \
	X(stream_block, NUMBER, "words", "67108864", 1024, 1ull << 40, "", \
	  "most words of a named stream that are reserved ahead, and so at most skipped by a crash") \
	X(streams, NUMBER, "streams", "1024", 1, 1u << 20, "", "named streams of a user at once") \
	X(streams_total, NUMBER, "streams", "16384", 1, 1u << 20, "", "named streams of all users together") \
	X(stream_seeds, NUMBER, "seeds", "65536", 1, 1u << 24, "", \
	  "pairs of generator and seed, and stream ids of its own choice, that a user may ever have given to named streams") \
	X(frame_timeout, NUMBER, "seconds", "60", 1, 3600, "", \
	  "how long a client may take over one message, from its first byte to its last") \
	X(fds, NUMBER, "file descriptors", "64", 4, 1024, "", \
	  "descriptors (of arenas, rings and broadcasts) sent to a session that has not read all it was sent") \
	X(fds_total, NUMBER, "file descriptors", "512", 8, 1u << 20, "", \
	  "such descriptors of all sessions together (half)") \
	X(plan_cache_bytes, BYTES, "bytes", "256M", 1u << 20, 1ull << 40, "", "plans of transforms kept for all clients")
/* clang-format on */

struct settings {
#define X(name, kind, unit, fallback, min, max, choices, help) SETTING_FIELD_##kind(name)
	SETTING_TABLE(X)
#undef X
};

struct setting {
	const char *name;
	enum setting_kind kind;
	const char *unit, *fallback;
	uint64_t min, max;
	const char *choices, *help;
	size_t offset; /* in struct settings */
};

const struct setting *settings_table(size_t *ret_count);

void settings_default(struct settings *settings);

/* Sets one by name ('-' and '_' are the same) from text. -ERROR_UNKNOWN_PARAMETER, -ERROR_OUT_OF_RANGE; *settings is
 * then untouched. */
int settings_set(struct settings *settings, const char *name, const char *text, struct error *err);

/* Lines "name = value", empty lines and comments from '#' at a line's start. Besides the above: -ERROR_SYSTEM (cannot
 * be read), -ERROR_WRONG_TYPE (another sort of line). The error names file and line. */
int settings_load(struct settings *settings, const char *path, struct error *err);

/* All of --help's list: each name with its unit, range, default and help. */
void settings_print(FILE *file);

/* Every setting as it stands, into map. -ERROR_NO_MEMORY */
int settings_show(const struct settings *settings, struct bump *bump, struct value *map);

#endif
