/*
 * svc/firmware-slots: writing an image to the slot that is not running. The slot is emptied only once the record
 * no longer names it, and named in the record only once what is in it is safe.
 */
#include <stdlib.h>

#include "boot-record.h"
#include "boot.h"
#include "machine.h"
#include "spent-trial.h"
#include "storage-error.h"
#include "storage.h"

typedef struct {
	StorageFile *file;
	int64_t length;
	bool isComplete;
} Updater;

/* The one that still writes: there is one at a time. */
static Updater *current;

void xs_updater_destructor(void *data)
{
	Updater *updater = data;
	if (!updater)
		return;
	if (current == updater)
		current = NULL;
	storage_close(updater->file);
	free(updater);
}

static const char *name_of_other(void)
{
	return slot_name(slot_other(boot_slot()));
}

/* @returns 0 or minus an errno */
static int drop_staged(BootRecord *record)
{
	if (record->phase != PHASE_STAGED)
		return 0;
	record->phase = PHASE_SETTLED;
	return boot_record_save(record);
}

void xs_updater_constructor(xsMachine *the)
{
	BootRecord record = boot_record_load();
	if (record.confirmed != boot_slot())
		xsUnknownError("the other slot holds what a failed trial goes back to");
	if (current)
		xsUnknownError("the other slot is being written");
	Updater *updater = calloc(1, sizeof(Updater));
	if (!updater)
		xsUnknownError("no memory");
	spent_trial_forget();
	int error = drop_staged(&record);
	if (!error)
		error = storage_open(STORAGE_SLOTS, name_of_other(), STORAGE_WRITE | STORAGE_EMPTY, &updater->file);
	if (error) {
		free(updater);
		storage_throw(the, "empty slot", name_of_other(), error);
	}
	current = updater;
	xsmcSetHostData(xsThis, updater);
}

/* An updater that still writes. */
static Updater *updater_of(xsMachine *the)
{
	Updater *updater = xsmcGetHostDataValidate(xsThis, xs_updater_destructor);
	if (updater->isComplete)
		xsUnknownError("the image is complete");
	return updater;
}

/* updater.write(bytes) */
void xs_updater_write(xsMachine *the)
{
	Updater *updater = updater_of(the);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	int error = length <= SLOT_CAPACITY_BYTES - updater->length
		? storage_write(updater->file, bytes, length, updater->length)
		: -ENOSPC;
	if (error)
		storage_throw(the, "write slot", name_of_other(), error);
	updater->length += length;
}

void xs_updater_complete(xsMachine *the)
{
	Updater *updater = updater_of(the);
	BootRecord record = boot_record_load();
	int error = storage_flush(updater->file);
	record.phase = PHASE_STAGED;
	record.trials++;
	record.lastEnd = TRIAL_END_NONE;
	if (!error)
		error = boot_record_save(&record);
	if (error)
		storage_throw(the, "complete slot", name_of_other(), error);
	updater->isComplete = true;
	current = NULL;
}

/* updater.close(): may be called again, and does nothing then (ECMA-419 §8). */
void xs_updater_close(xsMachine *the)
{
	if (!xsmcGetHostData(xsThis))
		return;
	Updater *updater = xsmcGetHostDataValidate(xsThis, xs_updater_destructor);
	// Where it cannot be emptied it holds what never boots, since the record does not name it.
	if (!updater->isComplete && updater->length > 0)
		(void)storage_set_size(updater->file, 0);
	xs_updater_destructor(updater);
	xsmcSetHostData(xsThis, NULL);
	xsmcSetHostDestructor(xsThis, NULL);
}
