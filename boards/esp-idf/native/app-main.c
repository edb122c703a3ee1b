/*
 * The console as an application of ESP-IDF: the boot loader has started this image, FreeRTOS calls app_main. The machine
 * runs in a thread of its own, whose stack XS knows (c-stack.c), and turns the event loop for ever.
 */
#include <pthread.h>
#include <stdlib.h>

#include "board-config.h"
#include "c-stack.h"
#include "esp_heap_caps.h"
#include "esp_log.h"
#include "esp_pthread.h"
#include "esp_task_wdt.h"
#include "esp_vfs_eventfd.h"
#include "event-loop.h"
#include "machine-life.h"
#include "nvs_flash.h"
#include "start.h"
#include "task-load.h"

/* Of the machine's thread, as the Moddable SDK has them (device/hosts/esp32/manifest.json). */
enum { STACK_BYTES = 24 * 1024, PRIORITY = 4 };

/* What is larger than this is in PSRAM, from the machine's start on; the arena is too large for the chip's own memory. */
enum { LARGEST_INTERNAL_BLOCK_BYTES = 1024 };

/* The longest wait of a turn, well below the watchdog's 5 s. */
static const double LONGEST_TURN_MS = 1000;

static const char TAG[] = "console";

static void report_memory(const char *moment)
{
	ESP_LOGW(TAG, "%s: %u bytes of internal memory are free, the largest block has %u; %u of PSRAM", moment,
		(unsigned)heap_caps_get_free_size(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT),
		(unsigned)heap_caps_get_largest_free_block(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT),
		(unsigned)heap_caps_get_free_size(MALLOC_CAP_SPIRAM));
}

static void open_eventfd(void)
{
	const esp_vfs_eventfd_config_t options = ESP_VFS_EVENTD_CONFIG_DEFAULT();
	ESP_ERROR_CHECK(esp_vfs_eventfd_register(&options));
}

static void *run(void *context)
{
	(void)context;
	c_stack_begin(STACK_BYTES);
	ESP_ERROR_CHECK(esp_task_wdt_add(NULL));
	open_eventfd();
	event_loop_open();
	task_load_of_this_task();
	report_memory("at the start");
	if (!start_run(BOARD_CONFIRM_TIMEOUT_S)) {
		ESP_LOGE(TAG, "the file system cannot be mounted");
		abort();
	}
	machine_open(NULL, 0);
	heap_caps_malloc_extmem_enable(LARGEST_INTERNAL_BLOCK_BYTES);
	machine_run_main();
	report_memory("with the program");
	for (;;)
		event_loop_turn(event_loop_now() + LONGEST_TURN_MS);
}

void app_main(void)
{
	pthread_t thread;
	esp_pthread_cfg_t options = esp_pthread_get_default_config();
	options.stack_size = STACK_BYTES;
	options.prio = PRIORITY;
	options.thread_name = "console";
	ESP_ERROR_CHECK(nvs_flash_init());
	ESP_ERROR_CHECK(esp_pthread_set_cfg(&options));
	if (pthread_create(&thread, NULL, run, NULL) != 0)
		abort();
}
