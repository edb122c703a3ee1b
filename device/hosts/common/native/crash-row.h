/*
 * Crashes in a row, counted in memory that survives them: after three, the next start is in safe mode, without apps,
 * drives and hub. The host keeps the row, and ends it after a run of HEALTHY_MS without a crash.
 */
#ifndef SVC_CRASH_ROW_H
#define SVC_CRASH_ROW_H

#include <stdbool.h>
#include <stdint.h>

enum { CRASHES_TO_SAFE_MODE = 3, HEALTHY_MS = 60000 };

/* The second word is the complement of the first: after a power cut both are arbitrary. */
typedef struct {
	uint32_t count, check;
} CrashRow;

/* Notes how a run ended: a crash lengthens the row, every other end ends it. */
void crash_row_note(CrashRow *row, bool isCrash);

void crash_row_end(CrashRow *row);

/* Whether the next start is in safe mode. */
bool crash_row_is_full(const CrashRow *row);

#endif
