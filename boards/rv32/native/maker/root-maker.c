/* Makes the root: evaluates the modules in a machine in RAM, and links it for the flash (root.h). */
#include "root.h"

#include <semihost.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "board.h"
#include "boot.h"
#include "natives.h"
#include "program.h"
#include "root-linker.h"

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

static void write_to(const char *file, const void *bytes, size_t byteLength)
{
	int descriptor = sys_semihost_open(file, SH_OPEN_W_B);
	if (descriptor < 0 || sys_semihost_write(descriptor, bytes, byteLength) != 0
			|| sys_semihost_close(descriptor) != 0) {
		fprintf(stderr, "console: cannot write \"%s\"\n", file);
		board_power_off(1);
	}
}

void root_make(const char *file, const char *referencesFile, const char *pointersFile)
{
	xsMachine *program = program_new(&creation);
	program_evaluate(program);
	LinkedRoot linked = root_link(program, (uintptr_t)__root_start);
	if (linked.byteLength > (size_t)(__root_end - __root_start)) {
		fputs("console: the root is too large for its part of the flash\n", stderr);
		board_power_off(1);
	}
	write_to(file, linked.bytes, linked.byteLength);
	write_to(referencesFile, linked.references, linked.referenceCount * sizeof(*linked.references));
	write_to(pointersFile, linked.pointers, linked.pointerCount * sizeof(*linked.pointers));
}
