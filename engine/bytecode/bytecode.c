/*
 * Compiles a module to the bytecode that a board has in flash, on the desktop, with XS's own parser.
 *
 *     bytecode SPECIFIER MODULE OUTPUT
 *
 * MODULE is text in UTF-8. OUTPUT starts with two 32-bit numbers, little-endian: the lengths of the names and of the
 * code in bytes; names and code follow. Identifiers have 16 bits, as on the board.
 */
#include <stdio.h>
#include <stdlib.h>

#include "xsScript.h"

#ifdef mx32bitID
#error "a board's identifiers have 16 bits"
#endif

enum { PARSER_BUFFER_BYTES = 64 * 1024, PARSER_TABLE_MODULO = 1993 };

/* Profile ids, which XS requires for profiling only: consecutive numbers from 0. */
txID fxGenerateProfileID(void *console)
{
	static txID next;
	(void)console;
	return next++;
}

/* The name of a template's cache, shared by all modules of a machine. */
void fxGenerateTag(void *console, txString buffer, txInteger bufferSize, txString path)
{
	static int next;
	(void)console;
	snprintf(buffer, bufferSize, "#%d@%s", next++, path);
}

void fxVReportError(void *console, txString path, txInteger line, txString format, c_va_list arguments)
{
	(void)console;
	fprintf(stderr, "bytecode: %s:%d: ", path, (int)line);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void fxVReportWarning(void *console, txString path, txInteger line, txString format, c_va_list arguments)
{
	fxVReportError(console, path, line, format, arguments);
}

static txScript *parse(FILE *file, char *specifier)
{
	static txParser parser;
	txParserJump jump;
	txScript *volatile script = NULL;
	fxInitializeParser(&parser, NULL, PARSER_BUFFER_BYTES, PARSER_TABLE_MODULO);
	parser.firstJump = &jump;
	parser.path = fxNewParserSymbol(&parser, specifier);
	if (c_setjmp(jump.jmp_buf) == 0) {
		fxParserTree(&parser, file, (txGetter)fgetc, 0, NULL);
		fxParserHoist(&parser);
		fxParserBind(&parser);
		script = fxParserCode(&parser);
	}
	fxTerminateParser(&parser);
	return script;
}

static int write_script(const txScript *script, const char *path)
{
	const uint32_t lengths[] = { script->symbolsSize, script->codeSize };
	FILE *file = fopen(path, "wb");
	if (!file)
		return -1;
	fwrite(lengths, sizeof(lengths), 1, file);
	fwrite(script->symbolsBuffer, 1, script->symbolsSize, file);
	fwrite(script->codeBuffer, 1, script->codeSize, file);
	return fclose(file);
}

int main(int argc, char *argv[])
{
	FILE *file = argc == 4 ? fopen(argv[2], "rb") : NULL;
	if (!file) {
		fprintf(stderr, "bytecode: cannot read \"%s\"\n", argc > 2 ? argv[2] : "");
		return 1;
	}
	txScript *script = parse(file, argv[1]);
	fclose(file);
	if (!script)
		return 1;				// the parser has reported why
	if (write_script(script, argv[3]) != 0) {
		fprintf(stderr, "bytecode: cannot write \"%s\"\n", argv[3]);
		return 1;
	}
	fxDeleteScript(script);
	return 0;
}
