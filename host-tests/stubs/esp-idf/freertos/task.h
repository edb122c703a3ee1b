/* Stub, written for tests: what device/hosts/esp32 uses of FreeRTOS's tasks, by its documentation; nothing of it runs. */
#ifndef STUB_FREERTOS_TASK_H
#define STUB_FREERTOS_TASK_H

#include "freertos/FreeRTOS.h"

typedef struct tskTaskControlBlock *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);

/* With CONFIG_FREERTOS_USE_TRACE_FACILITY; the counter with CONFIG_FREERTOS_GENERATE_RUN_TIME_STATS and _TYPE_U32. */
typedef enum { eRunning, eReady, eBlocked, eSuspended, eDeleted, eInvalid } eTaskState;
typedef struct {
	uint32_t ulRunTimeCounter;
} TaskStatus_t;
void vTaskGetInfo(TaskHandle_t task, TaskStatus_t *facts, BaseType_t getsFreeStackSpace, eTaskState state);

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, uint32_t stack, void *parameters, UBaseType_t priority,
	TaskHandle_t *task);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
BaseType_t xTaskNotifyGive(TaskHandle_t task);
uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks);
void vTaskDelay(TickType_t ticks);

#endif
