/*
 * Runs sandboxed programs: code for strangers' bytes that reaches only its own memory, whatever is in them
 * (docs/adr/0030-the-sandbox.md). A typed array views the memory, as it does an ArrayBuffer.
 */
#include "xsmc.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox-program.h"

/* Stands right before the program's memory, and its state after it. */
typedef struct {
	_Alignas(16) const SandboxProgram *program;
	void *state;
} Instance;

/* Programs run in the machine's thread, to their end, and call nothing: there is one at a time. */
static jmp_buf trapped;

_Noreturn void sandbox_trap(void)
{
	longjmp(trapped, 1);
}

static const SandboxProgram *find(const char *name)
{
	for (const SandboxProgram *const *program = sandboxPrograms; *program; program++)
		if (strcmp((*program)->name, name) == 0)
			return *program;
	return NULL;
}

static uint32_t aligned(uint32_t byteLength)
{
	return (byteLength + 15) & ~15u;
}

static Instance *instance_of(void *memory)
{
	return (Instance *)((uint8_t *)memory - sizeof(Instance));
}

void xs_sandbox_destructor(void *data)
{
	if (data)
		free(instance_of(data));
}

/* new Program(name) */
void xs_sandbox_constructor(xsMachine *the)
{
	const SandboxProgram *program = find(xsmcToString(xsArg(0)));
	if (!program)
		xsRangeError("no such program");
	uint32_t memoryBytes = aligned(program->memoryBytes);
	Instance *instance = calloc(1, sizeof(Instance) + memoryBytes + program->stateBytes);
	if (!instance)
		xsUnknownError("no memory for the program");
	uint8_t *memory = (uint8_t *)(instance + 1);
	instance->program = program;
	instance->state = memory + memoryBytes;
	program->open(instance->state, memory);
	xsmcSetHostBuffer(xsThis, memory, (xsIntegerValue)program->memoryBytes);
}

/* program.close(): its memory has length 0 from then on. */
void xs_sandbox_close(xsMachine *the)
{
	xs_sandbox_destructor(xsmcGetHostData(xsThis));
	xsmcSetHostData(xsThis, NULL);
}

static Instance *open_instance(xsMachine *the)
{
	void *memory = xsmcGetHostData(xsThis);
	if (!memory)
		xsUnknownError("the program is closed");
	return instance_of(memory);
}

typedef enum { Begin, Room, Feed, Finish } Call;

static uint32_t call(const Instance *instance, Call which, uint32_t first, uint32_t second)
{
	const SandboxProgram *program = instance->program;
	switch (which) {
	case Begin:
		return program->begin(instance->state, first, second);
	case Room:
		return program->room(instance->state);
	case Feed:
		return program->feed(instance->state, first);
	default:
		return program->finish(instance->state);
	}
}

static void run(xsMachine *the, Call which, xsIntegerValue first, xsIntegerValue second)
{
	const Instance *instance = open_instance(the);
	if (setjmp(trapped) != 0)
		xsUnknownError("the program has trapped");
	uint32_t result = call(instance, which, (uint32_t)first, (uint32_t)second);
	xsmcSetInteger(xsResult, (xsIntegerValue)result);
}

/* program.begin(first, second) */
void xs_sandbox_begin(xsMachine *the)
{
	run(the, Begin, xsmcToInteger(xsArg(0)), xsmcToInteger(xsArg(1)));
}

/* program.room() */
void xs_sandbox_room(xsMachine *the)
{
	run(the, Room, 0, 0);
}

/* program.feed(byteLength) */
void xs_sandbox_feed(xsMachine *the)
{
	run(the, Feed, xsmcToInteger(xsArg(0)), 0);
}

/* program.finish() */
void xs_sandbox_finish(xsMachine *the)
{
	run(the, Finish, 0, 0);
}
