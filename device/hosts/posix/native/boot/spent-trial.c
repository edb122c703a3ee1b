/* At most one, the last (spent-trial.h). */
#include "spent-trial.h"

#include <stddef.h>

static BootRecord stagedAgain;
static bool isSpent;

void spent_trial_note(const BootRecord *found, bool isRefused)
{
	isSpent = found->phase == PHASE_TRIAL && isRefused;		// neither confirmed nor given up by itself
	stagedAgain = *found;
	stagedAgain.phase = PHASE_STAGED;
	// Another trial: the confirmed firmware may already have noted how this one ended, by its number.
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
