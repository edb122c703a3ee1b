/* A list with an end (backtrace.h). */
#include "backtrace.h"

#include <stddef.h>

void backtrace_push(Backtrace *backtrace)
{
	if (backtrace && backtrace->count++ < BACKTRACE_FRAMES)
		backtrace->functions[backtrace->count - 1] = NULL;
}

void backtrace_fill(Backtrace *backtrace, IM3Function function)
{
	if (backtrace && backtrace->count > 0 && backtrace->count <= BACKTRACE_FRAMES)
		backtrace->functions[backtrace->count - 1] = function;
}
