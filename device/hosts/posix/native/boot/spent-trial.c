/* Keeps at most one trial, the last (spent-trial.h). */
#include "spent-trial.h"

#include <stddef.h>

static BootRecord stagedAgain;
static bool isSpent;

void spent_trial_note(const BootRecord *found, bool isRefused)
{
	isSpent = found->phase == PHASE_TRIAL && isRefused;		// neither confirmed nor reverted by the firmware
	stagedAgain = *found;
	stagedAgain.phase = PHASE_STAGED;
	// Another trial: the confirmed firmware may already have recorded, by its number, how this one ended.
	stagedAgain.trials++;
}

void spent_trial_forget(void)
{
	isSpent = false;
}

const BootRecord *spent_trial_record(void)
{
	return isSpent ? &stagedAgain : NULL;
}
