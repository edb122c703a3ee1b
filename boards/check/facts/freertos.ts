/** What our C takes from ESP-IDF's FreeRTOS. */
import { call, choice, constant, header, macro, standIn, struct, type, typed } from "./fact.js";

export const FREERTOS = Object.freeze([
  header("freertos/FreeRTOS.h", ["freertos/idf_additions.h"], []),
  header("freertos/FreeRTOSConfig.h", [], [constant("portNUM_PROCESSORS", 2)]),
  header(
    "freertos/idf_additions.h",
    [
      "freertos/FreeRTOSConfig.h",
      "freertos/portmacro.h",
      "freertos/projdefs.h",
      "freertos/queue.h",
      "freertos/semphr.h",
      "freertos/task.h",
    ],
    [
      call(
        "xTaskCreatePinnedToCore",
        "BaseType_t (TaskFunction_t, const char *const, const uint32_t, void *const, UBaseType_t, TaskHandle_t *const, const BaseType_t)",
      ),
    ],
  ),
  header(
    "freertos/portmacro.h",
    ["esp_heap_caps.h", "esp_memory_utils.h", "esp_system.h"],
    [
      type("UBaseType_t", "unsigned int"),
      type("BaseType_t", "int"),
      type("TickType_t", "uint32_t"),
      typed("portMAX_DELAY", "TickType_t", 4294967295),
    ],
  ),
  header(
    "freertos/projdefs.h",
    [],
    [
      type("TaskFunction_t", "void (*)(void *)"),
      typed("pdFALSE", "BaseType_t", 0),
      typed("pdTRUE", "BaseType_t", 1),
      standIn("pdMS_TO_TICKS(ms)", "((TickType_t)(ms))"),
    ],
  ),
  header(
    "freertos/queue.h",
    [],
    [
      type("QueueHandle_t", "struct QueueDefinition *"),
      macro("xQueueSend(queue, item, ticks)", "xQueueGenericSend(queue, item, ticks, 0)"),
      call("xQueueGenericCreate", "QueueHandle_t (const UBaseType_t, const UBaseType_t, const uint8_t)"),
      call(
        "xQueueGenericSend",
        "BaseType_t (QueueHandle_t, const void *const, TickType_t, const BaseType_t)",
      ),
      call("xQueueReceive", "BaseType_t (QueueHandle_t, void *const, TickType_t)"),
      call("xQueueSemaphoreTake", "BaseType_t (QueueHandle_t, TickType_t)"),
    ],
  ),
  header(
    "freertos/semphr.h",
    [],
    [
      type("SemaphoreHandle_t", "QueueHandle_t"),
      macro("xSemaphoreCreateBinary()", "xQueueGenericCreate(1, 0, 3)"),
      macro("xSemaphoreGive(semaphore)", "xQueueGenericSend(semaphore, NULL, 0, 0)"),
      macro("xSemaphoreTake(semaphore, ticks)", "xQueueSemaphoreTake(semaphore, ticks)"),
    ],
  ),
  header(
    "freertos/task.h",
    [],
    [
      type("TaskHandle_t", "struct tskTaskControlBlock *"),
      choice("eNotifyAction", { eIncrement: 2 }),
      choice("eTaskState", { eRunning: 0 }),
      struct("struct xTASK_STATUS", 36, { ulRunTimeCounter: "uint32_t" }),
      type("TaskStatus_t", "struct xTASK_STATUS"),
      macro("ulTaskNotifyTake(clear, ticks)", "ulTaskGenericNotifyTake(0, clear, ticks)"),
      macro("xTaskNotifyGive(task)", "xTaskGenericNotify(task, 0, 0, eIncrement, NULL)"),
      call("ulTaskGenericNotifyTake", "uint32_t (UBaseType_t, BaseType_t, TickType_t)"),
      call("vTaskDelay", "void (TickType_t)"),
      call("vTaskGetInfo", "void (TaskHandle_t, TaskStatus_t *, BaseType_t, eTaskState)"),
      call(
        "xTaskCreate",
        "BaseType_t (TaskFunction_t, const char *const, const uint32_t, void *const, UBaseType_t, TaskHandle_t *const)",
      ),
      call(
        "xTaskGenericNotify",
        "BaseType_t (TaskHandle_t, UBaseType_t, uint32_t, eNotifyAction, uint32_t *)",
      ),
      call("xTaskGetCurrentTaskHandle", "TaskHandle_t (void)"),
    ],
  ),
]);
