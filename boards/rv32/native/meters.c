/* Differences of the board's counters, without the cost of writing them (meters.h). */
#include "meters.h"

#include <semihost.h>
#include <stdio.h>

#include "arena.h"
#include "board.h"
#include "c-stack.h"
#include "clock.h"
#include "heap-figures.h"
#include "heap.h"
#include "machine.h"
#include "script.h"

/* XS's own interface (xsAll.h), which cannot be included together with xs.h. */
extern void fxCollectGarbage(xsMachine *the);

static int figures = -1;
static uint64_t startedAt;		/* in instructions */

void meters_open(const char *file)
{
	figures = sys_semihost_open(file, SH_OPEN_W_B);
	if (figures < 0) {
		fprintf(stderr, "console: cannot write \"%s\"\n", file);
		board_power_off(1);
	}
}

/* Without the instructions of the script, which is the peer. */
static uint64_t own_instructions(void)
{
	return clock_instructions() - script_instructions();
}

/* Before the machine exists, measures only what needs no machine. */
void meters_begin(void)
{
	if (machine) {
		fxCollectGarbage(machine);
		heap_figures_forget_peaks(machine);
	}
	heap_forget_peak();
	c_stack_paint();
	startedAt = own_instructions();
}

void meters_end(const char *step, uint32_t count)
{
	const uint64_t instructions = own_instructions() - startedAt;
	const size_t cStack = c_stack_most_used();
	const size_t heap = heap_peak_bytes();
	size_t stack = 0;
	HeapFigures left = { 0 };
	char line[512];
	if (machine) {
		stack = heap_peak_stack_bytes(machine);
		fxCollectGarbage(machine);
		left = heap_figures(machine);
	}
	const int length = snprintf(line, sizeof(line),
		"{\"step\":\"%s\",\"count\":%lu,\"instructions\":%llu,\"live\":%zu,\"slots\":%zu,\"chunks\":%zu,\"stack\":%zu,"
		"\"peak\":%zu,\"peakSlots\":%zu,\"peakChunks\":%zu,\"cStack\":%zu,\"heap\":%zu}\n",
		step, (unsigned long)count, (unsigned long long)instructions, left.usedBytes, left.slotBytes, left.chunkBytes, stack,
		left.peakNeededBytes, left.peakSlotBytes, left.peakChunkBytes, cStack, heap - left.totalBytes);
	if (sys_semihost_write(figures, line, length) != 0) {
		fputs("console: cannot write the figures\n", stderr);
		board_power_off(1);
	}
}
