/* Compiling at run time, which our programs do not use. Includes XS's own headers. */
#include "xsAll.h"

/* eval(), new Function() and the like. */
txScript *fxParseScript(txMachine *the, void *stream, txGetter getter, txUnsigned flags)
{
	(void)stream, (void)getter, (void)flags;
	mxSyntaxError("this board has no parser");
	return C_NULL;
}
