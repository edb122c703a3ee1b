/*
 * Room in the heap of the management machine. Machines are void pointers here: xs.h and xsAll.h name them differently.
 */
#ifndef SVC_BOARD_HEAP_H
#define SVC_BOARD_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this many bytes fit; collects garbage first if that may change the result. */
bool board_heap_has_room(void *machine, size_t byteLength);

/* Bytes in use. `isCollected`: collects garbage first. */
size_t board_heap_used_bytes(void *machine, bool isCollected);

#endif
