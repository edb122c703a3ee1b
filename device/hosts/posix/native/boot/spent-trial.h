/*
 * A trial that says nothing about its firmware: an exception ended it before this process was ever ready, and the
 * confirmed firmware, started after it, fails in the same way. Unknown options and ports in use cause this, so the
 * image is staged again.
 */
#ifndef SVC_SPENT_TRIAL_H
#define SVC_SPENT_TRIAL_H

#include <stdbool.h>

#include "boot-record.h"

/* Notes the record that a run left; `isRefused`: an exception ended it before the process was ever ready. */
void spent_trial_note(const BootRecord *found, bool isRefused);

/* Forgets the trial, because its slot is about to be overwritten. */
void spent_trial_forget(void);

/* The record to restore if the run after the trial fails, too; NULL: none. */
const BootRecord *spent_trial_record(void);

#endif
