/* Reads as much of a slot as its image says that it has (slot.h). */
#include "slot.h"

#include <stdlib.h>

#include "storage.h"

Slot slot_other(Slot slot)
{
	return slot == SLOT_A ? SLOT_B : SLOT_A;
}

const char *slot_name(Slot slot)
{
	return slot == SLOT_A ? "a" : "b";
}

static FirmwareImage read_image(StorageFile *file)
{
	uint8_t header[FIRMWARE_IMAGE_HEADER_BYTES];
	if (storage_read(file, header, sizeof(header), 0) != sizeof(header))
		return (FirmwareImage){ 0 };
	const uint64_t length = firmware_image_length(header);
	if (length == 0 || (int64_t)length > storage_size(file))
		return (FirmwareImage){ 0 };
	FirmwareImage image = { malloc(length), length };
	if (!image.bytes)
		abort();
	if (storage_read(file, image.bytes, image.length, 0) == (ssize_t)image.length && firmware_image_is_whole(&image))
		return image;
	firmware_image_free(&image);
	return image;
}

FirmwareImage slot_load(Slot slot)
{
	StorageFile *file;
	if (storage_open(STORAGE_SLOTS, slot_name(slot), STORAGE_READ, &file) != 0)
		return (FirmwareImage){ 0 };
	FirmwareImage image = read_image(file);
	storage_close(file);
	return image;
}
