/* Stub, written for tests: what device/hosts/esp32 uses of ESP-IDF's errors, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ERR_H
#define STUB_ESP_ERR_H

#include <assert.h>
#include <stdint.h>

typedef int esp_err_t;
enum { ESP_OK = 0, ESP_FAIL = -1, ESP_ERR_NO_MEM = 0x101, ESP_ERR_NOT_FOUND = 0x105 };
const char *esp_err_to_name(esp_err_t code);
#define ESP_ERROR_CHECK(call) assert((call) == ESP_OK)

#endif
