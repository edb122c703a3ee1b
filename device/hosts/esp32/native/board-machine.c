/* machine.h for the Moddable SDK's machine, whose own loop runs promise jobs. */
#include "board-machine.h"

#include "board-posts.h"
#include "esp_heap_caps.h"
#include "esp_log.h"
#include "esp_memory_utils.h"
#include "esp_timer.h"
#include "event-loop.h"
#include "load.h"

/* Larger blocks come from PSRAM. */
enum { LARGEST_INTERNAL_BLOCK_BYTES = 1024 };

xsMachine *machine;

/*
 * The machine has been allocated by malloc, in one piece, which so far prefers the chip's own memory
 * (sdkconfig.defaults). Later allocations are memory and pictures of apps, and upload buffers: those belong in PSRAM.
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
