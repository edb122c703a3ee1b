/* Stacks grow down; the thread's first frame is at its upper end. */
#include "c-stack.h"

/*
 * Left below the limit for what runs between two checks of XS: functions of the host, the C library, and an interrupt,
 * which the chip handles on the stack of the task that it interrupts.
 */
enum { RESERVE_BYTES = 4 * 1024 };

static char *limit;

void c_stack_begin(size_t byteLength)
{
	limit = (char *)__builtin_frame_address(0) - byteLength + RESERVE_BYTES;
}

/* For XS (engine/root/native/board-platform.h). */
char *fxCStackLimit(void)
{
	return limit;
}
