/* trace(text): writes the text unchanged to the serial port for programming. */
#include <stdio.h>

#include "xsmc.h"

void xs_trace(xsMachine *the)
{
	fputs(xsmcToString(xsArg(0)), stderr);
}
