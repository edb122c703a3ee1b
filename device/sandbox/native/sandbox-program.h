/* A sandboxed program in C, as tools/sandbox.ts generates it from WebAssembly (docs/adr/0030-the-sandbox.md). */
#ifndef SANDBOX_PROGRAM_H
#define SANDBOX_PROGRAM_H

#include <stdint.h>

typedef struct {
	const char *name;
	uint32_t stateBytes;
	uint32_t memoryBytes;
	/* Sets the module's variables to their first values. The memory is zeroed by the caller. */
	void (*open)(void *state, uint8_t *memory);
	uint32_t (*begin)(void *state, uint32_t first, uint32_t second);
	uint32_t (*room)(void *state);
	uint32_t (*feed)(void *state, uint32_t byteLength);
	uint32_t (*finish)(void *state);
} SandboxProgram;

/* All programs, and a NULL after them. */
extern const SandboxProgram *const sandboxPrograms[];

/* Ends the call of the program that runs: it accessed a byte outside its memory, or divided by 0. */
_Noreturn void sandbox_trap(void);

#endif
