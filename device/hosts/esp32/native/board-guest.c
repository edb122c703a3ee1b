/*
 * The engine's platform on the board (device/wasm/native/guest-platform.h). Threads of apps have their stacks in
 * PSRAM, because the chip's own memory is too small: so they must not access the flash, which only the machine's task
 * may.
 */
#include "guest-platform.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "esp_heap_caps.h"
#include "esp_idf_version.h"
#include "esp_pthread.h"
#include "esp_random.h"
#include "esp_timer.h"
#include "event-loop.h"
#include "machine.h"

/* Below the machine's task, which the Moddable SDK starts with 4, and above the idle task. */
enum { APP_PRIORITY = 2 };

/*
 * Some releases of ESP-IDF lack this function. They wait by the wall clock, which here is the time since the start: it
 * is never set, and it starts at 0 (sdkconfig.defaults).
 */
__attribute__((weak)) int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
	(void)attributes, (void)clock;
	return 0;
}

int64_t guest_platform_uptime_ms(void)
{
	return esp_timer_get_time() / 1000;
}

bool guest_platform_random(void *bytes, size_t length)
{
	esp_fill_random(bytes, length);
	return true;
}

/*
 * The configuration holds for all threads that this thread creates later: the machine's task creates no others. Before 5.3
 * ESP-IDF cannot be told where a thread's stack is.
 */
int guest_platform_start_thread(pthread_t *thread, size_t stackBytes, void *(*run)(void *), void *context)
{
	esp_pthread_cfg_t options = esp_pthread_get_default_config();
	options.stack_size = stackBytes;
#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(5, 3, 0)
	options.stack_alloc_caps = MALLOC_CAP_SPIRAM | MALLOC_CAP_8BIT;
#endif
	options.prio = APP_PRIORITY;
	options.thread_name = "app";
	return esp_pthread_set_cfg(&options) == ESP_OK ? pthread_create(thread, NULL, run, context) : EAGAIN;
}

/* FreeRTOS names tasks when they are created; the priority is that of guest_platform_start_thread. */
void guest_platform_enter_thread(const char *name)
{
	(void)name;
}

/* A FreeRTOS mutex gives its holder the waiter's priority, and wakes the waiter with the highest priority. */
void guest_platform_init_mutex(pthread_mutex_t *mutex)
{
	if (pthread_mutex_init(mutex, NULL) != 0)
		abort();
}

void guest_platform_post(void (*callback)(void *context), void *context)
{
	event_loop_post(callback, context);
}

void guest_platform_end_turn(xsMachine *the)
{
	(void)the;
	machine_end_turn();
}
