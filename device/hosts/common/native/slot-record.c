/*
 * svc/firmware-slots: the fields of the record, as the port defines them. Each host implements the rest of the class.
 */
#include "slot-record.h"

#include "machine.h"

void xs_slots_running(xsMachine *the)
{
	xsmcSetString(xsResult, slot_b_is_running() ? "b" : "a");
}

static void set_string(xsMachine *the, const char *name, const char *value)
{
	xsmcSetString(xsVar(0), (char *)value);
	xsmcSet(xsResult, xsID(name), xsVar(0));
}

/* record(): { phase, trials, lastEnd? } */
void xs_slots_record(xsMachine *the)
{
	static const char *const phases[PHASES] = {
		[PHASE_SETTLED] = "settled",
		[PHASE_STAGED] = "staged",
		[PHASE_TRIAL] = "trial",
	};
	static const char *const ends[TRIAL_ENDS] = {
		[TRIAL_END_CONFIRMED] = "confirmed",
		[TRIAL_END_CRASH] = "crash",
		[TRIAL_END_WATCHDOG] = "watchdog",
		[TRIAL_END_REBOOT] = "reboot",
		[TRIAL_END_POWER_LOSS] = "power_loss",
		[TRIAL_END_TIMEOUT] = "timeout",
		[TRIAL_END_DAMAGED] = "damaged",
		[TRIAL_END_REPLACED] = "replaced",
	};
	const SlotRecord record = slot_record();
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	set_string(the, "phase", phases[record.phase]);
	machine_set_number(the, &xsVar(0), record.trials);
	xsmcSet(xsResult, xsID("trials"), xsVar(0));
	if (ends[record.lastEnd])
		set_string(the, "lastEnd", ends[record.lastEnd]);
}
