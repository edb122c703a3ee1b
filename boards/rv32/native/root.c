/* A region of flash that is filled from its start (root.h). */
#include "root.h"

#include <semihost.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "board.h"
#include "program.h"
#include "root-stack.h"

/* At the start of the section. */
typedef struct {
	uint32_t magic;
	uint32_t byteLength;
	xsMachine *program;
} Root;

/* Before each block. */
typedef struct Block Block;
struct Block {
	_Alignas(16) size_t byteLength;		/* including this header */
	Block *nextFree;
};

enum { MAGIC = 0x544F4F52 };

/* From the linker (builder/link.ts). */
extern uint8_t __root_start[], __root_end[];

/*
 * Small initial sizes and increments make the machine collect before it grows, and waste little. The tables have room
 * for all names, since a table that moves leaves a hole. Smaller increments are not possible: a collection while the
 * machine is made shareable (fxShareMachine) would find its modules half done. A linker that knows the program's
 * objects would not need this.
 */
static xsCreation creation = {
	.initialChunkSize = 64 * 1024,
	.incrementalChunkSize = 4 * 1024,
	.initialHeapCount = 4 * 1024,
	.incrementalHeapCount = 256,
	.stackCount = 3072,
	.initialKeyCount = 5 * 1024,
	.incrementalKeyCount = 1024,
	.nameModulo = NAME_MODULO,
	.symbolModulo = SYMBOL_MODULO,
};

static uint8_t *next;		/* NULL unless the root is being made */
static Block *firstFree;

static Root *root(void)
{
	return (Root *)__root_start;
}

bool root_is_there(void)
{
	return root()->magic == MAGIC;
}

bool root_is_made(void)
{
	return next != NULL;
}

bool root_has(const void *block)
{
	return (const uint8_t *)block >= __root_start && (const uint8_t *)block < __root_end;
}

/* The stack is recognised by its size: the first block of that size. */
static bool is_stack(size_t size)
{
	static bool isThere;
	const bool result = !isThere && size == creation.stackCount * sizeof(xsSlot);
	isThere |= result;
	return result;
}

/* The smallest freed block that fits; NULL if there is none. */
static Block *take_free(size_t byteLength)
{
	Block **best = NULL;
	for (Block **link = &firstFree; *link; link = &(*link)->nextFree) {
		if ((*link)->byteLength >= byteLength && (!best || (*link)->byteLength < (*best)->byteLength))
			best = link;
	}
	Block *block = best ? *best : NULL;
	if (block)
		*best = block->nextFree;
	return block;
}

static Block *take_new(size_t byteLength)
{
	if (byteLength > (size_t)(__root_end - next) - creation.stackCount * sizeof(xsSlot)) {
		fputs("console: the root is too large for its part of the flash\n", stderr);
		board_power_off(1);
	}
	Block *block = (Block *)next;
	next += byteLength;
	block->byteLength = byteLength;
	return block;
}

/* The stack is allocated outside the root, since little of it is kept. */
void *root_allocate(size_t size)
{
	if (is_stack(size))
		return __root_end - size;
	const size_t byteLength = (sizeof(Block) + size + _Alignof(Block) - 1) & ~(_Alignof(Block) - 1);
	Block *block = take_free(byteLength);
	return (block ? block : take_new(byteLength)) + 1;
}

void root_free(void *freed)
{
	Block *block = (Block *)freed - 1;
	block->nextFree = firstFree;
	firstFree = block;
}

void *root_reallocate(void *old, size_t size)
{
	const size_t room = old ? ((Block *)old - 1)->byteLength - sizeof(Block) : 0;
	void *result = root_allocate(size);
	memcpy(result, old, room < size ? room : size);
	if (old)
		root_free(old);
	return result;
}

static void write_to(const char *file)
{
	int descriptor = sys_semihost_open(file, SH_OPEN_W_B);
	if (descriptor < 0 || sys_semihost_write(descriptor, __root_start, root()->byteLength) != 0
			|| sys_semihost_close(descriptor) != 0) {
		fprintf(stderr, "console: cannot write \"%s\"\n", file);
		board_power_off(1);
	}
}

void root_make(const char *file)
{
	next = __root_start + sizeof(Root);
	xsMachine *program = program_new(&creation);
	program_evaluate(program);
	root_keep_built_ins(program);
	*root() = (Root){ MAGIC, next - __root_start, program };
	next = NULL;
	write_to(file);
}

/* The machine to clone (program.h). */
xsMachine *program_machine(const char *text, size_t length)
{
	(void)text, (void)length;
	return root()->program;
}
