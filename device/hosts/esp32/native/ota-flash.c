/*
 * The partition `otadata` and, for the notes, NVS (ota-flash.h). Only this file writes them while the program runs:
 * esp_ota_ops would write its own entries and erase what must be kept.
 */
#include "ota-flash.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "esp_partition.h"
#include "nvs.h"

enum { SECTOR_BYTES = 4096 };

static const char NAMESPACE[] = "svc-slots", KEY[] = "notes";

static const esp_partition_t *partition(void)
{
	return esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_DATA_OTA, NULL);
}

OtaEntry ota_flash_read(int sector)
{
	OtaEntry entry;
	if (esp_partition_read(partition(), sector * SECTOR_BYTES, &entry, sizeof(entry)) != ESP_OK)
		memset(&entry, 0xFF, sizeof(entry));
	return entry;
}

int ota_flash_erase(int sector)
{
	return esp_partition_erase_range(partition(), sector * SECTOR_BYTES, SECTOR_BYTES) == ESP_OK ? 0 : -EIO;
}

int ota_flash_write(int sector, const OtaEntry *entry)
{
	return esp_partition_write(partition(), sector * SECTOR_BYTES, entry, sizeof(*entry)) == ESP_OK ? 0 : -EIO;
}

int ota_flash_label(int sector, const OtaEntry *entry)
{
	const size_t at = sector * SECTOR_BYTES + offsetof(OtaEntry, label);
	return esp_partition_write(partition(), at, entry->label, sizeof(entry->label)) == ESP_OK ? 0 : -EIO;
}

int ota_flash_void(int sector)
{
	const uint32_t none = 0;
	const size_t at = sector * SECTOR_BYTES + offsetof(OtaEntry, checksum);
	return esp_partition_write(partition(), at, &none, sizeof(none)) == ESP_OK ? 0 : -EIO;
}

OtaNotes ota_notes_load(void)
{
	OtaNotes notes = { 0 };
	size_t length = sizeof(notes);
	nvs_handle_t handle;
	if (nvs_open(NAMESPACE, NVS_READONLY, &handle) != ESP_OK)
		return notes;
	if (nvs_get_blob(handle, KEY, &notes, &length) != ESP_OK || length != sizeof(notes))
		memset(&notes, 0, sizeof(notes));
	nvs_close(handle);
	return notes;
}

int ota_notes_save(const OtaNotes *notes)
{
	nvs_handle_t handle;
	if (nvs_open(NAMESPACE, NVS_READWRITE, &handle) != ESP_OK)
		return -EIO;
	esp_err_t error = nvs_set_blob(handle, KEY, notes, sizeof(*notes));
	if (error == ESP_OK)
		error = nvs_commit(handle);
	nvs_close(handle);
	return error == ESP_OK ? 0 : -EIO;
}
