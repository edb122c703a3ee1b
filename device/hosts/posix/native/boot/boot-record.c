/* Two small files, each with a checksum and a code at its end (boot-record.h). */
#include "boot-record.h"

#include <stdio.h>
#include <string.h>

#include "crc32.h"
#include "device-secret.h"
#include "storage.h"

/* The file format. The same machine writes and reads it, so host byte order is used. */
typedef struct {
	char magic[8];
	uint32_t sequence, trials, securityVersion;
	uint8_t confirmed, phase, lastEnd, outsideCrashes;
	uint8_t flashed[SHA256_BYTES];
	uint32_t checksum;
	uint8_t code[DEVICE_MAC_BYTES];
} StoredRecord;

_Static_assert(sizeof(StoredRecord) == BOOT_RECORD_BYTES, "there is no padding");

const char *const boot_record_names[BOOT_RECORD_COPIES] = { "boot.a", "boot.b" };

static const char MAGIC[8] = { 'S', 'V', 'C', 'B', 'O', 'O', 'T', '1' };
static const char PURPOSE[] = "svc boot record";

void boot_record_encode(const BootRecord *record, uint8_t bytes[BOOT_RECORD_BYTES])
{
	StoredRecord stored = {
		.sequence = record->sequence,
		.trials = record->trials,
		.securityVersion = record->securityVersion,
		.confirmed = record->confirmed,
		.phase = record->phase,
		.lastEnd = record->lastEnd,
		.outsideCrashes = record->outsideCrashes,
	};
	memcpy(stored.magic, MAGIC, sizeof(MAGIC));
	memcpy(stored.flashed, record->flashed, SHA256_BYTES);
	stored.checksum = crc32_update(0, &stored, offsetof(StoredRecord, checksum));
	device_secret_authenticate(PURPOSE, &stored, offsetof(StoredRecord, code), stored.code);
	memcpy(bytes, &stored, BOOT_RECORD_BYTES);
}

static bool holds(const StoredRecord *stored)
{
	return memcmp(stored->magic, MAGIC, sizeof(MAGIC)) == 0
		&& stored->checksum == crc32_update(0, stored, offsetof(StoredRecord, checksum))
		&& device_secret_holds(PURPOSE, stored, offsetof(StoredRecord, code), stored->code)
		&& stored->confirmed <= SLOT_B && stored->phase < PHASES && stored->lastEnd < TRIAL_ENDS;
}

static bool read_copy(int copy, StoredRecord *stored)
{
	StorageFile *file;
	if (storage_open(STORAGE_SLOTS, boot_record_names[copy], STORAGE_READ, &file) != 0)
		return false;
	const bool isRead = storage_read(file, stored, sizeof(*stored), 0) == sizeof(*stored);
	storage_close(file);
	return isRead && holds(stored);
}

static BootRecord decode(const StoredRecord *stored)
{
	BootRecord record = {
		.sequence = stored->sequence,
		.trials = stored->trials,
		.securityVersion = stored->securityVersion,
		.confirmed = stored->confirmed,
		.phase = stored->phase,
		.lastEnd = stored->lastEnd,
		.outsideCrashes = stored->outsideCrashes,
	};
	memcpy(record.flashed, stored->flashed, SHA256_BYTES);
	return record;
}

bool boot_record_find(BootRecord *record)
{
	StoredRecord stored;
	bool isFound = false;
	*record = (BootRecord){ 0 };
	for (int copy = 0; copy < BOOT_RECORD_COPIES; copy++) {
		if (!read_copy(copy, &stored) || (isFound && stored.sequence <= record->sequence))
			continue;
		*record = decode(&stored);
		isFound = true;
	}
	return isFound;
}

BootRecord boot_record_load(void)
{
	BootRecord record;
	(void)boot_record_find(&record);
	return record;
}

uint32_t boot_record_order(int copies[BOOT_RECORD_COPIES])
{
	StoredRecord stored;
	uint32_t sequences[BOOT_RECORD_COPIES];
	for (int copy = 0; copy < BOOT_RECORD_COPIES; copy++)
		sequences[copy] = read_copy(copy, &stored) ? stored.sequence : 0;
	const int older = sequences[0] <= sequences[1] ? 0 : 1;
	copies[0] = older;
	copies[1] = !older;
	return sequences[!older] + 1;
}

/* Atomic, as far as the file system guarantees it; otherwise the other copy is intact. */
static int write_copy(int copy, const uint8_t bytes[BOOT_RECORD_BYTES])
{
	char newName[16];
	StorageFile *file;
	snprintf(newName, sizeof(newName), "%s.new", boot_record_names[copy]);
	int error = storage_open(STORAGE_SLOTS, newName, STORAGE_WRITE | STORAGE_EMPTY, &file);
	if (error)
		return error;
	error = storage_write(file, bytes, BOOT_RECORD_BYTES, 0);
	if (!error)
		error = storage_flush(file);
	storage_close(file);
	return error ? error : storage_rename(STORAGE_SLOTS, newName, boot_record_names[copy]);
}

int boot_record_save(const BootRecord *record)
{
	uint8_t bytes[BOOT_RECORD_BYTES];
	int copies[BOOT_RECORD_COPIES];
	BootRecord next = *record;
	next.sequence = boot_record_order(copies);
	boot_record_encode(&next, bytes);
	int error = write_copy(copies[0], bytes);
	if (!error)
		(void)write_copy(copies[1], bytes);		// the record is valid already; the next change writes this copy first
	return error;
}
