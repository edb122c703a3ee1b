/* Stub, written for tests: what device/hosts/esp32 uses of FreeRTOS's semaphores, by its documentation; nothing of it runs. */
#ifndef STUB_FREERTOS_SEMPHR_H
#define STUB_FREERTOS_SEMPHR_H

#include "freertos/FreeRTOS.h"

typedef struct QueueDefinition *SemaphoreHandle_t;

SemaphoreHandle_t xSemaphoreCreateBinary(void);
BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore);
BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks);

#endif
