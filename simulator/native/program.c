/* Evaluates the modules in a machine without limits, then shares it (program.h). */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "freeze.h"
#include "machine-life.h"
#include "natives.h"

static const char GLOBALS_PREFIX[] = "globals/";

static xsCreation creation = {
	.initialChunkSize = 1024 * 1024,
	.incrementalChunkSize = 256 * 1024,
	.initialHeapCount = 32 * 1024,
	.incrementalHeapCount = 8 * 1024,
	.stackCount = 4096,
	.initialKeyCount = 4096,
	.incrementalKeyCount = 1024,
	.nameModulo = NAME_MODULO,
	.symbolModulo = SYMBOL_MODULO,
	.parserBufferSize = 64 * 1024,
	.parserTableModulo = 1993,
};

static xsMachine *program;
static char *programText;		/* what it was made of; NULL while it is being made */
static size_t programLength;

static void discard(void)
{
	if (program)
		xsDeleteMachine(program);
	program = NULL;
	free(programText);
	programText = NULL;
}

static void import_globals(xsMachine *the)
{
	for (uint32_t index = 0; index < nativeModuleCount; index++) {
		const char *specifier = nativeModules[index].specifier;
		if (strncmp(specifier, GLOBALS_PREFIX, strlen(GLOBALS_PREFIX)) == 0)
			xsAwaitImport(specifier, XS_IMPORT_NAMESPACE);
	}
}

static void evaluate(void)
{
	xsBeginHost(program);
	natives_install(the);
	import_globals(the);
	xsAwaitImport("main", XS_IMPORT_NAMESPACE);
	xsEndHost(program);
	machine_run_jobs(program);
}

xsMachine *program_machine(const char *text, size_t length)
{
	if (programText && programLength == length && memcmp(programText, text, length) == 0)
		return program;
	discard();
	arena_for_next_machine(NULL);
	program = xsCreateMachine(&creation, "program", NULL);
	evaluate();
	freeze_machine(program);
	programText = malloc(length + 1);
	if (!programText)
		abort();
	memcpy(programText, text, length);
	programLength = length;
	return program;
}
