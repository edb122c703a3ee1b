/* Modules while the root is made: bytecode (../../compiler/bytecode.c) of a table. Includes XS's own headers. */
#include "xsAll.h"

#include "boot.h"
#include "link-code.h"
#include "root-code.h"

/* A copy, since the code is linked in place. */
static txS1 *copy(txMachine *the, const char *from, txSize size)
{
	txS1 *bytes = c_malloc(size);
	if (!bytes)
		fxAbort(the, XS_NOT_ENOUGH_MEMORY_EXIT);
	return c_memcpy(bytes, from, size);
}

void fxLoadModule(txMachine *the, txSlot *module, txID moduleID)
{
	uint32_t lengths[2];
	const char *bytes = boot_find_module(fxGetKeyName(the, moduleID), NULL);
	c_memcpy(lengths, bytes, sizeof(lengths));
	const char *names = bytes + sizeof(lengths);
	txScript script = {
		.symbolsBuffer = (txS1 *)names,
		.symbolsSize = lengths[0],
		.codeBuffer = copy(the, names + lengths[0], lengths[1]),
		.codeSize = lengths[1],
	};
	link_code(the, &script);
	root_code_add(script.codeBuffer, script.codeSize);
	fxResolveModule(the, module, moduleID, &script, C_NULL, C_NULL);
}
