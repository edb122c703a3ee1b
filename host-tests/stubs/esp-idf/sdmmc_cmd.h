/* Stub, written for tests: what device/hosts/esp32 uses of sdmmc, by its documentation; nothing of it runs. */
#ifndef STUB_SDMMC_CMD_H
#define STUB_SDMMC_CMD_H

#include "esp_err.h"

typedef struct sdmmc_card sdmmc_card_t;

esp_err_t sdmmc_get_status(sdmmc_card_t *card);

#endif
