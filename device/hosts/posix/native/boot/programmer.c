/* Writes slot and record without storage.h (programmer.h). If killed at any time, it leaves state that boots. */
#define _FILE_OFFSET_BITS 64
#include "programmer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot-record.h"
#include "options.h"
#include "slot-load.h"
#include "storage-volume.h"

static _Noreturn void fail(const char *verb, const char *path)
{
	fprintf(stderr, "console: cannot %s \"%s\": %s\n", verb, path, strerror(errno));
	exit(1);
}

static bool read_all(FILE *file, FirmwareImage *image)
{
	if (!file || fseeko(file, 0, SEEK_END) != 0)
		return false;
	off_t length = ftello(file);
	if (length < 0 || fseeko(file, 0, SEEK_SET) != 0)
		return false;
	if (length > SLOT_CAPACITY_BYTES) {
		errno = EFBIG;
		return false;
	}
	image->length = length;
	image->bytes = malloc(image->length + 1);		// malloc(0) may be NULL
	return image->bytes && fread(image->bytes, 1, image->length, file) == image->length;
}

static FirmwareImage read_file(const char *path)
{
	FirmwareImage image = { 0 };
	FILE *file = fopen(path, "rb");
	if (!read_all(file, &image))
		fail("read the image", path);
	fclose(file);
	if (!firmware_image_is_whole(&image)) {
		fprintf(stderr, "console: \"%s\" is not a whole firmware image\n", path);
		exit(1);
	}
	return image;
}

static bool write_all(int fd, const uint8_t *bytes, size_t length)
{
	while (length > 0) {
		ssize_t count = write(fd, bytes, length);
		if (count < 0 && errno != EINTR)
			return false;
		if (count > 0) {
			bytes += count;
			length -= count;
		}
	}
	return true;
}

/* Creates or overwrites a file of STORAGE_SLOTS. */
static void write_file(const char *name, const uint8_t *bytes, size_t length)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(storage_volume_root(STORAGE_SLOTS), name, flags, 0644);
	if (fd < 0 || !write_all(fd, bytes, length) || close(fd) != 0)
		fail("flash", name);
}

static void rename_file(const char *from, const char *to)
{
	int directory = storage_volume_root(STORAGE_SLOTS);
	if (renameat(directory, from, directory, to) != 0)
		fail("flash", to);
}

/* Replaces a file of STORAGE_SLOTS atomically. */
static void replace(const char *name, const uint8_t *bytes, size_t length)
{
	char newName[16];
	snprintf(newName, sizeof(newName), "%s.new", name);
	write_file(newName, bytes, length);
	rename_file(newName, name);
}

static void replace_record(BootRecord *record)
{
	uint8_t bytes[BOOT_RECORD_BYTES];
	int copies[BOOT_RECORD_COPIES];
	record->sequence = boot_record_order(copies);
	boot_record_encode(record, bytes);
	for (int index = 0; index < BOOT_RECORD_COPIES; index++)
		replace(boot_record_names[copies[index]], bytes, sizeof(bytes));
}

static bool can_run(Slot slot)
{
	LoadedSlot loaded = slot_load(slot, 0);
	firmware_image_free(&loaded.image);
	return loaded.verdict == SLOT_LOADED;
}

/* Drops a staged image or a trial, before the slot gets an image that has not been staged. */
static void settle(BootRecord *record)
{
	record->lastEnd = TRIAL_END_NONE;
	if (record->phase == PHASE_SETTLED)
		return;
	record->phase = PHASE_SETTLED;
	replace_record(record);
}

/* The seal is written before the slot and renamed after it: one of the two seals is valid at any time. */
static void replace_slot_a(const FirmwareImage *image, const SlotSeal *seal)
{
	uint8_t bytes[SLOT_SEAL_BYTES];
	char name[SLOT_SEAL_NAME_BYTES], newName[SLOT_SEAL_NAME_BYTES];
	slot_seal_encode(SLOT_A, seal, bytes);
	slot_seal_name(SLOT_A, false, name);
	slot_seal_name(SLOT_A, true, newName);
	write_file(newName, bytes, sizeof(bytes));
	replace(slot_name(SLOT_A), image->bytes, image->length);
	rename_file(newName, name);
}

void programmer_flash(const FirmwareImage *image, const char *name)
{
	BootRecord record = boot_record_load();
	SlotSeal seal = slot_seal_of_bytes(image);
	if (memcmp(seal.digest, record.flashed, SHA256_BYTES) == 0 && can_run(record.confirmed))
		return;
	settle(&record);
	seal.confirmation = record.sequence + 1;
	replace_slot_a(image, &seal);
	record.confirmed = SLOT_A;
	// The user with the cable owns the console and may go back to an older security version.
	record.securityVersion = seal.securityVersion;
	memcpy(record.flashed, seal.digest, SHA256_BYTES);
	replace_record(&record);
	fprintf(stderr, "console: flashed \"%s\" into slot %s\n", name, slot_name(SLOT_A));
}

void programmer_flash_file(const char *path)
{
	FirmwareImage image = read_file(path);
	programmer_flash(&image, path);
	firmware_image_free(&image);
}
