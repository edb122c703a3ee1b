/* svc/firmware-slots: the slots as the program uses them (device/ports/firmware-slots.ts); updater.c writes images. */
#include "slot-partition.h"

#include "machine.h"
#include "ota-record.h"
#include "start.h"
#include "updater.h"

SlotRecord slot_record(void)
{
	return ota_record_now(start_slot());
}

bool slot_b_is_running(void)
{
	return start_slot() == 1;
}

void xs_slots_capacity(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)slot_partition_other()->size);
}

/* readOther(into, offset): returns the number of bytes read. */
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
		xsUnknownError("cannot revert: no firmware is on trial, or flash fails");
}
