/* Stub, written for tests: what boards/esp-idf uses of its watchdog, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_TASK_WDT_H
#define STUB_ESP_TASK_WDT_H

#include "esp_err.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

esp_err_t esp_task_wdt_add(TaskHandle_t task_handle);
esp_err_t esp_task_wdt_reset(void);

#endif
