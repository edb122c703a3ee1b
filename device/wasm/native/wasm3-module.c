/*
 * wasm3's m3_module.c, as it is, with what it lacks: a module for whose functions or globals there was no memory knows
 * how many it has, and freeing it would go through all of them.
 */
#include "m3_env.h"

#define m3_FreeModule free_whole_module
#include "m3_module.c"
#undef m3_FreeModule

void m3_FreeModule(IM3Module module)
{
	if (module && !module->functions)
		module->numFunctions = 0;
	if (module && !module->globals)
		module->numGlobals = 0;
	free_whole_module(module);
}
