/* Validates and prepares a module, as ModulePreparer does, and prints the instructions of both passes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sandbox/native/sandbox-program.h"

extern const SandboxProgram sandbox_validator;

enum { PIECE_BYTES = 1024, MODULE_LIMIT_BYTES = 1 << 20, PAGES = 1024, NO_ENTRY = -1, PREPARE = -1 };

static uint8_t module[MODULE_LIMIT_BYTES];
static _Alignas(16) uint8_t memory[1 << 17];
static _Alignas(16) uint8_t state[1 << 12];

_Noreturn void sandbox_trap(void)
{
	puts("trapped");
	exit(0);
}

/* The lower half of the instructions so far (minstret). */
static uint32_t instructions(void)
{
	uint32_t count;
	__asm__ volatile(".insn i 0x73, 2, %0, x0, -1278" : "=r"(count));
	return count;
}

static void pass(uint32_t byteLength)
{
	const SandboxProgram *program = &sandbox_validator;
	for (uint32_t at = 0; at < byteLength; at += PIECE_BYTES) {
		uint32_t piece = byteLength - at < PIECE_BYTES ? byteLength - at : PIECE_BYTES;
		memcpy(memory + program->room(state), module + at, piece);
		// An import awaits a verdict. The second pass answers with a number of bytes.
		while (program->feed(state, piece) == 1)
			piece = 0;
	}
	while (program->finish(state) == 1)
		;
}

int main(void)
{
	FILE *file = fopen("module.wasm", "rb");
	if (!file || sandbox_validator.memoryBytes > sizeof(memory) || sandbox_validator.stateBytes > sizeof(state))
		return 1;
	uint32_t byteLength = fread(module, 1, sizeof(module), file);
	fclose(file);
	sandbox_validator.open(state, memory);
	uint32_t began = instructions();
	sandbox_validator.begin(state, PAGES, (uint32_t)NO_ENTRY);
	pass(byteLength);
	sandbox_validator.begin(state, (uint32_t)PREPARE, 0);
	pass(byteLength);
	printf("%u %u\n", (unsigned)byteLength, (unsigned)(instructions() - began));
	return 0;
}
