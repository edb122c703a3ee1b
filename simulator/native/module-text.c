/*
 * XS's host function for importing modules: finds the module's text and parses it (module-text.h). Includes XS's own
 * headers.
 */
#include "module-text.h"

#include "xsAll.h"
#include "xsScript.h"

#include "boot.h"
#include "link-code.h"

typedef struct Code Code;
struct Code {
	txByte *bytes;
	Code *next;
};

static Code *codes;

static void keep(txMachine *the, txByte *bytes)
{
	Code *code = c_malloc(sizeof(Code));
	if (!code)
		fxAbort(the, XS_NOT_ENOUGH_MEMORY_EXIT);
	*code = (Code){ bytes, codes };
	codes = code;
}

void module_text_forget(void)
{
	while (codes) {
		Code *code = codes;
		codes = code->next;
		c_free(code->bytes);
		c_free(code);
	}
}

static txScript *parse(txMachine *the, txID moduleID)
{
	txStringCStream stream = { .offset = 0 };
	size_t size;
	stream.buffer = (txString)boot_find_module(fxGetKeyName(the, moduleID), &size);
	stream.size = (txSize)size;
	return fxParseScript(the, &stream, fxStringCGetter, 0);
}

void fxLoadModule(txMachine *the, txSlot *module, txID moduleID)
{
	txScript *script = parse(the, moduleID);
	if (!script)
		return;
	keep(the, script->codeBuffer);
	void *names = script->symbolsBuffer;
	link_code(the, script);
	c_free(names);
	fxResolveModule(the, module, moduleID, script, C_NULL, C_NULL);
	c_free(script);
}
