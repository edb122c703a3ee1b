/* What XS asks of its host where it imports a module: its text, to be parsed. Includes XS's own headers. */
#include "xsAll.h"
#include "xsScript.h"

#include "boot.h"

void fxLoadModule(txMachine *the, txSlot *module, txID moduleID)
{
	txStringCStream stream = { .offset = 0 };
	size_t size;
	stream.buffer = (txString)boot_find_module(fxGetKeyName(the, moduleID), &size);
	stream.size = (txSize)size;
	txScript *script = fxParseScript(the, &stream, fxStringCGetter, 0);
	if (script)
		fxResolveModule(the, module, moduleID, script, C_NULL, C_NULL);
}
