/* What the kernel and the event loop ask of the board, for a test: the end, and who is told of steps and turns. */
#include <semihost.h>
#include <stdio.h>

#include "boards/rv32/kernel/board.h"
#include "boards/rv32/kernel/meters.h"
#include "device/hosts/posix/native/process/watchdog.h"

void board_power_off(int status)
{
	sys_semihost_exit_extended(status);
}

void watchdog_feed(double now)
{
	(void)now;
}

void meters_begin(void)
{
	fprintf(stderr, "step begins\n");
}

void meters_end(const char *step, uint32_t count)
{
	fprintf(stderr, "step %s ends after %lu\n", step, (unsigned long)count);
}
