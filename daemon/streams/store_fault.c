/* SPDX-License-Identifier: Apache-2.0 */
/* What SQLite's failures are to those who ask: damage that a repair mends, want of memory or of room, or the system's
 * word. */
#include <errno.h>
#include <string.h>

#include "store_core.h"

int store_fail_damaged(const char *dir, const char *why, struct error *err)
{
	return error_set(err, ERROR_STORE, "the state is damaged, repair: trnscid --repair-state --state-dir %.110s (%.40s)",
			 dir, why);
}

int store_fail_restored(const char *dir, const char *why, struct error *err)
{
	return error_set(err, ERROR_STORE,
			 "the state was restored, copied or moved (%.60s), go on: trnscid --restored-state --state-dir %.100s",
			 why, dir);
}

bool store_is_damage(int rc)
{
	return (rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB || (rc & 0xff) == SQLITE_FORMAT ||
	       (rc & 0xff) == SQLITE_SCHEMA || (rc & 0xff) == SQLITE_ERROR || rc == SQLITE_IOERR_SHORT_READ ||
	       rc == SQLITE_IOERR_DATA;
}

int store_fail(struct store *store, int rc, struct error *err)
{
	const int code = rc & 0xff;
	const bool system_call = store->db && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN);
	const int number = system_call ? sqlite3_system_errno(store->db) : 0;

	if (store_is_damage(rc))
		return store_fail_damaged(store->dir, sqlite3_errstr(code), err);
	if (code == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM || number == ENOMEM)
		return error_set(err, ERROR_NO_MEMORY, "state: %s", sqlite3_errstr(code));
	return error_set(err, ERROR_STORE, "%.110s/" STORE_FILE ": %s%s%s", store->dir,
			 code == SQLITE_FULL ? "no space left on its disk" : sqlite3_errstr(code),
			 number && code != SQLITE_FULL ? ": " : "", number && code != SQLITE_FULL ? strerror(number) : "");
}
