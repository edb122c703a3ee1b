/*
 * svc/firmware-slots: writes an image to the slot that is not running.
 *
 * Sectors are erased as the image reaches them: erasing 4 MiB at once would take longer than the watchdog's timeout.
 * The image's first bytes are written last, when the image is complete and its signature is valid. Until then no boot
 * loader takes the slot's content for an image: ESP-IDF's boot loader tries the other slot if the confirmed one is
 * damaged.
 */
#include "updater.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "esp_image_format.h"
#include "esp_ota_ops.h"
#include "machine.h"
#include "ota-record.h"
#include "slot-partition.h"
#include "start.h"
#include "storage-error.h"

enum { SECTOR_BYTES = 4096, HEAD_BYTES = 16 };

typedef struct {
	const esp_partition_t *partition;
	uint32_t length;
	uint32_t erased;			/* bytes erased, from the start */
	uint8_t head[HEAD_BYTES];	/* held back until the image is complete */
	bool isComplete;
} Updater;

/* The one that is writing; there is one at a time. */
static Updater *current;

const esp_partition_t *slot_partition_other(void)
{
	return esp_ota_get_next_update_partition(NULL);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t updater_byte_length(void)
{
	if (current)
		return current->length;
	uint8_t first = UINT8_MAX;
	const esp_partition_t *partition = slot_partition_other();
	(void)esp_partition_read(partition, 0, &first, sizeof(first));
	return first == ESP_IMAGE_HEADER_MAGIC ? partition->size : 0;
}

bool updater_read(void *into, uint32_t length, uint32_t offset)
{
	if (esp_partition_read(slot_partition_other(), offset, into, length) != ESP_OK)
		return false;
	if (current && offset < HEAD_BYTES)
		memcpy(into, current->head + offset, smaller(length, HEAD_BYTES - offset));
	return true;
}

void xs_updater_destructor(void *data)
{
	if (current == data)
		current = NULL;
	free(data);
}

void xs_updater_constructor(xsMachine *the)
{
	const SlotRecord record = ota_record_now(start_slot());
	if (record.phase == PHASE_TRIAL)
		xsUnknownError("the other slot holds the firmware that the trial rolls back to");
	if (current)
		xsUnknownError("the other slot is being written");
	const esp_partition_t *partition = slot_partition_other();
	Updater *updater = calloc(1, sizeof(Updater));
	if (!updater)
		xsUnknownError("no memory");
	updater->partition = partition;
	updater->erased = SECTOR_BYTES;
	// The record first: an erased slot must not be the one that boots next.
	if (ota_record_drop(start_slot()) != 0 || esp_partition_erase_range(partition, 0, SECTOR_BYTES) != ESP_OK) {
		free(updater);
		xsUnknownError("cannot empty the other slot");
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

static bool erase_up_to(Updater *updater, uint32_t end)
{
	while (updater->erased < end) {
		if (esp_partition_erase_range(updater->partition, updater->erased, SECTOR_BYTES) != ESP_OK)
			return false;
		updater->erased += SECTOR_BYTES;
	}
	return true;
}

/* updater.write(bytes) */
void xs_updater_write(xsMachine *the)
{
	Updater *updater = updater_of(the);
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &data, &length);
	const uint8_t *bytes = data;
	if (length > updater->partition->size - updater->length)
		xsUnknownError("the slot is full");
	const uint32_t held = updater->length < HEAD_BYTES ? smaller(length, HEAD_BYTES - updater->length) : 0;
	const uint32_t at = updater->length + held;
	if (!erase_up_to(updater, updater->length + length)
			|| esp_partition_write(updater->partition, at, bytes + held, length - held) != ESP_OK)
		xsUnknownError("cannot write the other slot");
	memcpy(updater->head + smaller(updater->length, HEAD_BYTES), bytes, held);
	updater->length += length;
}

/* Whether the boot loader would accept it. */
static bool is_image(const esp_partition_t *partition)
{
	const esp_partition_pos_t position = { .offset = partition->address, .size = partition->size };
	esp_image_metadata_t metadata;
	return esp_image_verify(ESP_IMAGE_VERIFY_SILENT, &position, &metadata) == ESP_OK;
}

/* isImage(): whether it is one shows in complete(), once the head is in its place. */
void xs_updater_is_image(xsMachine *the)
{
	xsmcSetUndefined(xsResult);
}

void xs_updater_complete(xsMachine *the)
{
	Updater *updater = updater_of(the);
	if (esp_partition_write(updater->partition, 0, updater->head, HEAD_BYTES) != ESP_OK)
		xsUnknownError("cannot write the other slot");
	if (!is_image(updater->partition))
		storage_throw(the, "boot", "the other slot", -EBADMSG);
	if (ota_record_stage(start_slot()) != 0)
		xsUnknownError("cannot stage the other slot");
	updater->isComplete = true;
	current = NULL;
}

void xs_updater_close(xsMachine *the)
{
	Updater *updater = machine_detach(the, xs_updater_destructor);
	if (!updater)
		return;
	// If the slot cannot be emptied, its content still never boots: its head is missing, and the record does not name it.
	if (!updater->isComplete)
		(void)esp_partition_erase_range(updater->partition, 0, SECTOR_BYTES);
	xs_updater_destructor(updater);
}
