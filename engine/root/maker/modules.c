/* Modules while the root is made: bytecode (../../bytecode/bytecode.c) of a table. Includes XS's own headers. */
#include "xsAll.h"

#include "boot.h"
#include "link-code.h"
#include "maker.h"
#include "root-code.h"

/* Of the code of all modules. */
enum { CODE_LIMIT_BYTES = 4 * 1024 * 1024 };

/* A copy, since the code is linked in place. Its functions are in the root in the order of their addresses. */
static txS1 *copy(const char *from, txSize size)
{
	static txS1 *bytes;
	static txSize used;
	if (!bytes)
		bytes = c_malloc(CODE_LIMIT_BYTES);
	if (!bytes || size > CODE_LIMIT_BYTES - used)
		maker_fail("the root has too much code");
	used += size;
	return c_memcpy(bytes + used - size, from, size);
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
		.codeBuffer = copy(names + lengths[0], lengths[1]),
		.codeSize = lengths[1],
	};
	link_code(the, &script);
	root_code_add(script.codeBuffer, script.codeSize);
	fxResolveModule(the, module, moduleID, &script, C_NULL, C_NULL);
}
