/* Whether the management machine has room for more work. Machines are void here: xs.h and xsAll.h name them differently. */
#ifndef SVC_BOARD_HEAP_H
#define SVC_BOARD_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Whether so many bytes fit; collects first where that may decide it. */
bool board_heap_has_room(void *machine, size_t byteLength);

/* What is in use. `isCollected`: once garbage has been collected. */
size_t board_heap_used_bytes(void *machine, bool isCollected);

#endif
