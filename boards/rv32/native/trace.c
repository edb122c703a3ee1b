/*
 * The debug console: standard error, by the C library. It has no descriptor here: 2 is a file, once two of the host's
 * are open.
 */
#include "xsmc.h"

/* trace(text): writes text as it is. */
void xs_trace(xsMachine *the)
{
	fputs(xsmcToString(xsArg(0)), stderr);
}
