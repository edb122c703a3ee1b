/* svc/firmware-slots: the slots as the program uses them (device/ports/firmware-slots.ts); updater.c writes images. */
#include "boot-record.h"
#include "boot.h"
#include "machine.h"
#include "slot-seal.h"
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

/* readOther(into, offset): returns the number of bytes read. */
void xs_slots_read_other(xsMachine *the)
{
	const char *name = slot_name(slot_other(boot_slot()));
	int64_t position = position_argument(the, xsArg(1));
	StorageFile *file;
	void *into;
	xsUnsignedValue length;
	xsmcSetInteger(xsResult, 0);
	xsmcGetBufferWritable(xsArg(0), &into, &length);		// before opening the file: it may throw
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

static BootRecord trial_record(xsMachine *the)
{
	BootRecord record = boot_record_load();
	if (record.phase != PHASE_TRIAL)
		xsUnknownError("no firmware is on trial");
	record.phase = PHASE_SETTLED;
	return record;
}

static void save(xsMachine *the, const BootRecord *record)
{
	int error = boot_record_save(record);
	if (error)
		storage_throw(the, "write", boot_record_names[0], error);
}

/*
 * The record decides. The seal repeats it in case the record is lost; if this write fails, the boot loader completes
 * it.
 */
void xs_slots_confirm(xsMachine *the)
{
	BootRecord record = trial_record(the);
	SlotSeal seal;
	record.confirmed = boot_slot();
	record.lastEnd = TRIAL_END_CONFIRMED;
	if (slot_seal_load(record.confirmed, false, &seal) && seal.securityVersion > record.securityVersion)
		record.securityVersion = seal.securityVersion;
	save(the, &record);
	(void)slot_seal_confirm(record.confirmed, boot_record_load().sequence);
}

void xs_slots_revert(xsMachine *the)
{
	BootRecord record = trial_record(the);
	record.confirmed = slot_other(boot_slot());
	record.lastEnd = TRIAL_END_TIMEOUT;
	save(the, &record);
}
