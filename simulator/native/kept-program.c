/* The last program, kept so that running it again is fast (program.h). */
#include <stdlib.h>
#include <string.h>

#include "module-text.h"
#include "program.h"

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
static char *programText;		/* source of the program; NULL while it is being built */
static size_t programLength;

static void discard(void)
{
	if (program)
		xsDeleteMachine(program);
	program = NULL;
	module_text_forget();
	free(programText);
	programText = NULL;
}

xsMachine *program_machine(const char *text, size_t length)
{
	if (programText && programLength == length && memcmp(programText, text, length) == 0)
		return program;
	discard();
	program = program_new(&creation);
	program_evaluate(program);
	programText = malloc(length + 1);
	if (!programText)
		abort();
	memcpy(programText, text, length);
	programLength = length;
	return program;
}
