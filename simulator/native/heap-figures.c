/* Sums of XS's own counters (heap-figures.h). Includes XS's own headers. */
#include "xsAll.h"

#include "arena.h"
#include "heap-figures.h"

#include <string.h>

static txSize lastHeapCount;
static size_t peakLiveBytes;
static size_t peakNeededBytes;

static size_t sum(txMachine *the, txSize slotCount, txSize chunkBytes)
{
	size_t stackCount = the->stackTop - the->stackBottom;
	return (stackCount + slotCount) * sizeof(txSlot) + chunkBytes;
}

#ifdef SVC_HEAP_IS_WATCHED
/*
 * XS can be compiled to collect after -gxStress allocations, which it does once, to find what it has not been
 * told to keep. Here that is done again and again, to find how much has to be kept.
 */
extern int gxStress;

static void watch(void)
{
	const char *interval = getenv("SVC_SIM_COLLECT_EVERY");
	if (interval && gxStress == 0)
		gxStress = -atoi(interval);
}

/* In place of fxReport in XS's memory (build.js), which speaks at the end of each collection. */
void heap_figures_report(txMachine *the, txString format, ...)
{
	static const char atTheEnd[] = "# Slot collection";
	bool isOurs = gxStress == 0 && getenv("SVC_SIM_COLLECT_EVERY");
	if (!isOurs || !the->arena || strncmp(format, atTheEnd, sizeof(atTheEnd) - 1) != 0)
		return;
	size_t needed = sum(the, the->currentHeapCount, the->currentChunksSize);
	if (peakNeededBytes < needed)
		peakNeededBytes = needed;
	watch();
}
#else
static void watch(void)
{
}
#endif

HeapFigures heap_figures(void *machine)
{
	txMachine *the = machine;
	return (HeapFigures){
		.totalBytes = arena_byte_length(the->arena),
		.usedBytes = sum(the, the->currentHeapCount, the->currentChunksSize),
		.peakUsedBytes = sum(the, the->peakHeapCount, the->peakChunksSize),
		.peakLiveBytes = peakLiveBytes,
		.peakNeededBytes = peakNeededBytes,
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
	watch();
}

void heap_figures_reset(void)
{
	lastHeapCount = 0;
	peakLiveBytes = 0;
	peakNeededBytes = 0;
}
