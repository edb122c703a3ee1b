/* XS's own counters (heap-figures.h), against what the board has. Includes XS's own headers. */
#include "xsAll.h"

#include "heap-figures.h"

/* What the board gives the machine, whose slots are 16 bytes there: the simulator's may have more, if it needs it. */
#define SCALE (sizeof(txSlot) / 16)
static const size_t BUDGET_BYTES = 128 * 1024 * SCALE;

static txSize lastHeapCount;
static size_t mostUsedBytes;
static size_t peakLiveBytes;

static size_t used_bytes(txMachine *the)
{
	size_t stackCount = the->stackTop - the->stackBottom;
	size_t used = (stackCount + the->currentHeapCount) * sizeof(txSlot) + the->currentChunksSize;
	if (mostUsedBytes < used)
		mostUsedBytes = used;
	return used < BUDGET_BYTES ? used : BUDGET_BYTES;
}

HeapFigures heap_figures(void *machine)
{
	txMachine *the = machine;
	size_t used = used_bytes(the);
	return (HeapFigures){
		.totalBytes = BUDGET_BYTES,
		.usedBytes = used,
		.mostUsedBytes = mostUsedBytes < BUDGET_BYTES ? mostUsedBytes : BUDGET_BYTES,
		.peakLiveBytes = peakLiveBytes,
		.slotBytes = the->currentHeapCount * sizeof(txSlot),
		.chunkBytes = the->currentChunksSize,
		.stackBytes = (the->stackTop - the->stackBottom) * sizeof(txSlot),
	};
}

void heap_figures_sample(void *machine)
{
	txMachine *the = machine;
	size_t used = used_bytes(the);
	if (the->currentHeapCount < lastHeapCount && peakLiveBytes < used)
		peakLiveBytes = used;
	lastHeapCount = the->currentHeapCount;
}

void heap_figures_forget_peaks(void)
{
	lastHeapCount = 0;
	peakLiveBytes = 0;
}
