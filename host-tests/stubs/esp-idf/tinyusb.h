/* Stub, written for tests: what device/hosts/esp32 uses of esp_tinyusb, by its documentation; nothing of it runs. */
#ifndef STUB_TINYUSB_H
#define STUB_TINYUSB_H

#include <stdint.h>

#include "esp_err.h"

typedef enum { TINYUSB_EVENT_ATTACHED, TINYUSB_EVENT_DETACHED } tinyusb_event_id_t;
typedef struct { tinyusb_event_id_t id; uint8_t rhport; } tinyusb_event_t;
typedef void (*tinyusb_event_cb_t)(tinyusb_event_t *event, void *arg);
typedef struct { tinyusb_event_cb_t event_cb; void *event_arg; } tinyusb_config_t;

esp_err_t tinyusb_driver_install(const tinyusb_config_t *config);

#endif
