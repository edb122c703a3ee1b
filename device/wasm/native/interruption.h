/*
 * Limits the native stack of an app's thread, and ends or suspends the app on request.
 *
 * wasm3 uses the native stack for every call and for every loop that is entered, so both compare the stack
 * pointer with `limit`: below it the app traps. To interrupt the app, a caller sets `limit` to the highest address, and
 * the same comparison finds it at its next call or loop. A loop that is already running checks it before each further
 * turn. An app that is interrupted waits there while it is suspended, and then goes on or ends.
 *
 * wasm3's compiler recurses too, once per nested block, and may run when the app has already reached `limit`.
 * It has the room down to `floor`; what lies below that is for host functions and signal handlers.
 */
#ifndef SVC_INTERRUPTION_H
#define SVC_INTERRUPTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct StackBounds {
	_Atomic uintptr_t limit;	/* UINTPTR_MAX: the app is to end, or to wait */
	uintptr_t ownLimit;			/* of an app that is not interrupted */
	uintptr_t floor;
	struct Guest *guest;
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

/*
 * guest-wait.c. Where the limit was found: waits while the app is suspended.
 * @param stack where the stack pointer is
 * @returns whether the app goes on; otherwise it is to end, or has used up its native stack
 */
bool interruption_pass(uintptr_t stack);

/* Whether the app has used up its native stack, or is to end. Waits while it is suspended. */
static inline __attribute__((always_inline)) bool is_beyond_limit(void)
{
	const uintptr_t stack = stack_pointer();
	const bool isBeyond = stack < atomic_load_explicit(&stackBounds.limit, memory_order_relaxed);
	return __builtin_expect(isBeyond, 0) && !interruption_pass(stack);
}

/* Whether the app is to end. Waits while it is suspended. */
static inline bool is_to_end(void)
{
	const bool isInterrupted = atomic_load_explicit(&stackBounds.limit, memory_order_relaxed) == UINTPTR_MAX;
	return __builtin_expect(isInterrupted, 0) && !interruption_pass(UINTPTR_MAX);
}

#endif
