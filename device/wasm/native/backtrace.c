/* A list with an end, and places to find (backtrace.h). */
#include "backtrace.h"

void backtrace_push(Backtrace *backtrace, const void *code)
{
	if (backtrace && backtrace->count++ < BACKTRACE_FRAMES) {
		backtrace->functions[backtrace->count - 1] = NULL;
		backtrace->codes[backtrace->count - 1] = code;
	}
}

void backtrace_fill(Backtrace *backtrace, IM3Function function)
{
	if (backtrace && backtrace->count > 0 && backtrace->count <= BACKTRACE_FRAMES)
		backtrace->functions[backtrace->count - 1] = function;
}

void backtrace_compiled(Backtrace *backtrace, uint32_t function)
{
	if (backtrace && backtrace->order && !backtrace->places)
		backtrace->order[backtrace->compiledCount++] = function;
}

void backtrace_note(Backtrace *backtrace, uint32_t page, uint32_t line, uint32_t offset)
{
	for (uint32_t index = 0; backtrace && backtrace->places && index < backtrace->placeCount; index++) {
		CodePlace *place = &backtrace->places[index];
		if (place->page == page && place->line >= line)
			place->offset = offset;
	}
}
