/* The frames of an image whose functions keep pointers to them, for a trap (native-frame.h). */
#include "wasm-rt.h"

/*
 * In this function's frame or the next one, `native_return_address()` finds where wasm_rt_trap() returns to, whatever the
 * architecture: on Xtensa that is below this frame (native-frame.h).
 */
static void __attribute__((noinline, cold)) trap_in_caller(NativeTrap trap)
{
#if defined(__XTENSA__)
	/* Asking for a caller's caller has the compiler write the registers of all frames to the stack. */
	void *volatile callersCaller = __builtin_return_address(1);
	(void)callersCaller;
#endif
	image_end(trap, __builtin_frame_address(0));
}

void wasm_rt_trap(wasm_rt_trap_t trap)
{
	trap_in_caller((NativeTrap)trap);
	__builtin_unreachable();
}
