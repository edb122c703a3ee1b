/* One small file with a digest at its end (boot-record.h). */
#include "boot-record.h"

#include <string.h>

#include "storage.h"

/* As it is in the file. Both come from the same machine: its order of bytes will do. */
typedef struct {
	char magic[8];
	uint32_t trials;
	uint8_t confirmed, phase, lastEnd, reserved;
	uint8_t flashed[SHA256_BYTES];
	uint8_t digest[SHA256_BYTES];
} StoredRecord;

_Static_assert(sizeof(StoredRecord) == BOOT_RECORD_BYTES, "there is no padding");

static const char MAGIC[8] = { 'S', 'V', 'C', 'B', 'O', 'O', 'T', '1' };
static const char NEW_NAME[] = BOOT_RECORD_NAME ".new";

static void digest_of(const StoredRecord *stored, uint8_t digest[SHA256_BYTES])
{
	sha256_of(stored, offsetof(StoredRecord, digest), "", 0, digest);
}

void boot_record_encode(const BootRecord *record, uint8_t bytes[BOOT_RECORD_BYTES])
{
	StoredRecord stored = {
		.trials = record->trials,
		.confirmed = record->confirmed,
		.phase = record->phase,
		.lastEnd = record->lastEnd,
	};
	memcpy(stored.magic, MAGIC, sizeof(MAGIC));
	memcpy(stored.flashed, record->flashed, SHA256_BYTES);
	digest_of(&stored, stored.digest);
	memcpy(bytes, &stored, BOOT_RECORD_BYTES);
}

static bool is_whole(const StoredRecord *stored)
{
	uint8_t digest[SHA256_BYTES];
	digest_of(stored, digest);
	return memcmp(stored->magic, MAGIC, sizeof(MAGIC)) == 0 && memcmp(stored->digest, digest, SHA256_BYTES) == 0
		&& stored->confirmed <= SLOT_B && stored->phase < PHASES && stored->lastEnd < TRIAL_ENDS;
}

static BootRecord decode(const StoredRecord *stored)
{
	BootRecord record = { 0 };
	if (!is_whole(stored))
		return record;
	record = (BootRecord){ stored->trials, stored->confirmed, stored->phase, stored->lastEnd, { 0 } };
	memcpy(record.flashed, stored->flashed, SHA256_BYTES);
	return record;
}

BootRecord boot_record_load(void)
{
	StoredRecord stored = { 0 };
	StorageFile *file;
	if (storage_open(STORAGE_SLOTS, BOOT_RECORD_NAME, STORAGE_READ, &file) == 0) {
		if (storage_read(file, &stored, sizeof(stored), 0) != sizeof(stored))
			stored = (StoredRecord){ 0 };
		storage_close(file);
	}
	return decode(&stored);
}

int boot_record_save(const BootRecord *record)
{
	uint8_t bytes[BOOT_RECORD_BYTES];
	StorageFile *file;
	boot_record_encode(record, bytes);
	int error = storage_open(STORAGE_SLOTS, NEW_NAME, STORAGE_WRITE | STORAGE_EMPTY, &file);
	if (error)
		return error;
	error = storage_write(file, bytes, sizeof(bytes), 0);
	if (!error)
		error = storage_flush(file);
	storage_close(file);
	return error ? error : storage_rename(STORAGE_SLOTS, NEW_NAME, BOOT_RECORD_NAME);
}
