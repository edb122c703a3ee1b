/*
 * The power supply of the simulated storage: it can fail in the middle of any operation, once a test asks.
 *
 *     SVC_SIM_POWER_CUT=n       cuts power at the n-th operation that changes storage, counted from 1 since
 *                               the start of the process (resume.h); it ends with POWER_CUT_STATUS
 *     SVC_SIM_POWER_SEED=n      decides what is lost; the number of the operation where it is not set
 *     SVC_SIM_STORAGE_COUNT=F   gets the number of operations when the process ends, as decimal digits
 *
 * Operations are create, empty, write, set size, flush, rename, delete and make directory. The model is
 * littlefs, made stricter where other file systems are:
 *
 * - Create, rename, delete and make directory are atomic and durable once they have returned. The one at
 *   which power is cut does not happen.
 * - What a file contains is safe once flush has returned. Of the changes since, a power cut undoes the
 *   newest, as many as the seed selects, from none to all of them. Closing a file does not flush it, and
 *   neither does renaming it, though with littlefs closing would.
 * - The write at which power is cut is torn: as many of its first bytes as the seed selects arrive, and even
 *   those may be undone with the rest. A flush at which power is cut has flushed nothing.
 * - A reset by the watchdog undoes nothing, and makes safe what was not, since it makes the process forget it.
 * - Retained memory forgets: it is filled with bytes from the seed.
 */
#ifndef SVC_POWER_H
#define SVC_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { POWER_CUT_STATUS = 99 };

/* Reads the environment. Exits with status 2 if it is invalid. */
void power_open(void);

/*
 * Counts an operation.
 * @returns true if power fails during it; then call power_cut
 */
bool power_fails(void);

/* Call it before `length` bytes of a file at `position`, or its size, change: records the old content. */
void power_note_change(int fd, off_t position, size_t length);

/* The file's content is safe. */
void power_note_flush(int fd);

/* How many of the `length` bytes of an interrupted write are written. */
size_t power_torn_length(size_t length);

/* Undoes changes that were not safe, and ends the process. */
_Noreturn void power_cut(void);

#endif
