/* Stub, written for tests: what device/hosts/esp32 uses of FreeRTOS's queues, by its documentation. */
#ifndef STUB_FREERTOS_QUEUE_H
#define STUB_FREERTOS_QUEUE_H

#include "freertos/FreeRTOS.h"

typedef struct QueueDefinition *QueueHandle_t;

BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks);
BaseType_t xQueueSend(QueueHandle_t queue, const void *item, TickType_t ticks);

#endif
