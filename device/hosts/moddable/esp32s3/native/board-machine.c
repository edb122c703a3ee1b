/*
 * The start under the Moddable SDK (modules/setup/start.js), which has made the machine, and machine.h for it: the SDK's
 * own loop runs promise jobs.
 */
#include "machine.h"

#include "board-loop.h"
#include "esp_heap_caps.h"
#include "esp_log.h"
#include "esp_memory_utils.h"
#include "start.h"
#include "task-load.h"

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

/* start(confirmTimeoutSeconds) */
void xs_start(xsMachine *the)
{
	machine = the;
	leave_rest_to_psram();
	task_load_of_this_task();
	board_loop_start();
	if (!start_run(xsmcToInteger(xsArg(0))))
		xsUnknownError("the file system cannot be mounted");
}

void machine_end_turn(void)
{
}
