/*
 * Crashes in a row of this process (crash-row.h). A run of a minute without a crash ends the row, and so does a
 * requested restart.
 */
#ifndef SVC_CRASH_LOOP_H
#define SVC_CRASH_LOOP_H

#include <stdbool.h>

#include "boot-choice.h"

/* Notes how a run ended. `isTrial`: it was a trial of new firmware, which has its own rollback. */
void crash_loop_note(RunEnd end, bool isTrial);

/* A run starts: begins the minute that ends a row. */
void crash_loop_begin_run(void);
void crash_loop_end_run(void);

/* Reverts the last note, because the next start failed. */
void crash_loop_undo(void);

/* Whether the current or next run is in safe mode. */
bool crash_loop_is_safe_mode(void);

#endif
