/*
 * XS's own counters (heap-figures.h), compared with the board's memory. Stack use comes from the SDK's
 * instrumentation, in a build with it (`mcconfig -i`). Includes XS's own headers.
 */
#include "xsAll.h"

#include "heap-figures.h"
#include "modInstrumentation.h"

/* The board's memory for the machine, whose slots have 16 bytes there. The simulator's heap may grow beyond it. */
#define SCALE (sizeof(txSlot) / 16)
static const size_t BUDGET_BYTES = 128 * 1024 * SCALE;

static txSize lastHeapCount;
static size_t mostUsedBytes;
static size_t peakLiveBytes;
static size_t peakStackBytes;

/* The simulator resets its counters each second, between turns. Its "remain" figures count used bytes. */
static void sample_stack(txMachine *the)
{
#ifdef MODINSTRUMENTATION
	size_t used = modInstrumentationGet(the, StackRemain);
	if (peakStackBytes < used)
		peakStackBytes = used;
#endif
}

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
		.slotRoomBytes = the->maximumHeapCount * sizeof(txSlot),
		.stackBytes = (the->stackTop - the->stackBottom) * sizeof(txSlot),
	};
}

size_t heap_peak_stack_bytes(void *machine)
{
	(void)machine;
	return peakStackBytes;
}

/* The SDK's simulator allocates more memory when needed, so the board's memory is considered as a whole. */
bool heap_has_room(void *machine, size_t byteLength, bool isToStay)
{
	(void)isToStay;
	txMachine *the = machine;
	if (used_bytes(the) + byteLength * SCALE <= BUDGET_BYTES)
		return true;
	fxCollect(the, XS_COMPACT_FLAG);
	return used_bytes(the) + byteLength * SCALE <= BUDGET_BYTES;
}

size_t heap_used_bytes(void *machine, bool isCollected)
{
	txMachine *the = machine;
	if (isCollected)
		fxCollect(the, XS_COMPACT_FLAG);
	return used_bytes(the) / SCALE;
}

void heap_figures_sample(void *machine)
{
	txMachine *the = machine;
	size_t used = used_bytes(the);
	if (the->currentHeapCount < lastHeapCount && peakLiveBytes < used)
		peakLiveBytes = used;
	lastHeapCount = the->currentHeapCount;
	sample_stack(the);
}

void heap_figures_forget_peaks(void *machine)
{
	(void)machine;
	lastHeapCount = 0;
	peakLiveBytes = 0;
	peakStackBytes = 0;
}
