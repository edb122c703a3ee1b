/* svc/firmware-slots: the program's side of the slots (device/ports/firmware-slots.ts); updater.c writes images. */
#include "slot-partition.h"

#include "machine.h"
#include "ota-record.h"
#include "start.h"
#include "updater.h"

void xs_slots_running(xsMachine *the)
{
	xsmcSetString(xsResult, start_slot() == 0 ? "a" : "b");
}

void xs_slots_capacity(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)slot_partition_other()->size);
}

static void set_string(xsMachine *the, const char *name, const char *value)
{
	xsmcSetString(xsVar(0), (char *)value);
	xsmcSet(xsResult, xsID(name), xsVar(0));
}

/* record(): { phase, trials, lastEnd? } */
void xs_slots_record(xsMachine *the)
{
	static const char *const phases[OTA_PHASES] = {
		[OTA_SETTLED] = "settled",
		[OTA_STAGED] = "staged",
		[OTA_TRIAL] = "trial",
	};
	static const char *const ends[OTA_ENDS] = {
		[OTA_END_CONFIRMED] = "confirmed",
		[OTA_END_CRASH] = "crash",
		[OTA_END_WATCHDOG] = "watchdog",
		[OTA_END_REBOOT] = "reboot",
		[OTA_END_POWER_LOSS] = "power_loss",
		[OTA_END_TIMEOUT] = "timeout",
		[OTA_END_DAMAGED] = "damaged",
	};
	const OtaRecord record = ota_record_now(start_slot());
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	set_string(the, "phase", phases[record.phase]);
	xsmcSetNumber(xsVar(0), record.trials);
	xsmcSet(xsResult, xsID("trials"), xsVar(0));
	if (ends[record.lastEnd])
		set_string(the, "lastEnd", ends[record.lastEnd]);
}

/* readOther(into, offset): how many bytes there were. */
void xs_slots_read_other(xsMachine *the)
{
	xsNumberValue offset = xsmcToNumber(xsArg(1));
	void *into;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &into, &length);
	const uint32_t end = updater_byte_length();
	if (!(offset >= 0))		// negated so that NaN fails
		xsRangeError("bad offset");
	const uint32_t at = offset < end ? (uint32_t)offset : end;
	const uint32_t count = length < end - at ? length : end - at;
	if (count > 0 && !updater_read(into, count, at))
		xsUnknownError("cannot read the other slot");
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

void xs_slots_confirm(xsMachine *the)
{
	if (ota_record_confirm(start_slot()) != 0)
		xsUnknownError("cannot confirm: no firmware is on trial, or flash fails");
}

void xs_slots_revert(xsMachine *the)
{
	if (ota_record_revert(start_slot()) != 0)
		xsUnknownError("cannot give up: no firmware is on trial, or flash fails");
}
