/*
 * Crashes in a row, counted in memory that outlives them: after three the next start is a safe mode, without apps,
 * drives and hub. A minute of a run that does not crash ends the row, and so does a restart that was asked for.
 */
#ifndef SVC_CRASH_LOOP_H
#define SVC_CRASH_LOOP_H

#include <stdbool.h>

#include "boot-choice.h"

/* A run has ended so. `isTrial`: it was one of new firmware, which has its own way to end. */
void crash_loop_note(RunEnd end, bool isTrial);

/* A run begins: from now on, a minute is to pass. */
void crash_loop_begin_run(void);
void crash_loop_end_run(void);

/* The start that was to come next never was: what was noted last is taken back. */
void crash_loop_undo(void);

/* Whether the run that begins, or that is under way, is to be in safe mode. */
bool crash_loop_is_safe_mode(void);

#endif
