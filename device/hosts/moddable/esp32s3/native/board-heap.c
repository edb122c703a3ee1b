/* Room in the heap of the management machine (board-heap.h), by XS's own counters. Includes XS's own headers. */
#include "xsAll.h"

#include "board-heap.h"
#include "heap-figures.h"

/* creation.static (manifest.json): chunks, slots and stack. */
static const size_t HEAP_BYTES = 128 * 1024;

static size_t used_bytes(txMachine *the)
{
	size_t slots = (size_t)(the->stackTop - the->stackBottom) + the->currentHeapCount;
	return slots * sizeof(txSlot) + the->currentChunksSize;
}

bool board_heap_has_room(void *machine, size_t byteLength)
{
	txMachine *the = machine;
	if (used_bytes(the) + byteLength <= HEAP_BYTES)
		return true;
	fxCollect(the, XS_COMPACT_FLAG);
	return used_bytes(the) + byteLength <= HEAP_BYTES;
}

bool heap_has_room(void *machine, size_t byteLength, bool isToStay)
{
	(void)isToStay;
	return board_heap_has_room(machine, byteLength);
}

size_t board_heap_used_bytes(void *machine, bool isCollected)
{
	if (isCollected)
		fxCollect(machine, XS_COMPACT_FLAG);
	return used_bytes(machine);
}
