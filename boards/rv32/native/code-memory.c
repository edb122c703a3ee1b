/* Where native images run on this board (device/wasm/native/code-memory.h): all of its RAM can be executed. */
#include "code-memory.h"

#include <stdlib.h>

const char *const codeMemoryMachine = "riscv32";

/* Code finds its variables relative to itself, by offsets that count from an address that a page could have. */
bool code_memory_allocate(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	uint8_t *text = malloc(textByteLength + variablesByteLength);
	*memory = (CodeMemory){ text, text ? text + textByteLength : NULL };
	return text != NULL;
}

/* The instructions have been written as data: fetching them waits for that (RISC-V unprivileged ISA, "Zifencei"). */
bool code_memory_make_executable(const CodeMemory *memory, size_t textByteLength)
{
	(void)memory, (void)textByteLength;
	__asm__ volatile(".option push\n.option arch, +zifencei\nfence.i\n.option pop" : : : "memory");
	return true;
}

void code_memory_free(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	(void)textByteLength, (void)variablesByteLength;
	free(memory->text);
}
