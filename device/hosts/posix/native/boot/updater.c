/*
 * svc/firmware-slots: writes an image to the slot that is not running. The slot is emptied only after the record has
 * stopped naming it, and the record names it only after its content is safe.
 */
#include <stdlib.h>
#include <string.h>

#include "boot-record.h"
#include "boot.h"
#include "byte-arguments.h"
#include "machine.h"
#include "slot-seal.h"
#include "spent-trial.h"
#include "storage-error.h"
#include "storage.h"

typedef struct {
	StorageFile *file;
	int64_t length;
	bool isComplete;
} Updater;

/* The one that is writing; there is one at a time. */
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
		xsUnknownError("the other slot holds the firmware that the trial rolls back to");
	if (current)
		xsUnknownError("the other slot is being written");
	Updater *updater = calloc(1, sizeof(Updater));
	if (!updater)
		xsUnknownError("no memory");
	spent_trial_forget();
	int error = drop_staged(&record);
	if (!error)
		error = storage_open(STORAGE_SLOTS, name_of_other(), STORAGE_READ | STORAGE_WRITE | STORAGE_EMPTY, &updater->file);
	if (error) {
		free(updater);
		storage_throw(the, "empty slot", name_of_other(), error);
	}
	current = updater;
	xsmcSetHostData(xsThis, updater);
}

/* Throws unless the updater is still writing. */
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

/* isImage() */
void xs_updater_is_image(xsMachine *the)
{
	Updater *updater = updater_of(the);
	FirmwareImage image = { malloc(updater->length), updater->length };
	const bool isLong = updater->length >= FIRMWARE_IMAGE_HEADER_BYTES;
	const bool isRead = image.bytes && isLong
		&& storage_read(updater->file, image.bytes, image.length, 0) == (ssize_t)image.length;
	xsmcSetBoolean(xsResult, isRead && firmware_image_is_whole(&image));
	firmware_image_free(&image);
}

/* The image may be invalid; the boot loader will check it. */
static uint32_t security_version_of(Updater *updater)
{
	FirmwareImage header = { malloc(FIRMWARE_IMAGE_HEADER_BYTES), FIRMWARE_IMAGE_HEADER_BYTES };
	uint32_t securityVersion = 0;
	if (!header.bytes)
		abort();
	if (storage_read(updater->file, header.bytes, header.length, 0) == FIRMWARE_IMAGE_HEADER_BYTES)
		securityVersion = firmware_image_security_version(&header);
	firmware_image_free(&header);
	return securityVersion;
}

/*
 * complete(signature, publicKey): both from the bundle. Without them the slot gets no seal, and the boot loader will
 * not start its content.
 */
void xs_updater_complete(xsMachine *the)
{
	Updater *updater = updater_of(the);
	const bool isSigned = xsmcArgc > 1 && xsmcTypeOf(xsArg(0)) != xsUndefinedType;
	SlotSeal seal = {
		.kind = SEAL_SIGNED,
		.length = (uint32_t)updater->length,
		.securityVersion = security_version_of(updater),
	};
	if (isSigned) {
		memcpy(seal.signature, bytes_argument(the, &xsArg(0), SIGNATURE_BYTES), SIGNATURE_BYTES);
		memcpy(seal.publicKey, bytes_argument(the, &xsArg(1), PUBLIC_KEY_BYTES), PUBLIC_KEY_BYTES);
	}
	BootRecord record = boot_record_load();
	int error = storage_flush(updater->file);
	if (!error && isSigned)
		error = slot_seal_save(slot_other(boot_slot()), &seal);
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

void xs_updater_close(xsMachine *the)
{
	Updater *updater = machine_detach(the, xs_updater_destructor);
	if (!updater)
		return;
	// If the slot cannot be emptied, its content still never boots: the record does not name it.
	if (!updater->isComplete && updater->length > 0)
		(void)storage_set_size(updater->file, 0);
	xs_updater_destructor(updater);
}
