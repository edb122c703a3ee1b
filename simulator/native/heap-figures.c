/* Sums of XS's own counters (heap-figures.h). Includes XS's own headers. */
#include "xsAll.h"

#include "arena.h"
#include "heap-figures.h"

static txSize lastHeapCount;
static size_t peakLiveBytes;

static size_t sum(txMachine *the, txSize slotCount, txSize chunkBytes)
{
	size_t stackCount = the->stackTop - the->stackBottom;
	return (stackCount + slotCount) * sizeof(txSlot) + chunkBytes;
}

HeapFigures heap_figures(void *machine)
{
	txMachine *the = machine;
	return (HeapFigures){
		.totalBytes = arena_byte_length(the->arena),
		.usedBytes = sum(the, the->currentHeapCount, the->currentChunksSize),
		.peakUsedBytes = sum(the, the->peakHeapCount, the->peakChunksSize),
		.peakLiveBytes = peakLiveBytes,
	};
}

void heap_figures_sample(void *machine)
{
	txMachine *the = machine;
	if (the->currentHeapCount < lastHeapCount) {
		size_t live = sum(the, the->currentHeapCount, the->currentChunksSize);
		if (peakLiveBytes < live)
			peakLiveBytes = live;
	}
	lastHeapCount = the->currentHeapCount;
}

void heap_figures_reset(void)
{
	lastHeapCount = 0;
	peakLiveBytes = 0;
}
