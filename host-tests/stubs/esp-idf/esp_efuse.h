/* Stub, written for tests: what device/hosts/esp32 uses of esp_efuse, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_EFUSE_H
#define STUB_ESP_EFUSE_H

#include <stdbool.h>

typedef struct esp_efuse_desc esp_efuse_desc_t;

bool esp_efuse_read_field_bit(const esp_efuse_desc_t *field[]);

#endif
