/* Stub, written for tests: what device/hosts/esp32 uses of esp_partition, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_PARTITION_H
#define STUB_ESP_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"

typedef enum { ESP_PARTITION_TYPE_APP = 0x00, ESP_PARTITION_TYPE_DATA = 0x01 } esp_partition_type_t;
typedef enum {
	ESP_PARTITION_SUBTYPE_DATA_OTA = 0x00,
	ESP_PARTITION_SUBTYPE_APP_OTA_0 = 0x10,
	ESP_PARTITION_SUBTYPE_APP_OTA_1 = 0x11,
	ESP_PARTITION_SUBTYPE_ANY = 0xFF,
} esp_partition_subtype_t;

typedef struct {
	esp_partition_type_t type;
	esp_partition_subtype_t subtype;
	uint32_t address;
	uint32_t size;
	uint32_t erase_size;
	char label[17];
} esp_partition_t;

const esp_partition_t *esp_partition_find_first(esp_partition_type_t type, esp_partition_subtype_t subtype,
	const char *label);
esp_err_t esp_partition_read(const esp_partition_t *partition, size_t offset, void *into, size_t size);
esp_err_t esp_partition_write(const esp_partition_t *partition, size_t offset, const void *from, size_t size);
esp_err_t esp_partition_erase_range(const esp_partition_t *partition, size_t offset, size_t size);

#endif
