/* The unused stack is painted; the end of the paint shows the maximum depth (c-stack.h). */
#include "c-stack.h"

#include <stdint.h>

enum { PAINTED_BYTES = 128 * 1024, PAINT = 0xC57ACC0D };

/* From the linker: the stack grows down from here. */
extern uint8_t __stack[];

static uint32_t *lowest(void)
{
	return (uint32_t *)((uintptr_t)__stack - PAINTED_BYTES);
}

/* The red line is this function's own frame, below which nothing is in use. */
__attribute__((noinline)) void c_stack_paint(void)
{
	uint32_t *end = (uint32_t *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)15) - 64;
	for (volatile uint32_t *at = lowest(); at < end; at++)
		*at = PAINT;
}

size_t c_stack_most_used(void)
{
	const uint32_t *at = lowest();
	while (*at == PAINT)
		at++;
	return (uintptr_t)__stack - (uintptr_t)at;
}

/* XS throws a RangeError above it; the size is that of a board's main task. */
char *fxCStackLimit(void)
{
	return (char *)lowest();
}
