/* Removes free slots at the lower end of the heap, where XS adds them (spare-slots.h). Includes XS's own headers. */
#include "xsAll.h"

#include "arena.h"
#include "spare-slots.h"

/*
 * The slots of an arena are one block, from its header, the lowest slot, up to the stack: to add slots, XS moves the
 * header down (fxGrowSlots). The collector lists free slots from the highest to the lowest, and XS allocates from the
 * start of the list. So the free slots above the header are a run at the list's end, however much of the list has been
 * used since.
 *
 *     before   ... gap | header  run  run  run | used  free  used ... stack
 *     after    ... gap             | header    | used  free  used ... stack
 */
void spare_slots_return(void *machine, size_t mostBytes)
{
	txMachine *the = machine;
	txSlot *header = the->firstHeap;
	txSlot *beforeRun = C_NULL, *top = C_NULL, *last = C_NULL;
	for (txSlot *slot = the->freeHeap; slot; last = slot, slot = slot->next)
		if (!last || slot + 1 != last) {
			beforeRun = last;
			top = slot;
		}
	if (!the->arena || !arena_begins_at(the->arena, header) || last != header + 1)
		return;
	size_t count = top - header;
	if (count > mostBytes / sizeof(txSlot))
		count = mostBytes / sizeof(txSlot);
	if (count == 0)
		return;
	txSlot *moved = header + count;
#if mxPoisonSlots
	ASAN_UNPOISON_MEMORY_REGION(header, (count + 1) * sizeof(txSlot));
#endif
	*moved = *header;
	if (moved < top)
		moved[1].next = C_NULL;
	else if (beforeRun)
		beforeRun->next = C_NULL;
	else
		the->freeHeap = C_NULL;
	the->firstHeap = moved;
	the->maximumHeapCount -= count;
	arena_return_high(the->arena, count * sizeof(txSlot));
}
