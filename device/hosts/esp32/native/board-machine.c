/* What machine.h asks for, of the Moddable SDK's machine. A turn of its loop runs promise jobs by itself. */
#include "board-machine.h"

#include "board-posts.h"
#include "esp_heap_caps.h"
#include "esp_log.h"
#include "esp_memory_utils.h"
#include "esp_timer.h"
#include "event-loop.h"
#include "load.h"

/* What is larger comes out of PSRAM. */
enum { LARGEST_INTERNAL_BLOCK_BYTES = 1024 };

xsMachine *machine;

/*
 * The machine is allocated, with malloc and in one piece, which up to here prefers the chip's own memory
 * (sdkconfig.defaults). What follows are memory and pictures of apps, and buffers of uploads: those belong into PSRAM.
 */
static void leave_rest_to_psram(void)
{
	heap_caps_malloc_extmem_enable(LARGEST_INTERNAL_BLOCK_BYTES);
	if (esp_ptr_external_ram(machine->stack))
		ESP_LOGW("console", "the management machine is in PSRAM, where it is slow: no block of its size was free");
}

void board_machine_open(xsMachine *the)
{
	machine = the;
	leave_rest_to_psram();
	load_of_this_task();
	board_posts_start();
}

void machine_end_turn(void)
{
}

double event_loop_now(void)
{
	return (double)esp_timer_get_time() / 1000;
}
