/* Stub, written for tests: what boards/esp-idf uses of nvs_flash, by its documentation; nothing of it runs. */
#ifndef STUB_NVS_FLASH_H
#define STUB_NVS_FLASH_H

#include "esp_err.h"

esp_err_t nvs_flash_init(void);

#endif
