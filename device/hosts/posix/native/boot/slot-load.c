/* Reads a slot and checks it step by step (slot-load.h). */
#include "slot-load.h"

#include <stdio.h>
#include <stdlib.h>

#include "event-loop.h"
#include "storage.h"

/* Reads only the image: bytes that an upload appended to it take no memory. */
static FirmwareImage read_image(StorageFile *file)
{
	uint8_t header[FIRMWARE_IMAGE_HEADER_BYTES];
	if (storage_read(file, header, sizeof(header), 0) != sizeof(header))
		return (FirmwareImage){ 0 };
	const uint64_t length = firmware_image_length(header);
	if (length == 0 || length > (uint64_t)storage_size(file) || length > SLOT_CAPACITY_BYTES)
		return (FirmwareImage){ 0 };
	FirmwareImage image = { malloc((size_t)length), (size_t)length };
	if (!image.bytes)
		abort();
	if (storage_read(file, image.bytes, image.length, 0) == (ssize_t)image.length && firmware_image_is_whole(&image))
		return image;
	firmware_image_free(&image);
	return image;
}

/* A new seal that is not renamed yet counts, too: flashing may have been interrupted between slot and seal. */
static bool find_seal(Slot slot, const SlotBytes *bytes, SlotSeal *seal)
{
	return (slot_seal_load(slot, false, seal) && slot_seal_holds(seal, bytes))
		|| (slot_seal_load(slot, true, seal) && slot_seal_holds(seal, bytes));
}

static void print_figures(Slot slot, double wholeMs, double sealMs)
{
	if (getenv("SVC_SIM_BOOT_FIGURES"))
		fprintf(stderr, "console: slot %s: checksum in %.2f ms, signature in %.2f ms\n", slot_name(slot), wholeMs, sealMs);
}

static SlotVerdict check_slot(Slot slot, StorageFile *file, uint32_t securityVersion, LoadedSlot *loaded)
{
	const double began = event_loop_now();
	loaded->image = read_image(file);
	if (!loaded->image.bytes)
		return SLOT_IS_NOT_WHOLE;
	const double whole = event_loop_now();
	const bool isVerified = find_seal(slot, &(SlotBytes){ &loaded->image, file }, &loaded->seal);
	print_figures(slot, whole - began, event_loop_now() - whole);
	if (!isVerified)
		return SLOT_IS_NOT_VERIFIED;
	return firmware_image_security_version(&loaded->image) < securityVersion ? SLOT_IS_TOO_OLD : SLOT_LOADED;
}

LoadedSlot slot_load(Slot slot, uint32_t securityVersion)
{
	LoadedSlot loaded = { .verdict = SLOT_IS_NOT_WHOLE };
	StorageFile *file;
	if (storage_open(STORAGE_SLOTS, slot_name(slot), STORAGE_READ, &file) == 0) {
		loaded.verdict = check_slot(slot, file, securityVersion, &loaded);
		storage_close(file);
	}
	if (loaded.verdict != SLOT_LOADED)
		firmware_image_free(&loaded.image);
	return loaded;
}

const char *slot_verdict_text(SlotVerdict verdict)
{
	switch (verdict) {
	case SLOT_IS_NOT_VERIFIED: return "is not what was verified for it";
	case SLOT_IS_TOO_OLD: return "is below the security version that was confirmed";
	default: return "is not whole";
	}
}
