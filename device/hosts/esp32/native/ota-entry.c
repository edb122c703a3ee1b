/* Checksums, labels, and the choice of the valid entry (ota-entry.h). */
#include "ota-entry.h"

#include <string.h>

/* The start of the label. The number of the trial follows twice, the second time inverted. */
static const char MAGIC[12] = "svc-trial";

typedef struct {
	char magic[sizeof(MAGIC)];
	uint32_t trial, inverted;
} Label;

_Static_assert(sizeof(OtaEntry) == 32 && sizeof(Label) == OTA_LABEL_BYTES, "there is no padding");

/* zip's CRC-32 over the four bytes, but starting at 0, as in the boot loader. */
static uint32_t checksum_of(uint32_t sequence)
{
	uint32_t crc = sequence;
	for (int bit = 0; bit < 32; bit++)
		crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	return ~crc;
}

OtaEntry ota_entry_make(uint32_t sequence, uint32_t trial, OtaState state)
{
	OtaEntry entry = { .sequence = sequence, .state = state, .checksum = checksum_of(sequence) };
	Label label = { .trial = trial, .inverted = ~trial };
	memcpy(label.magic, MAGIC, sizeof(MAGIC));
	memcpy(entry.label, &label, sizeof(label));
	return entry;
}

bool ota_entry_is_whole(const OtaEntry *entry)
{
	return entry->sequence != UINT32_MAX && entry->checksum == checksum_of(entry->sequence);
}

static Label label_of(const OtaEntry *entry)
{
	Label label;
	memcpy(&label, entry->label, sizeof(label));
	return label;
}

bool ota_entry_is_labelled(const OtaEntry *entry)
{
	const Label label = label_of(entry);
	return memcmp(label.magic, MAGIC, sizeof(MAGIC)) == 0 && label.trial == ~label.inverted;
}

/* An entry that was torn while it was written is neither intact nor voided: it has never counted. */
uint32_t ota_entry_trial(const OtaEntry *entry)
{
	if (!ota_entry_is_whole(entry) && entry->checksum != 0)
		return 0;
	return ota_entry_is_labelled(entry) ? label_of(entry).trial : 0;
}

int ota_entry_slot(const OtaEntry *entry)
{
	return (entry->sequence - 1) % 2;
}

static bool counts(const OtaEntry *entry)
{
	return ota_entry_is_whole(entry) && entry->state != OTA_INVALID && entry->state != OTA_ABORTED;
}

int ota_entry_active(const OtaEntry entries[OTA_SECTORS])
{
	if (counts(&entries[0]) && counts(&entries[1]))
		return entries[0].sequence > entries[1].sequence ? 0 : 1;
	return counts(&entries[0]) ? 0 : counts(&entries[1]) ? 1 : -1;
}
