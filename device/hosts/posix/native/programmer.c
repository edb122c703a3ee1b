/* Writes slot and record past storage.h (programmer.h). Killed at any time, it leaves what boots. */
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
		fprintf(stderr, "console: \"%s\" is no firmware image that is whole\n", path);
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

/* Puts a file of STORAGE_SLOTS in the place of the one that is there. */
static void replace(const char *name, const uint8_t *bytes, size_t length)
{
	int directory = storage_volume_root(STORAGE_SLOTS);
	char newName[16];
	snprintf(newName, sizeof(newName), "%s.new", name);
	int fd = openat(directory, newName, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0 || !write_all(fd, bytes, length) || close(fd) != 0 || renameat(directory, newName, directory, name) != 0)
		fail("flash", name);
}

static void replace_record(const BootRecord *record)
{
	uint8_t bytes[BOOT_RECORD_BYTES];
	boot_record_encode(record, bytes);
	replace(BOOT_RECORD_NAME, bytes, sizeof(bytes));
}

static bool is_slot_whole(Slot slot)
{
	FirmwareImage image = slot_load(slot);
	bool isWhole = image.bytes != NULL;
	firmware_image_free(&image);
	return isWhole;
}

/* What is staged, or on trial, no longer is: before its slot gets an image that has not been staged. */
static void settle(BootRecord *record)
{
	record->lastEnd = TRIAL_END_NONE;
	if (record->phase == PHASE_SETTLED)
		return;
	record->phase = PHASE_SETTLED;
	replace_record(record);
}

void programmer_flash(const FirmwareImage *image, const char *name)
{
	BootRecord record = boot_record_load();
	uint8_t digest[SHA256_BYTES];
	sha256_of(image->bytes, image->length, "", 0, digest);
	if (memcmp(digest, record.flashed, SHA256_BYTES) == 0 && is_slot_whole(record.confirmed))
		return;
	settle(&record);
	replace(slot_name(SLOT_A), image->bytes, image->length);
	record.confirmed = SLOT_A;
	memcpy(record.flashed, digest, SHA256_BYTES);
	replace_record(&record);
	fprintf(stderr, "console: flashed \"%s\" into slot %s\n", name, slot_name(SLOT_A));
}

void programmer_flash_file(const char *path)
{
	FirmwareImage image = read_file(path);
	programmer_flash(&image, path);
	firmware_image_free(&image);
}
