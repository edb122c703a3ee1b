/* The program that ran last, kept for when it runs again (program.h). */
#include <stdlib.h>
#include <string.h>

#include "module-text.h"
#include "program.h"

static xsMachine *program;
static char *programText;		/* what it was made of; NULL while it is being made */
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
	program = program_new();
	program_evaluate(program);
	programText = malloc(length + 1);
	if (!programText)
		abort();
	memcpy(programText, text, length);
	programLength = length;
	return program;
}
