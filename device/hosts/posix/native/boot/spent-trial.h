/*
 * A trial without a result about its firmware: it ended in an exception before anything of this process was ever ready,
 * and the confirmed firmware, started after it, is refused in the same way. Unknown options and ports in use look like
 * that, so what was staged is to be staged again.
 */
#ifndef SVC_SPENT_TRIAL_H
#define SVC_SPENT_TRIAL_H

#include <stdbool.h>

#include "boot-record.h"

/* A run is over and left this record; `isRefused`: by an exception, and nothing was ever ready. */
void spent_trial_note(const BootRecord *found, bool isRefused);

/* The slot is about to be written: whatever is in it then, it is not what was tried. */
void spent_trial_forget(void);

/* What the record is to be where the run that follows the trial is refused too; NULL: it stays as it is. */
const BootRecord *spent_trial_record(void);

#endif
