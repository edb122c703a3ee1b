/* Stub, written for tests: what device/hosts/esp32 uses of esp_app_format, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_APP_DESC_H
#define STUB_ESP_APP_DESC_H

typedef struct {
	char version[32];
	char project_name[32];
} esp_app_desc_t;

const esp_app_desc_t *esp_app_get_description(void);

#endif
