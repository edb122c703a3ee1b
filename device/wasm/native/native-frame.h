/*
 * Frames on the stack of an image, whose functions keep their frame pointers: where each has its caller's frame and the
 * address that it returns to.
 */
#ifndef SVC_NATIVE_FRAME_H
#define SVC_NATIVE_FRAME_H

#include <stdint.h>

typedef void *const *NativeFrame;

#if defined(__XTENSA__)
/*
 * Below a function's frame are registers of its caller (Xtensa ISA, "Windowed Procedure-Call Protocol"), once its window
 * has been written to the stack. So what is found in a frame is where the caller itself returns to.
 */
enum { CALLER = -3, RETURN = -4 };
#elif defined(__riscv)
enum { CALLER = -2, RETURN = -1 };
#else
enum { CALLER = 0, RETURN = 1 };
#endif

static inline NativeFrame native_caller(NativeFrame frame)
{
	return frame[CALLER];
}

/* @param code an address of the code that is returned to */
static inline uintptr_t native_return_address(NativeFrame frame, uintptr_t code)
{
	const uintptr_t address = (uintptr_t)frame[RETURN];
#if defined(__XTENSA__)
	/* The two highest bits are how far the windows move; code does not leave its quarter of the addresses. */
	const uintptr_t QUARTER = 0xc0000000;
	return (address & ~QUARTER) | (code & QUARTER);
#else
	(void)code;
	return address;
#endif
}

#endif
