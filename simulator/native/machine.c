/* One machine, from the creation figures to the figures of its heap. */
#include "machine.h"

#include <string.h>

#include "boot.h"
#include "natives.h"

/* XS's own interface (xsAll.h), which cannot be included together with xs.h. */
extern void fxRunPromiseJobs(xsMachine *the);
extern void fxEndJob(xsMachine *the);
extern void fxCheckUnhandledRejections(xsMachine *the, unsigned char atExit);

xsMachine *machine;

static const char GLOBALS_PREFIX[] = "globals/";

static xsCreation programCreation = {
	.initialChunkSize = 512 * 1024,
	.incrementalChunkSize = 256 * 1024,
	.initialHeapCount = 16 * 1024,
	.incrementalHeapCount = 8 * 1024,
	.stackCount = 4096,
	.initialKeyCount = 2048,
	.incrementalKeyCount = 256,
	.nameModulo = 1993,
	.symbolModulo = 127,
	.parserBufferSize = 64 * 1024,
	.parserTableModulo = 1993,
};

static void import_globals(xsMachine *the)
{
	for (uint32_t index = 0; index < nativeModuleCount; index++) {
		const char *specifier = nativeModules[index].specifier;
		if (strncmp(specifier, GLOBALS_PREFIX, strlen(GLOBALS_PREFIX)) == 0)
			xsAwaitImport(specifier, XS_IMPORT_NAMESPACE);
	}
}

void machine_open(void)
{
	machine = xsCreateMachine(&programCreation, "console", NULL);
	xsBeginHost(machine);
	natives_install(the);
	import_globals(the);
	xsEndHost(machine);
}

void machine_close(void)
{
	if (!machine)
		return;
	xsDeleteMachine(machine);
	machine = NULL;
}

void machine_run_main(void)
{
	xsBeginHost(machine);
	xsmcVars(1);
	xsVar(0) = xsAwaitImport("main", XS_IMPORT_DEFAULT);
	(void)xsCallFunction0(xsVar(0), xsUndefined);
	xsEndHost(machine);
	machine_end_turn();
}

void machine_end_turn(void)
{
	while (machine->promiseJobs) {
		machine->promiseJobs = false;
		fxRunPromiseJobs(machine);
	}
	fxEndJob(machine);
	fxCheckUnhandledRejections(machine, 1);
}

void machine_call(xsSlot *self, xsSlot *function)
{
	xsBeginHost(machine);
	(void)xsCallFunction0(*function, *self);
	xsEndHost(machine);
	machine_end_turn();
}

void machine_call_number(xsSlot *self, xsSlot *function, double argument)
{
	xsBeginHost(machine);
	(void)xsCallFunction1(*function, *self, xsNumber(argument));
	xsEndHost(machine);
	machine_end_turn();
}

HeapFigures machine_heap(void)
{
	return (HeapFigures){ 0 };
}
