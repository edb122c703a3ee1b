/* svc/firmware-slots: the program's side of the slots (device/ports/firmware-slots.ts); updater.c writes images. */
#include "boot-record.h"
#include "boot.h"
#include "machine.h"
#include "storage-arguments.h"
#include "storage-error.h"
#include "storage.h"

SlotRecord slot_record(void)
{
	const BootRecord record = boot_record_load();
	return (SlotRecord){ record.phase, record.trials, record.lastEnd };
}

bool slot_b_is_running(void)
{
	return boot_slot() == SLOT_B;
}

void xs_slots_capacity(xsMachine *the)
{
	xsmcSetInteger(xsResult, SLOT_CAPACITY_BYTES);
}

/* readOther(into, offset): how many bytes there were. */
void xs_slots_read_other(xsMachine *the)
{
	const char *name = slot_name(slot_other(boot_slot()));
	int64_t position = position_argument(the, xsArg(1));
	StorageFile *file;
	void *into;
	xsUnsignedValue length;
	xsmcSetInteger(xsResult, 0);
	xsmcGetBufferWritable(xsArg(0), &into, &length);		// before the file is open: it may throw
	int error = storage_open(STORAGE_SLOTS, name, STORAGE_READ, &file);
	if (error && error != -ENOENT)
		storage_throw(the, "read slot", name, error);
	if (error)
		return;
	ssize_t count = storage_read(file, into, length, position);
	storage_close(file);
	if (count < 0)
		storage_throw(the, "read slot", name, (int)count);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

static void end_trial(xsMachine *the, Slot confirmed, TrialEnd end)
{
	BootRecord record = boot_record_load();
	if (record.phase != PHASE_TRIAL)
		xsUnknownError("no firmware is on trial");
	record.phase = PHASE_SETTLED;
	record.confirmed = confirmed;
	record.lastEnd = end;
	int error = boot_record_save(&record);
	if (error)
		storage_throw(the, "write", BOOT_RECORD_NAME, error);
}

void xs_slots_confirm(xsMachine *the)
{
	end_trial(the, boot_slot(), TRIAL_END_CONFIRMED);
}

void xs_slots_revert(xsMachine *the)
{
	end_trial(the, slot_other(boot_slot()), TRIAL_END_TIMEOUT);
}
