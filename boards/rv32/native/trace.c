/*
 * The debug console: standard error, through the C library. It has no descriptor here: 2 is a file, once two files of
 * the host are open.
 */
#include "xsmc.h"

/* trace(text): writes the text unchanged. */
void xs_trace(xsMachine *the)
{
	fputs(xsmcToString(xsArg(0)), stderr);
}
