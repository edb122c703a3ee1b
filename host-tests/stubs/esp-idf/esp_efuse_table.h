/* Stub, written for tests: what device/hosts/esp32 uses of an ESP32-S3's eFuses, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_EFUSE_TABLE_H
#define STUB_ESP_EFUSE_TABLE_H

#include "esp_efuse.h"

extern const esp_efuse_desc_t *ESP_EFUSE_DIS_FORCE_DOWNLOAD[];
extern const esp_efuse_desc_t *ESP_EFUSE_DIS_DOWNLOAD_MODE[];

#endif
