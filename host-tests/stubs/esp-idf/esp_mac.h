/* Stub, written for tests: what device/hosts/esp32 uses of esp_hw_support's addresses, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_MAC_H
#define STUB_ESP_MAC_H

#include <stdint.h>

#include "esp_err.h"

typedef enum { ESP_MAC_WIFI_STA, ESP_MAC_ETH = 3 } esp_mac_type_t;

esp_err_t esp_read_mac(uint8_t *mac, esp_mac_type_t type);

#endif
