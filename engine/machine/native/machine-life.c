/* The machine: creation parameters, life cycle, promise jobs. */
#include "machine-life.h"

#include "arena.h"
#include "arena-size.h"
#include "heap-figures.h"
#include "program.h"

/* XS's own interface (xsAll.h), which cannot be included together with xs.h. */
extern void fxRunPromiseJobs(xsMachine *the);
extern void fxEndJob(xsMachine *the);
extern void fxCheckUnhandledRejections(xsMachine *the, unsigned char atExit);

xsMachine *machine;

const char PROGRAM_MAIN[] = "programMain";

/*
 * The board's memory for the management machine: 128 KiB for chunks, slots and stack. In 64 bits, slots and pointers
 * in chunks are twice as large; the budget is scaled accordingly.
 */
#define SCALE (sizeof(xsSlot) / 16)

/*
 * The board allocates its 128 KiB once, so starting small saves nothing: with more room for garbage there are fewer
 * collections. Measured with eight connections that request the status: 6,100 requests a second with 24 KiB of chunks
 * and 2048 slots, 9,000 with these.
 *
 * An install takes 512 to 640 slots of the stack: a signature is checked at the end of a chain of promises.
 */
static xsCreation creation = {
	.initialChunkSize = 40 * 1024 * SCALE,
	.incrementalChunkSize = 2 * 1024 * SCALE,
	.initialHeapCount = 3584,
	.incrementalHeapCount = 128,
	.stackCount = 768,
	.initialKeyCount = 128,
	.incrementalKeyCount = 64,
	.nameModulo = NAME_MODULO,
	.symbolModulo = SYMBOL_MODULO,
	.parserBufferSize = 8 * 1024,
	.parserTableModulo = 127,
};

static Arena *arena;

void machine_open(const char *text, size_t length)
{
	xsMachine *program = program_machine(text, length);
	unsigned long kib = arena_size_kib();
	xsCreation figures = creation;
	figures.initialChunkSize = creation.initialChunkSize / BOARD_ARENA_KIB * kib;
	figures.initialHeapCount = creation.initialHeapCount / BOARD_ARENA_KIB * kib;
	arena = arena_new(kib * 1024 * SCALE);
	arena_for_next_machine(arena);
	machine = xsCloneMachine(&figures, program, "console", NULL);
	heap_figures_open(machine);
}

void machine_close(void)
{
	if (machine)
		xsDeleteMachine(machine);
	machine = NULL;
	if (arena)
		arena_delete(arena);
	arena = NULL;
}

void machine_run_main(void)
{
	xsBeginHost(machine);
	xsmcVars(1);
	xsmcGet(xsVar(0), xsGlobal, xsID(PROGRAM_MAIN));
	(void)xsCallFunction0(xsVar(0), xsUndefined);
	xsEndHost(machine);
	machine_end_turn();
}

void machine_run_jobs(xsMachine *the)
{
	while (the->promiseJobs) {
		the->promiseJobs = false;
		fxRunPromiseJobs(the);
	}
	fxEndJob(the);
	fxCheckUnhandledRejections(the, 1);
}

void machine_end_turn(void)
{
	machine_run_jobs(machine);
	heap_figures_sample(machine);
}
