/* Evaluates the modules in a separate machine, then shares it (program.h). */
#include "program.h"

#include <string.h>

#include "arena.h"
#include "freeze.h"
#include "machine-life.h"
#include "natives.h"

static const char GLOBALS_PREFIX[] = "globals/";

static void import_globals(xsMachine *the)
{
	for (uint32_t index = 0; index < nativeModuleCount; index++) {
		const char *specifier = nativeModules[index].specifier;
		if (strncmp(specifier, GLOBALS_PREFIX, strlen(GLOBALS_PREFIX)) == 0)
			xsAwaitImport(specifier, XS_IMPORT_NAMESPACE);
	}
}

xsMachine *program_new(xsCreation *creation)
{
	arena_for_next_machine(NULL);
	return xsCreateMachine(creation, "program", NULL);
}

void program_evaluate(xsMachine *program)
{
	xsBeginHost(program);
	xsmcVars(1);
	natives_install(the);
	import_globals(the);
	xsVar(0) = xsAwaitImport("main", XS_IMPORT_DEFAULT);
	xsmcDefine(xsGlobal, xsID(PROGRAM_MAIN), xsVar(0), xsDontEnum);
	xsEndHost(program);
	machine_run_jobs(program);
	freeze_machine(program);
}
