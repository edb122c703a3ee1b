/*
 * Limits the native stack of an app's thread and ends the app on request.
 *
 * wasm3 uses the native stack for every call and for every loop that is entered, so both compare the stack
 * pointer with `limit`: below it the app traps. To end the app, a caller sets `limit` to the highest address, and the
 * same comparison ends it at its next call or loop. A loop that is already running checks it before each further turn.
 *
 * wasm3's compiler recurses too, once per nested block, and may run when the app has already reached `limit`.
 * It has the room down to `floor`; what lies below that is for host functions and signal handlers.
 */
#ifndef SVC_INTERRUPTION_H
#define SVC_INTERRUPTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	_Atomic uintptr_t limit;	/* UINTPTR_MAX: the app is to end */
	uintptr_t floor;
} StackBounds;

/* Of the running thread; zero, which bounds nothing, where no app runs. */
extern _Thread_local StackBounds stackBounds;

static inline __attribute__((always_inline)) uintptr_t stack_pointer(void)
{
	uintptr_t pointer;
#if defined(__x86_64__)
	__asm__ volatile("mov %%rsp, %0" : "=r"(pointer));
#elif defined(__i386__)
	__asm__ volatile("mov %%esp, %0" : "=r"(pointer));
#elif defined(__xtensa__)
	__asm__ volatile("mov %0, a1" : "=r"(pointer));
#else
	pointer = (uintptr_t)__builtin_frame_address(0);
#endif
	return pointer;
}

/* Whether the app has used up its native stack, or is to end. */
static inline __attribute__((always_inline)) bool is_beyond_limit(void)
{
	return stack_pointer() < atomic_load_explicit(&stackBounds.limit, memory_order_relaxed);
}

static inline bool is_to_end(void)
{
	return atomic_load_explicit(&stackBounds.limit, memory_order_relaxed) == UINTPTR_MAX;
}

#endif
