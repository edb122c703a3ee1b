/* Stub, written for tests: what device/hosts/esp32 uses of esp_system, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_SYSTEM_H
#define STUB_ESP_SYSTEM_H

typedef enum {
	ESP_RST_UNKNOWN,
	ESP_RST_POWERON,
	ESP_RST_EXT,
	ESP_RST_SW,
	ESP_RST_PANIC,
	ESP_RST_INT_WDT,
	ESP_RST_TASK_WDT,
	ESP_RST_WDT,
	ESP_RST_DEEPSLEEP,
	ESP_RST_BROWNOUT,
} esp_reset_reason_t;

esp_reset_reason_t esp_reset_reason(void);
void esp_restart(void) __attribute__((noreturn));

#endif
