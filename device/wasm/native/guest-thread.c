/* The app's thread: its stack, how it is interrupted, and how the app has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest-engine.h"
#include "interruption.h"
#include "wasm3.h"

/*
 * Beyond what the app may use: for wasm3's compiler, which evaluates constant expressions in a runtime that it
 * keeps on the stack and recurses for each nested block (some 350 bytes on 32 bits), and for host functions and
 * signal handlers.
 */
enum {
	COMPILER_STACK_BYTES = 24 * 1024 * GUEST_STACK_SCALE,
	COMPILER_BLOCK_BYTES = 512 * GUEST_STACK_SCALE,
	HOST_STACK_BYTES = 16 * 1024 * GUEST_STACK_SCALE,
};

/* What the app itself may use of the native stack. */
static size_t own_stack_bytes(const Guest *guest)
{
	const size_t stackBytes = (size_t)guest->stackBytes * GUEST_STACK_SCALE;
	return guest->hasImage ? stackBytes * (1 + OPERAND_STACK_FACTOR) : stackBytes;
}

/*
 * What its engine may use below that. A function of an image looks where its own frame begins, when it has it already: so
 * its caller's and its own can be below the limit, and between them the one of a function that only calls another.
 */
static size_t engine_stack_bytes(const Guest *guest)
{
	enum { FRAMES = 3 };
	if (guest->hasImage)
		return (size_t)guest->image.frameBytes * FRAMES;
	return COMPILER_STACK_BYTES + (size_t)guest->nestedBlocks * COMPILER_BLOCK_BYTES;
}

size_t guest_thread_stack_bytes(const Guest *guest)
{
	return own_stack_bytes(guest) + engine_stack_bytes(guest) + HOST_STACK_BYTES;
}

/* What the app has been told holds from its next call or loop on. With `mutex` held. */
static void set_limit(Guest *guest)
{
	StackBounds *bounds = guest->stackBounds;
	if (bounds) {
		const bool isInterrupted = guest->isStopping || guest->isSuspended;
		const uintptr_t limit = isInterrupted ? UINTPTR_MAX : bounds->ownLimit;
		atomic_store_explicit(&bounds->limit, limit, memory_order_relaxed);
		if (guest->imageLimit)
			*guest->imageLimit = limit;
	}
	pthread_cond_broadcast(&guest->changed);
}

void guest_interrupt(Guest *guest)
{
	guest->isStopping = true;
	set_limit(guest);
}

void guest_suspend(Guest *guest, bool isSuspended)
{
	guest->isSuspended = isSuspended;
	set_limit(guest);
}

void guest_share_limit(Guest *guest, volatile uintptr_t *limit)
{
	pthread_mutex_lock(&guest->mutex);
	guest->imageLimit = limit;
	set_limit(guest);
	pthread_mutex_unlock(&guest->mutex);
}

/* Gives the VM what it interrupts the app with; an app that was stopped or suspended before is interrupted now. */
static void publish(Guest *guest, StackBounds *bounds)
{
	pthread_mutex_lock(&guest->mutex);
	guest->stackBounds = bounds;
	set_limit(guest);
	pthread_mutex_unlock(&guest->mutex);
}

static void bound_stack(Guest *guest)
{
	stackBounds.guest = guest;
	stackBounds.ownLimit = stack_pointer() - own_stack_bytes(guest);
	stackBounds.floor = stackBounds.ownLimit - engine_stack_bytes(guest);
	publish(guest, &stackBounds);
}

const char *guest_fail(Guest *guest, const char *reason, const char *message)
{
	snprintf(guest->exit.message, sizeof(guest->exit.message), "%s", message);
	return reason;
}

const char *guest_reason(Guest *guest, const char *error)
{
	static const char PREFIX[] = "[trap] ";
	if (!error || error == m3Err_trapExit) {
		guest->exit.hasCode = true;
		return "exit";
	}
	const bool isTrap = strncmp(error, PREFIX, sizeof(PREFIX) - 1) == 0;
	return guest_fail(guest, isTrap ? GUEST_TRAP : GUEST_HOST_ERROR, isTrap ? error + sizeof(PREFIX) - 1 : error);
}

/* An app that was to end has been stopped, whatever came of that in the app. */
static void end(Guest *guest, const char *reason)
{
	pthread_mutex_lock(&guest->mutex);
	if (guest->isStopping)
		guest->exit = (GuestExit){ .reason = "stopped" };
	else
		guest->exit.reason = reason;
	guest_unlock_and_wake(guest);
}

void *guest_thread(void *context)
{
	Guest *guest = context;
	guest_platform_enter_thread(guest->name);
	bound_stack(guest);
	const char *reason = guest->hasImage ? guest_run_image(guest) : guest_run_module(guest);
	publish(guest, NULL);
	free(guest->module);
	guest->module = NULL;
	end(guest, reason);
	return NULL;
}
