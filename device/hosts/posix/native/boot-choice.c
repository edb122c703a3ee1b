/* One case a phase (boot-choice.h; the picture is in device/ports/firmware-slots.ts). */
#include "boot-choice.h"

static const struct {
	const char *resetReason;
	TrialEnd trialEnd;
} MEANINGS[] = {
	[RUN_END_POWER_LOSS] = { "power_on", TRIAL_END_POWER_LOSS },
	[RUN_END_RESTART] = { "software", TRIAL_END_REBOOT },
	[RUN_END_CRASH] = { "crash", TRIAL_END_CRASH },
	[RUN_END_WATCHDOG] = { "watchdog", TRIAL_END_WATCHDOG },
	[RUN_END_TIMEOUT] = { "rollback", TRIAL_END_TIMEOUT },
};

static BootChoice go_back(BootRecord record, TrialEnd end)
{
	record.phase = PHASE_SETTLED;
	record.lastEnd = end;
	return (BootChoice){ record, record.confirmed, "rollback" };
}

BootChoice boot_choose(BootRecord record, RunEnd end, Slot lastSlot)
{
	if (record.phase == PHASE_TRIAL)		// not confirmed, however it ended
		return go_back(record, MEANINGS[end].trialEnd);
	if (record.phase == PHASE_STAGED) {
		record.phase = PHASE_TRIAL;
		return (BootChoice){ record, slot_other(record.confirmed), "update" };
	}
	bool hasGivenUp = lastSlot != record.confirmed;		// the program has ended its own trial
	return (BootChoice){ record, record.confirmed, hasGivenUp ? "rollback" : MEANINGS[end].resetReason };
}

BootChoice boot_choose_after_damage(BootRecord record)
{
	return go_back(record, TRIAL_END_DAMAGED);
}
