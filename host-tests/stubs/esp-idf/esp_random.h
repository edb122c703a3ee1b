/* Stub, written for tests: what device/hosts/esp32 uses of esp_hw_support's random numbers, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_RANDOM_H
#define STUB_ESP_RANDOM_H

#include <stddef.h>

void esp_fill_random(void *buf, size_t len);

#endif
