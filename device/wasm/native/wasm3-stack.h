/* The stack on which wasm3 keeps locals and operands, beside the native one. */
#ifndef SVC_WASM3_STACK_H
#define SVC_WASM3_STACK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	size_t byteLength;
	size_t bytesLeft;
} Wasm3Stack;

/*
 * From a function of the host that an app has called, on the app's thread.
 * @returns false where wasm3 does not run the app
 */
bool wasm3_stack_left(Wasm3Stack *stack);

#endif
