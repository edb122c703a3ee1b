/* Two passes over the instructions of a script (link-code.h). Includes XS's own headers. */
#include "link-code.h"

/* XS's own (xsRun.c). */
extern void fxRemapIDs(txMachine *the, txByte *code, txSize size, txID *ids);

/* Names are numbered from 1; 0 is none. */
static txID *identifiers_of(txMachine *the, const txScript *script)
{
	txByte *at = script->symbolsBuffer;
	txID count;
	mxDecodeID(at, count);
	txID *ids = c_malloc(count * sizeof(txID));
	if (!ids)
		fxAbort(the, XS_NOT_ENOUGH_MEMORY_EXIT);
	ids[0] = XS_NO_ID;
	for (txID index = 1; index < count; index++) {
		ids[index] = fxNewNameC(the, (txString)at);
		at += c_strlen((char *)at) + 1;
	}
	return ids;
}

/* The variant of an instruction that refers to its code or text instead of copying it. */
static txU1 referring(txU1 instruction)
{
	switch (instruction) {
	case XS_CODE_CODE_1: return XS_CODE_CODE_ARCHIVE_1;
	case XS_CODE_CODE_2: return XS_CODE_CODE_ARCHIVE_2;
	case XS_CODE_CODE_4: return XS_CODE_CODE_ARCHIVE_4;
	case XS_CODE_STRING_1: return XS_CODE_STRING_ARCHIVE_1;
	case XS_CODE_STRING_2: return XS_CODE_STRING_ARCHIVE_2;
	case XS_CODE_STRING_4: return XS_CODE_STRING_ARCHIVE_4;
	default: return instruction;
	}
}

txSize instruction_length(const txByte *at)
{
	const txS1 size = gxCodeSizes[*(const txU1 *)at];
	txU2 short_length;
	txS4 long_length;
	switch (size) {
	case 0:
		return 1 + sizeof(txID);
	case -1:
		return 2 + *(const txU1 *)(at + 1);
	case -2:
		c_memcpy(&short_length, at + 1, sizeof(short_length));
		return 1 + sizeof(short_length) + short_length;
	case -4:
		c_memcpy(&long_length, at + 1, sizeof(long_length));
		return 1 + sizeof(long_length) + long_length;
	default:
		return size;
	}
}

void link_code(txMachine *the, txScript *script)
{
	const txByte *end = script->codeBuffer + script->codeSize;
	txID *ids = identifiers_of(the, script);
	fxRemapIDs(the, script->codeBuffer, script->codeSize, ids);
	c_free(ids);
	for (txByte *at = script->codeBuffer; at < end; at += instruction_length(at))
		*(txU1 *)at = referring(*(txU1 *)at);
	script->symbolsBuffer = C_NULL;
}
