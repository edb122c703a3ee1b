/* One case for each phase (boot-choice.h; device/ports/firmware-slots.ts has the state diagram). */
#include "boot-choice.h"

static const struct {
	const char *resetReason;
	TrialEnd trialEnd;
} MEANINGS[] = {
	[RUN_END_POWER_LOSS] = { "power_on", TRIAL_END_POWER_LOSS },
	[RUN_END_RESTART] = { "software", TRIAL_END_REBOOT },
	[RUN_END_CRASH] = { "crash", TRIAL_END_CRASH },
	[RUN_END_OUTSIDE_CRASH] = { "crash", TRIAL_END_CRASH },
	[RUN_END_WATCHDOG] = { "watchdog", TRIAL_END_WATCHDOG },
	[RUN_END_TIMEOUT] = { "rollback", TRIAL_END_TIMEOUT },
};

static BootChoice go_back(BootRecord record, TrialEnd end)
{
	record.phase = PHASE_SETTLED;
	record.lastEnd = end;
	return (BootChoice){ record, true, record.confirmed, "rollback" };
}

BootChoice boot_choose(BootRecord record, RunEnd end, Slot lastSlot)
{
	if (record.phase == PHASE_TRIAL && end == RUN_END_OUTSIDE_CRASH && record.outsideCrashes < MAXIMUM_OUTSIDE_CRASHES) {
		record.outsideCrashes++;
		return (BootChoice){ record, true, slot_other(record.confirmed), MEANINGS[end].resetReason };
	}
	if (record.phase == PHASE_TRIAL)		// not confirmed, however it ended
		return go_back(record, MEANINGS[end].trialEnd);
	if (record.phase == PHASE_STAGED) {
		record.phase = PHASE_TRIAL;
		record.outsideCrashes = 0;
		return (BootChoice){ record, true, slot_other(record.confirmed), "update" };
	}
	bool hasGivenUp = lastSlot != record.confirmed;		// the program has reverted its own trial
	return (BootChoice){ record, false, record.confirmed, hasGivenUp ? "rollback" : MEANINGS[end].resetReason };
}

BootChoice boot_choose_after_damage(BootRecord record)
{
	return go_back(record, TRIAL_END_DAMAGED);
}

BootChoice boot_choose_other(BootRecord record)
{
	record.confirmed = slot_other(record.confirmed);
	record.lastEnd = TRIAL_END_NONE;		// lastEnd describes firmware that no longer runs
	return (BootChoice){ record, true, record.confirmed, "rollback" };
}
