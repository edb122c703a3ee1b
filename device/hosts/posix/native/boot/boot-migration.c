/*
 * Writes seals and record first, then the secret. If power is cut before the secret is stored, the codes are invalid,
 * and the migration runs again. Once there is a secret, a record of 0.1.0 is ignored (boot-migration.h).
 */
#include "boot-migration.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot-record.h"
#include "device-secret.h"
#include "slot-load.h"
#include "storage.h"

#define OLD_NAME "boot"

/* The record of 0.1.0. The same machine writes and reads it, so host byte order is used. */
typedef struct {
	char magic[8];
	uint32_t trials;
	uint8_t confirmed, phase, lastEnd, reserved;
	uint8_t flashed[SHA256_BYTES];
	uint8_t digest[SHA256_BYTES];
} OldRecord;

_Static_assert(sizeof(OldRecord) == 80, "there is no padding");

static bool is_whole(const OldRecord *old)
{
	uint8_t digest[SHA256_BYTES];
	sha256_of(old, offsetof(OldRecord, digest), "", 0, digest);
	return memcmp(old->magic, "SVCBOOT1", sizeof(old->magic)) == 0 && memcmp(old->digest, digest, SHA256_BYTES) == 0
		&& old->confirmed <= SLOT_B && old->phase < PHASES && old->lastEnd < TRIAL_ENDS;
}

/* The settled record for slot a, without trials, if there is no valid record: as in 0.1.0. */
static BootRecord load_old(void)
{
	OldRecord old = { 0 };
	StorageFile *file;
	BootRecord record = { 0 };
	if (storage_open(STORAGE_SLOTS, OLD_NAME, STORAGE_READ, &file) != 0)
		return record;
	if (storage_read(file, &old, sizeof(old), 0) == sizeof(old) && is_whole(&old)) {
		record = (BootRecord){
			.trials = old.trials,
			.confirmed = old.confirmed,
			.phase = old.phase,
			.lastEnd = old.lastEnd,
		};
		memcpy(record.flashed, old.flashed, SHA256_BYTES);
	}
	storage_close(file);
	return record;
}

static void require(int error)
{
	if (error == 0)
		return;
	fprintf(stderr, "console: cannot migrate the boot record: %s\n", strerror(-error));
	exit(1);
}

/* @returns whether there is an image in the slot */
static bool adopt(Slot slot, uint32_t confirmation)
{
	FirmwareImage image = slot_load_image(slot);
	const bool isFound = image.bytes != NULL;
	if (isFound) {
		SlotSeal seal = slot_seal_of_bytes(SEAL_ADOPTED, &image);
		seal.confirmation = confirmation;
		require(slot_seal_save(slot, &seal));
	}
	firmware_image_free(&image);
	return isFound;
}

void boot_migrate(void)
{
	if (device_secret_open())
		return;
	const BootRecord record = load_old();
	bool isFound = adopt(record.confirmed, 1);
	// 0.1.0 had verified a staged image. An image that it had rolled back cannot be distinguished from a broken
	// upload.
	if (record.phase != PHASE_SETTLED)
		isFound |= adopt(slot_other(record.confirmed), 0);
	if (isFound)
		require(boot_record_save(&record));
	device_secret_keep();
	if (isFound)
		(void)storage_delete(STORAGE_SLOTS, OLD_NAME);
}
