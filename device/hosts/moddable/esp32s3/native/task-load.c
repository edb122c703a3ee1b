/*
 * Samples of FreeRTOS's run-time counter, which counts microseconds here (task-load.h, sdkconfig.defaults). The kernels of
 * ESP-IDF 5 and 6 give a task's counter with its other facts only.
 */
#include "task-load.h"

#include <pthread.h>

#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "load-window.h"

static const uint64_t PERIOD_US = 500000;

static TaskHandle_t task;
static LoadWindow window;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void task_load_of_this_task(void)
{
	task = xTaskGetCurrentTaskHandle();
}

static void sample(void *context)
{
	(void)context;
	TaskStatus_t facts;
	vTaskGetInfo(task, &facts, pdFALSE, eRunning);		// neither its unused stack nor its state, which take a search
	const uint32_t busy = facts.ulRunTimeCounter, now = (uint32_t)esp_timer_get_time();
	pthread_mutex_lock(&lock);
	load_window_add(&window, busy, now);
	pthread_mutex_unlock(&lock);
}

void task_load_watch(void)
{
	static esp_timer_handle_t timer;
	const esp_timer_create_args_t options = { .callback = sample, .name = "load" };
	if (esp_timer_create(&options, &timer) == ESP_OK)
		(void)esp_timer_start_periodic(timer, PERIOD_US);
}

int task_load_percent(void)
{
	pthread_mutex_lock(&lock);
	int percent = load_window_percent(&window);
	pthread_mutex_unlock(&lock);
	return percent;
}
