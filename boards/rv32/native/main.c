/* The console on RV32IMAC: from power on to power off, at the end of the script (../kernel/script.h). */
#include <math.h>
#include <stdlib.h>
#include <semihost.h>

#include "board.h"
#include "display-memory.h"
#include "event-loop.h"
#include "flash.h"
#include "machine-life.h"
#include "meters.h"
#include "pins-board.h"
#include "ready.h"
#include "root.h"
#include "script.h"
#include "usb-port.h"

/* In the working directory: the script and the output of the run. */
static const char SCRIPT[] = "script", TRANSCRIPT[] = "transcript", FIGURES[] = "figures";

/* From the linker. */
extern const uint8_t __root_start[];

void board_power_off(int status)
{
	sys_semihost_exit_extended(status);
}

static void show_boot_picture(void)
{
	meters_begin();
	display_reset();
	meters_end("first-picture", 1);
}

/* The part that a boot loader does: like that of a chip's ROM, its work is not counted. */
static void start(void)
{
	show_boot_picture();
	event_loop_open();
	usb_port_open();
	pins_reset();
	meters_begin();
	machine_open(NULL, 0);
	machine_run_main();
	while (!is_ready())
		event_loop_turn(INFINITY);
	meters_end("boot", 1);
}

/* The watched board collects repeatedly, after a number of allocations (simulator/README.md). */
static void watch_heap(void)
{
#ifdef SVC_HEAP_IS_WATCHED
	setenv("SVC_SIM_COLLECT_EVERY", "100", 1);
#endif
}

int main(void)
{
	watch_heap();
	if (root_make) {
		root_make((uintptr_t)__root_start);
		return 0;
	}
	flash_protect();
	meters_open(FIGURES);
	start();
	script_open(SCRIPT, TRANSCRIPT);
	for (;;)
		event_loop_turn(INFINITY);
}
