/*
 * wasm3's m3_env.c, as it is, which runs code where a module is initialized and where a function is called. It knows
 * which runtime an app's thread has, for functions of the ABI that ask how much of its stack is left.
 */
#include "wasm3-trampoline.h"

#define m3_NewRuntime new_runtime_of_any
#include "m3_env.c"
#undef m3_NewRuntime

#include "wasm3-stack.h"

static _Thread_local IM3Runtime threadRuntime;

IM3Runtime m3_NewRuntime(IM3Environment environment, uint32_t stackBytes, void *userData)
{
	return threadRuntime = new_runtime_of_any(environment, stackBytes, userData);
}

/* During a call of the host, wasm3 has the runtime's stack begin at the call's parameters. */
bool wasm3_stack_left(Wasm3Stack *stack)
{
	IM3Runtime runtime = threadRuntime;
	if (!runtime)
		return false;
	const uint8_t *end = runtime->memory.mallocated->maxStack;
	stack->byteLength = runtime->numStackSlots * sizeof(m3slot_t);
	stack->bytesLeft = end - (const uint8_t *)runtime->stack;
	return true;
}
