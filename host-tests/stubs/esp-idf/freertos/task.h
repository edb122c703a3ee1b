/* Stub, written for tests: what device/hosts/esp32 uses of FreeRTOS's tasks, by its documentation; nothing of it runs. */
#ifndef STUB_FREERTOS_TASK_H
#define STUB_FREERTOS_TASK_H

#include "freertos/FreeRTOS.h"

typedef struct tskTaskControlBlock *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, uint32_t stack, void *parameters, UBaseType_t priority,
	TaskHandle_t *task);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
uint32_t ulTaskGetRunTimeCounter(TaskHandle_t task);
BaseType_t xTaskNotifyGive(TaskHandle_t task);
uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks);
void vTaskDelay(TickType_t ticks);

#endif
