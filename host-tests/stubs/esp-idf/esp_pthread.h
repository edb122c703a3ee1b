/* Stub, written for tests: what device/hosts/esp32 uses of pthread, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_PTHREAD_H
#define STUB_ESP_PTHREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"

typedef struct {
	size_t stack_size;
	size_t prio;
	bool inherit_cfg;
	const char *thread_name;
	int pin_to_core;
	uint32_t stack_alloc_caps;
} esp_pthread_cfg_t;

esp_pthread_cfg_t esp_pthread_get_default_config(void);
esp_err_t esp_pthread_set_cfg(const esp_pthread_cfg_t *cfg);

#endif
