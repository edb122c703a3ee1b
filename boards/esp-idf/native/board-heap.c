/* Room in the heap of the management machine (board-heap.h): an arena, as on the desktop. */
#include "board-heap.h"

#include "heap-figures.h"

bool board_heap_has_room(void *machine, size_t byteLength)
{
	return heap_has_room(machine, byteLength, false);
}

size_t board_heap_used_bytes(void *machine, bool isCollected)
{
	return heap_used_bytes(machine, isCollected);
}
