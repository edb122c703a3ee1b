/* Makes the root: evaluates the modules in a machine in RAM, and links it for the flash (root.h). */
#include "root.h"

#include <string.h>

#include "boot.h"
#include "maker.h"
#include "natives.h"
#include "program.h"
#include "root-linker.h"

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

const char *boot_find_module(const char *specifier, size_t *byteLength)
{
	for (uint32_t index = 0; index < nativeModuleCount; index++) {
		if (strcmp(specifier, nativeModules[index].specifier) == 0) {
			if (byteLength)
				*byteLength = nativeModules[index].byteLength;
			return nativeModules[index].source;
		}
	}
	return NULL;
}

void root_make(uint32_t address)
{
	xsMachine *program = program_new(&creation);
	program_evaluate(program);
	const LinkedRoot linked = root_link(program, address);
	maker_write("root", linked.bytes, linked.byteLength);
	maker_write("root-references", linked.references, linked.referenceCount * sizeof(*linked.references));
	maker_write("root-pointers", linked.pointers, linked.pointerCount * sizeof(*linked.pointers));
}
