/* Stub, written for tests: what device/hosts/esp32 uses of esp_event, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_EVENT_H
#define STUB_ESP_EVENT_H

#include <stdint.h>

#include "esp_err.h"

typedef const char *esp_event_base_t;
typedef void (*esp_event_handler_t)(void *handler_arg, esp_event_base_t base, int32_t id, void *data);
enum { ESP_EVENT_ANY_ID = -1 };

esp_err_t esp_event_loop_create_default(void);
esp_err_t esp_event_handler_register(esp_event_base_t base, int32_t id, esp_event_handler_t handler, void *arg);
esp_err_t esp_event_handler_unregister(esp_event_base_t base, int32_t id, esp_event_handler_t handler);

#endif
