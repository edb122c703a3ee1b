/* Modules of the board: the root holds them all, so that only the program itself is requested. Includes XS's own headers. */
#include "xsAll.h"

#include "boot.h"

const char *boot_find_module(const char *specifier, size_t *byteLength)
{
	(void)byteLength;
	return c_strcmp(specifier, "main") == 0 ? specifier : NULL;
}

void fxLoadModule(txMachine *the, txSlot *module, txID moduleID)
{
	(void)module;
	mxReferenceError("module \"%s\" is not in the root", fxGetKeyName(the, moduleID));
}
