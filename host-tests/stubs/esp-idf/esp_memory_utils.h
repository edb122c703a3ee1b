/* Stub, written for tests: what device/hosts/esp32 uses of esp_hw_support, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_MEMORY_UTILS_H
#define STUB_ESP_MEMORY_UTILS_H

#include <stdbool.h>

bool esp_ptr_external_ram(const void *pointer);

#endif
