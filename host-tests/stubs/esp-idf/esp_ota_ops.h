/* Stub, written for tests: what device/hosts/esp32 uses of app_update, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_OTA_OPS_H
#define STUB_ESP_OTA_OPS_H

#include "esp_partition.h"

const esp_partition_t *esp_ota_get_running_partition(void);
const esp_partition_t *esp_ota_get_next_update_partition(const esp_partition_t *start);

#endif
