/* The machine that makes the root, in RAM, and the root in flash (root.h). */
#include "root.h"

#include <semihost.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "board.h"
#include "program.h"
#include "root-linker.h"

/* At the start of the section. */
typedef struct {
	uint32_t magic;
	uint32_t byteLength;
	uint32_t program;
	uint32_t reserved;
} Root;

enum { MAGIC = 0x544F4F52 };

/* From the linker (builder/link.ts). */
extern uint8_t __root_start[], __root_end[];

/*
 * Room for every program: only what the frozen machine reaches gets into the root. A collection while the machine is made
 * shareable (fxShareMachine) would find its modules half done, so nothing may have to grow.
 */
static xsCreation creation = {
	.initialChunkSize = 2 * 1024 * 1024,
	.incrementalChunkSize = 64 * 1024,
	.initialHeapCount = 128 * 1024,
	.incrementalHeapCount = 1024,
	.stackCount = 3072,
	.initialKeyCount = 16 * 1024,
	.incrementalKeyCount = 1024,
	.nameModulo = NAME_MODULO,
	.symbolModulo = SYMBOL_MODULO,
};

static const Root *root(void)
{
	return (const Root *)__root_start;
}

bool root_is_there(void)
{
	return root()->magic == MAGIC;
}

bool root_has(const void *block)
{
	return (const uint8_t *)block >= __root_start && (const uint8_t *)block < __root_end;
}

static void write_to(const char *file, const LinkedRoot *linked)
{
	int descriptor = sys_semihost_open(file, SH_OPEN_W_B);
	if (descriptor < 0 || sys_semihost_write(descriptor, linked->bytes, linked->byteLength) != 0
			|| sys_semihost_close(descriptor) != 0) {
		fprintf(stderr, "console: cannot write \"%s\"\n", file);
		board_power_off(1);
	}
}

void root_make(const char *file)
{
	xsMachine *program = program_new(&creation);
	program_evaluate(program);
	const LinkedRoot linked = root_link(program, sizeof(Root), (uintptr_t)__root_start);
	if (linked.byteLength > (size_t)(__root_end - __root_start)) {
		fputs("console: the root is too large for its part of the flash\n", stderr);
		board_power_off(1);
	}
	const Root header = { .magic = MAGIC, .byteLength = linked.byteLength, .program = linked.machine };
	memcpy(linked.bytes, &header, sizeof(header));
	write_to(file, &linked);
}

/* The machine to clone (program.h). */
xsMachine *program_machine(const char *text, size_t length)
{
	(void)text, (void)length;
	return (xsMachine *)(uintptr_t)root()->program;
}
