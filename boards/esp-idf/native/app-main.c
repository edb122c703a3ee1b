/*
 * The console as an application of ESP-IDF: the boot loader has started this image, FreeRTOS calls app_main. The machine
 * runs in a thread of its own, whose stack XS knows (c-stack.c), and turns the event loop for ever.
 */
#include <pthread.h>
#include <stdlib.h>

#include "arena-size.h"
#include "arena.h"
#include "board-config.h"
#include "c-stack.h"
#include "esp_heap_caps.h"
#include "esp_log.h"
#include "esp_memory_utils.h"
#include "esp_pthread.h"
#include "esp_task_wdt.h"
#include "esp_vfs_eventfd.h"
#include "event-loop.h"
#include "machine-life.h"
#include "nvs_flash.h"
#include "start.h"
#include "task-load.h"

/* Of the machine's thread, as the Moddable SDK has them (device/hosts/moddable/esp32s3/manifest.json). */
enum { STACK_BYTES = 24 * 1024, PRIORITY = 4 };

/* What is larger than this is in PSRAM, from the machine's start on. */
enum { LARGEST_INTERNAL_BLOCK_BYTES = 1024 };

/*
 * The arena is on the chip, where it is fast, if this much stays free there for what cannot be elsewhere: at the most 100 KiB
 * for Wi-Fi (10 static and 32 dynamic buffers to receive, 16 to send, of 1.6 KiB each, and its task), 6 KiB for USB and its
 * task, 4 KiB for the tasks of two apps. TLS is in PSRAM. An ESP32 has no free block of the arena's size to begin with.
 */
enum { KEPT_FREE_BYTES = 128 * 1024, ARENA_BYTES = BOARD_ARENA_KIB * 1024 + LARGEST_INTERNAL_BLOCK_BYTES };

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

static bool arena_fits_on_chip(void)
{
	const uint32_t chip = MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT;
	return heap_caps_get_largest_free_block(chip) >= ARENA_BYTES
		&& heap_caps_get_free_size(chip) >= ARENA_BYTES + KEPT_FREE_BYTES;
}

/* Nothing else allocates meanwhile: the arena is the first that the machine takes. */
static void open_machine(void)
{
	heap_caps_malloc_extmem_enable(arena_fits_on_chip() ? ARENA_BYTES : LARGEST_INTERNAL_BLOCK_BYTES);
	machine_open(NULL, 0);
	heap_caps_malloc_extmem_enable(LARGEST_INTERNAL_BLOCK_BYTES);
	ESP_LOGW(TAG, "the arena is in %s", esp_ptr_external_ram(arena_of_next_machine()) ? "PSRAM" : "the chip's own memory");
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
	open_machine();
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
