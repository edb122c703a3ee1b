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

void machine_keep(xsMachine *the, xsSlot *kept, xsSlot value)
{
	*kept = xsAccess(value);
	xsRemember(*kept);
}

void machine_release(xsMachine *the, xsSlot *kept)
{
	xsForget(*kept);
}

xsSlot machine_get_callback(xsMachine *the, xsSlot *options, const char *name)
{
	xsSlot callback;
	xsmcGet(callback, *options, xsID(name));
	if (xsmcTypeOf(callback) != xsUndefinedType && !xsmcIsCallable(callback))
		xsTypeError("%s is no function", name);
	return callback;
}

void machine_call(xsSlot *self, xsSlot *function)
{
	xsMachine *the = machine;
	if (xsmcTypeOf(*function) == xsUndefinedType)
		return;
	xsBeginHost(machine);
	(void)xsCallFunction0(*function, *self);
	xsEndHost(machine);
	machine_end_turn();
}

static void call_with(xsSlot *self, xsSlot *function, xsSlot argument)
{
	xsMachine *the = machine;
	if (xsmcTypeOf(*function) == xsUndefinedType)
		return;
	xsBeginHost(machine);
	(void)xsCallFunction1(*function, *self, argument);
	xsEndHost(machine);
	machine_end_turn();
}

void machine_call_count(xsSlot *self, xsSlot *function, xsIntegerValue argument)
{
	xsSlot number;
	xsMachine *the = machine;
	xsmcSetInteger(number, argument);
	call_with(self, function, number);
}

void machine_call_boolean(xsSlot *self, xsSlot *function, bool argument)
{
	xsSlot boolean;
	xsMachine *the = machine;
	xsmcSetBoolean(boolean, argument);
	call_with(self, function, boolean);
}

HeapFigures machine_heap(void)
{
	return (HeapFigures){ 0 };
}
