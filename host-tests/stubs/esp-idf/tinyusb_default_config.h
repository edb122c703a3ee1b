/* Stub, written for tests: what device/hosts/esp32 uses of esp_tinyusb's defaults, by its documentation; nothing of it runs. */
#ifndef STUB_TINYUSB_DEFAULT_CONFIG_H
#define STUB_TINYUSB_DEFAULT_CONFIG_H

#include "tinyusb.h"

#define TINYUSB_DEFAULT_CONFIG(callback) { .event_cb = (callback) }

#endif
