/*
 * The two engines that run an app on its thread: wasm3, which interprets its module (guest-interpreter.c), and the processor
 * itself, which runs the native image made of the module (guest-native.c).
 */
#ifndef SVC_GUEST_ENGINE_H
#define SVC_GUEST_ENGINE_H

#include <stdatomic.h>

#include "guest.h"

/* Each runs the app from loading to its end. @returns the exit's reason; other fields of `guest->exit` are set */
const char *guest_run_module(Guest *guest);
const char *guest_run_image(Guest *guest);

/* Reasons of an exit. */
#define GUEST_QUOTA "quota"
#define GUEST_TRAP "trap"
#define GUEST_HOST_ERROR "host_error"

/* Sets the exit's message. @returns `reason` */
const char *guest_fail(Guest *guest, const char *reason, const char *message);

/* How the app has ended, from what wasm3 would say: NULL, or one of its errors. */
const char *guest_reason(Guest *guest, const char *error);

/*
 * What an engine keeps on the native stack beyond what the app may use. wasm3's operands are on a stack of their own, four
 * times as large as the native one: a call takes some 100 bytes of that on the board, so that functions with up to a
 * hundred slots use up both at the same depth. An image has its operands on the native stack, which has the room of both.
 */
enum { OPERAND_STACK_FACTOR = 4 };

/* Has interruptions write to an image's limit, too; NULL: no more. */
void guest_share_limit(Guest *guest, volatile uintptr_t *limit);

/* guest-link.c. Calls a function of the ABI, whose `parameters` are set. @returns NULL or a trap */
const char *guest_call(Guest *guest, const AbiFunction *function, AbiCall *call, uint8_t *memory, size_t memoryBytes);

/* @returns NULL where the ABI has no such function */
const AbiFunction *guest_find_function(const char *name);

#endif
