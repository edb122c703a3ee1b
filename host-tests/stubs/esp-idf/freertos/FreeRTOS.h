/* Stub, written for tests: what device/hosts/esp32 uses of FreeRTOS, by its documentation; nothing of it runs. */
#ifndef STUB_FREERTOS_FREERTOS_H
#define STUB_FREERTOS_FREERTOS_H

#include <stdint.h>

typedef uint32_t TickType_t;
typedef int BaseType_t;
typedef unsigned int UBaseType_t;
#define portMAX_DELAY UINT32_MAX
#define portNUM_PROCESSORS 2
#define pdTRUE 1
#define pdFALSE 0
#define pdMS_TO_TICKS(milliseconds) ((TickType_t)(milliseconds))

#endif
